/** Finding leads by words: the same ones on both engines, by every word of theirs and by no other. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { indexedWords, inNames, parseWords, type WordSearch, wholeNames } from '../../src/leads/words/search-words.ts'
import type { InboxFilter, Position } from '../../src/store/lists/filter.ts'
import type { Store } from '../../src/store/store.ts'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { aFiling, anArrival, asked, noStaff, startStore } from '../support/store.ts'

const NAMES = [
  'Ana',
  'Anna',
  'José',
  'Jose',
  'ÖZTÜRK',
  'Straße',
  'STRASSE',
  "O'Neil",
  'Χρήστος',
  'Łukasz',
  'ﬁne',
  '李小龙',
  'Ñandú',
  'İpek',
  'x1y2',
  'Zoë-Marie',
  'd’Arc',
  '٣٤',
  'À̖la',
  '🏥 Klinik',
]

type Made = { firstName: string; lastName: string; email: string; phone: string; company: string }

const aName = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).map(text => text.replace(/\0/g, '')),
)
const made: fc.Arbitrary<Made> = fc.record({
  firstName: aName,
  lastName: aName,
  email: fc.constantFrom('ana.lopez@mercy.example', 'j.oneil@mail.example', 'x+y@sub.mail.example'),
  phone: fc.constantFrom('512-555-0142', '(512) 555 0199', '+49 30 1234567', '０１２-３４５６７８９'),
  company: aName,
})

/** Leads with ids from 1 on, filed as the service files them. */
async function storeWith(t: TestContext, engine: Engine, people: readonly Made[]): Promise<Store> {
  const { store, clock } = await startStore(t, { engine })
  const now = clock.now()
  for (const { email } of people) await store.accept(anArrival({ email }))
  const tasks = await store.claimTasks({ lane: 'filing', now, token: 'A', limit: people.length })
  const filings = people.map((person, index) => {
    const email = `${index}.${person.email}`
    const submission = { id: index + 1, kind: 'student', receivedAt: 0 } as const
    return aFiling(index + 1, {
      submission: { ...submission, body: { ...person, email }, form: null },
      person: { ...person, email, state: undefined },
    })
  })
  const digest = { day: 20261122, dueAt: now }
  const terms = { now, digest, quarantine: { days: 30, capacity: 1000 }, staffing: noStaff }
  for (let i = 0; i < filings.length; i += 20)
    equal(await store.fileSubmissions(tasks, filings.slice(i, i + 20), terms), true)
  return store
}

const found = async (store: Store, filter: InboxFilter): Promise<number[]> =>
  (await store.listInbox(filter, { limit: 200 })).rows.map(({ lead }) => lead.id)

describe('a search', () => {
  test('finds on both engines the leads that have its words, and a word that begins like its last', async t => {
    const people = fc.sample(made, { numRuns: 80, seed: 14 })
    const stores = [await storeWith(t, 'sqlite', people), await storeWith(t, 'postgres', people)]
    const unknown = { state: null, consent: null, language: null, program: null, campus: null }
    const indexed = people.map((person, index) =>
      indexedWords({ ...person, email: `${index}.${person.email}`, phoneE164: null, ...unknown }, [
        { body: { ...person, employer: person.company }, form: null },
      ]).split(' '),
    )
    const text = fc.oneof(
      aName,
      fc.tuple(aName, aName).map(names => names.join(' ')),
      fc.constantFrom('0142', '555-0142', '5125550142', 'an', 'a', 'mail.example', 'lopez@mercy.exa'),
      fc.tuple(aName, fc.nat(4)).map(([name, length]) => [...name].slice(0, length).join('')),
    )
    let hits = 0
    await fc.assert(
      fc.asyncProperty(text, async typed => {
        const words = parseWords(typed)
        if (words === undefined) return
        const having = (search: WordSearch | undefined) =>
          indexed.flatMap((all, index) => {
            if (search === undefined) return []
            const { prefix } = search
            const begins = prefix === undefined || all.some(word => word.startsWith(prefix))
            return begins && search.words.every(word => all.includes(word)) ? [index + 1] : []
          })
        const whole = { words: wholeNames(words), prefix: undefined }
        const parts = [inNames(words) && whole, inNames(words), words]
        const expected = [...new Set(parts.flatMap(part => having(part).toReversed()))]
        hits += expected.length
        for (const store of stores) {
          const { rows, similar } = await store.listInbox({ words }, { limit: 200 })
          const ids = rows.map(({ lead }) => lead.id)
          if (expected.length === 0) ok(ids.length === 0 || similar, typed)
          else deepEqual(ids, expected, typed)
        }
      }),
      { numRuns: 200, seed: 14 },
    )
    ok(hits > 200)
  })
})

onEachEngine(engine => {
  describe('a search', () => {
    const search = (store: Store, text: string, filter: InboxFilter = {}) =>
      found(store, { ...filter, words: parseWords(text) })

    /** Leads 1 and 2, and a further inquiry of lead 1. */
    async function aService(t: TestContext) {
      const service = await startApp(t, { engine })
      const email = 'zoe@mail.example'
      await service.postStudent(
        aStudent({
          firstName: 'Zoë',
          lastName: 'Öztürk',
          email,
          phone: '(512) 555-0142',
          state: 'TX',
          source: '3 - A friend or relative',
          employer: 'Café Müller',
        }),
      )
      await service.postSite(aSite({ company: 'Mercy Clinic', message: 'Two SURGICAL techs', phone: '210-555-0111' }))
      await service.postStudent(aStudent({ email, phone: '737-555-0188', message: 'Evening class?' }))
      await service.settle()
      return { ...service, store: service.app.store }
    }

    test('finds names, companies, addresses, phone numbers and messages, also of further inquiries', async t => {
      const { store } = await aService(t)
      for (const [text, ids] of [
        ['ozturk zo', [1]],
        ['cafe MULLER', [1]],
        ['mercy', [2]],
        ['zoe@mail.example', [1]],
        ['surgical tech', [2]],
        ['evening', [1]],
        ['5125550142', [1]],
        ['+1 (512) 555-0142', [1]],
        ['0142', [1]],
        ['555-0188', [1]],
        ['zurgical', []],
        ['zoe mercy', []],
      ] as const)
        deepEqual(await search(store, text), ids, text)
    })

    test('finds the city, and what was written about the person or by them since', async t => {
      const service = await aService(t)
      const { store, clock } = service
      const by = { actor: 'maria', now: clock.now() }
      await service.postStudent(aStudent({ email: 'eve@mail.example', city: 'Pflugerville' }))
      await service.settle()
      await store.addNote(2, { text: 'Asked for a wheelchair ramp', ...by })
      await store.recordCall(1, { outcome: 'no answer', note: 'Mother picked up', ...by })
      await store.setMailboxPosition('desk', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
      const event = { kind: 'reply', detail: 'About my motorcycle', tell: true } as const
      const effect = { leadId: 1, event, suppression: null }
      await store.recordInbound({ mailbox: 'desk', uidValidity: '1', uid: 1, effect }, clock.now())
      for (const [text, ids] of [
        ['pflugerville', [4]],
        ['wheelchair', [2]],
        ['motorcycle', [1]],
        ['mother', [1]],
        ['no answer', []],
      ] as const)
        deepEqual(await search(store, text), ids, text)
    })

    test('lists people of that name before those who write the word, page by page', async t => {
      const service = await aService(t)
      const { store } = service
      for (const [firstName, message] of [
        ['Eve', 'Hello'],
        ['Rosa', 'Do you have evening classes?'],
        ['Evelyn', 'Hello'],
        ['Luis', 'My sister Eve studies with you'],
      ])
        await service.postStudent(aStudent({ firstName, message, email: `${firstName}@mail.example` }))
      await service.settle()
      const expected = [4, 6, 7, 5, 1]
      deepEqual(await search(store, 'eve'), expected)
      const paged: number[] = []
      for (let after: Position | null | undefined; after !== null; ) {
        const { rows, next } = await store.listInbox(
          { words: parseWords('eve') },
          { after: after ?? undefined, limit: 1 },
        )
        paged.push(...rows.map(({ lead }) => lead.id))
        after = next
      }
      deepEqual(paged, expected)
    })

    test('forgives a typo in a name, if nothing is found by the words as they are', async t => {
      const service = await aService(t)
      const { store } = service
      for (const [firstName, lastName] of [
        ['Rosa', 'González'],
        ['Rosalind', 'Ng'],
        ['Rex', 'Roe'],
      ] as const)
        await service.postStudent(aStudent({ firstName, lastName, email: `${firstName}@mail.example` }))
      await service.settle()
      for (const [text, ids] of [
        ['roza', [4]],
        ['rosa gonsales', []],
        ['rosa gonzales', [4]],
        ['gonzaelz rosa', [4]],
        ['rsa', [4]],
        ['rsx', []],
        ['rossa', [4]],
        ['rosalimd', [5]],
        ['rosalimda', []],
        ['otzurk', [1]],
      ] as const)
        deepEqual(await search(store, text), ids, text)
      equal((await store.listInbox({ words: parseWords('roza') }, { limit: 9 })).similar, true)
      equal((await store.listInbox({ words: parseWords('rosa') }, { limit: 9 })).similar, false)
      deepEqual(await search(store, 'roza', { kind: 'site' }), [])
    })

    test('goes together with every filter', async t => {
      const { store } = await aService(t)
      deepEqual(await search(store, 'example', { kind: 'site' }), [2])
      deepEqual(await search(store, 'example', { stage: 'contacted' }), [])
      deepEqual(await found(store, { state: 'TX' }), [1])
      deepEqual(await found(store, { state: 'TX', source: 'a friend or relative' }), [1])
      deepEqual(await found(store, { source: 'friend' }), [])
      // What a person writes is never taken for a fact.
      deepEqual(await search(store, 'state:tx'), [])
    })

    test('does not find people who were erased', async t => {
      const { store } = await aService(t)
      await store.erasePerson('zoe@mail.example', { ...asked, addressHash: 'hash', now: 1 })
      deepEqual(await search(store, 'ozturk'), [])
      deepEqual(await search(store, 'ozturl'), [])
      deepEqual(await found(store, { state: 'TX' }), [])
      deepEqual(await search(store, 'mercy'), [2])
    })

    test('goes through all blocks of leads in their order, page by page', async t => {
      const { store, database } = await aService(t)
      const others = [32_767, 32_768, 200_000, 3_000_000]
      for (const id of others) {
        await sql(
          database,
          `insert into submissions (id, kind, received_at, key, fingerprint, email, answer, body, client_address)
           select ${id}, kind, ${id}, 'key ${id}', fingerprint, email, answer, body, client_address
           from submissions where id = 2`,
        )
        await sql(
          database,
          `insert into leads (id, kind, stage, closed_reason, email, person_key, first_name, last_name, phone,
             created_at, updated_at)
           select ${id}, kind, 'closed', 'spam', email, person_key, first_name, last_name, phone, ${id}, ${id}
           from leads where id = 2`,
        )
        await sql(
          database,
          `insert into lead_words (lead_id, words)
           select ${id}, words from lead_words where lead_id = 2`,
        )
      }
      const all = [2, ...others]
      deepEqual(await search(store, 'mercy'), all.toReversed())
      const ids: number[] = []
      for (let after: Position | undefined; ids.length < 9; ) {
        const { rows, next } = await store.listInbox({ words: parseWords('clinic merc') }, { after, limit: 1 })
        ids.push(...rows.map(({ lead }) => lead.id))
        if (next === null) break
        after = next
      }
      deepEqual(ids, all.toReversed())
    })
  })
})
