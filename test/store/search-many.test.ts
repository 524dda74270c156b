/** Lists among thousands of leads, which are in several blocks of the index of words. */
import { deepEqual, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { indexedWords, parseWords } from '../../src/leads/words/search-words.ts'
import type { InboxFilter, Position } from '../../src/store/lists/filter.ts'
import type { Store } from '../../src/store/store.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { anArrival, startStore } from '../support/store.ts'

/** Their ids are this far apart, so that they are in five blocks. */
const APART = 40
const MANY = 3_600

/** Common and rare ones, and such as begin like others. */
const first = (n: number) => (n % 611 === 0 ? 'Xavier' : ['Ana', 'Anna', 'Anatol', 'Maria', 'Mariana'][n % 5]) ?? ''
const last = (n: number) => (n % 7 === 0 ? 'Ng' : `${['Roe', 'Rowe', 'Nguyen'][n % 3]}${'aeiou'[n % 11] ?? ''}`)
const message = (n: number) => (n % 2 === 0 ? 'Evening classes' : n % 13 === 0 ? 'My sister Ana Roe' : 'Hello')

const people = Array.from({ length: MANY }, (_, n) => {
  const id = (n + 1) * APART
  const body = { firstName: first(n), lastName: last(n), email: `p${n}@mail.example`, message: message(n) }
  const others = {
    phoneE164: null,
    company: null,
    state: n % 3 === 0 ? 'TX' : null,
    consent: null,
    language: null,
    program: null,
    campus: null,
  }
  const phone = `512555${1000 + (n % 700)}`
  const words = indexedWords({ ...body, phone, ...others }, [{ body: { ...body, phone } as never, form: null }])
  return { id, words }
})

/** The ids in the order of the parts of a search, each newest first. */
function lookedThrough(typed: string, state: string | undefined): number[] {
  const words = typed.toLowerCase().split(' ')
  const has = (all: string[], wanted: string[], lastIsWhole: boolean) =>
    wanted.every((word, at) =>
      all.some(one => (at === wanted.length - 1 && !lastIsWhole ? one.startsWith(word) : one === word)),
    )
  const part = (text: string): number => {
    const all = text.split(' ')
    if (state !== undefined && !all.includes(`state:${state.toLowerCase()}`)) return 3
    const names = words.map(word => `name:${word}`)
    if (/^\d+$/.test(typed)) return has(all, words, false) ? 0 : 3
    return has(all, names, true) ? 0 : has(all, names, false) ? 1 : has(all, words, false) ? 2 : 3
  }
  const parts = people.map(({ id, words }) => ({ id, part: part(words) }))
  return [0, 1, 2].flatMap(wanted => parts.flatMap(one => (one.part === wanted ? [one.id] : [])).toReversed())
}

async function allPages(store: Store, filter: InboxFilter): Promise<number[]> {
  const ids: number[] = []
  for (let after: Position | undefined; ; ) {
    const { rows, next, similar } = await store.listInbox(filter, { after, limit: 200 })
    if (similar) return []
    ids.push(...rows.map(({ lead }) => lead.id))
    if (next === null) return ids
    after = next
  }
}

/** All of them are closed. */
async function aFullStore(t: TestContext, engine: Engine) {
  const { store, database } = await startStore(t, { engine })
  await store.accept(anArrival())
  for (let at = 0; at < MANY; at += 600) {
    const some = people.slice(at, at + 600)
    const rows = some.map(({ id }) => `(${id})`).join(', ')
    await sql(
      database,
      `with n (id) as (values ${rows}) insert into submissions
         (id, kind, received_at, key, fingerprint, email, answer, body, client_address)
       select n.id, kind, n.id, 'key ' || n.id, fingerprint, email, answer, body, client_address
       from submissions s cross join n where s.id = 1`,
    )
    await sql(
      database,
      `with n (id) as (values ${rows}) insert into leads
         (id, kind, stage, closed_reason, email, person_key, first_name, last_name, phone, created_at, updated_at)
       select n.id, 'student', 'closed', 'spam', email, email, 'A', 'B', '', n.id, n.id
       from submissions s cross join n where s.id = 1`,
    )
    await sql(
      database,
      `insert into lead_words (lead_id, words) values ${some.map(({ id, words }) => `(${id}, '${words}')`).join(', ')}`,
    )
  }
  return { store, database }
}

onEachEngine(engine => {
  describe('a search among thousands of leads', () => {
    test('finds what a look through all of them finds, in the order of its parts', async t => {
      const { store } = await aFullStore(t, engine)
      let found = 0
      for (const typed of [
        'ana',
        'an',
        'ana r',
        'ana roe',
        'maria ng',
        'maria nguyen',
        'xavier',
        'xavier ro',
        'ro xavier',
        'evening',
        'evening an',
        'hello mariana rowei',
        'p7 mail exam',
        'p1999 mail exam',
        '5125551',
        '5125551042',
        'ng evening ana',
        'sister ro',
        'sister xavier',
      ])
        for (const state of [undefined, 'TX']) {
          const expected = lookedThrough(typed, state)
          deepEqual(await allPages(store, { words: parseWords(typed), state }), expected, `${typed} ${state}`)
          found += expected.length
        }
      ok(found > MANY)
    })
  })

  describe('the tabs of the inbox', () => {
    test('count those who wrote back however old they are, each view up to the most', async t => {
      const { store, database } = await aFullStore(t, engine)
      await sql(database, `update leads set unanswered_since = id where id in (${APART}, ${2 * APART})`)
      const views: InboxFilter[] = [{ unanswered: true }, { stage: 'new' }, {}, { unanswered: true, owner: 'maria' }]
      const asked = { operatorId: 1, filter: {}, page: { limit: 1 }, today: '2026-11-21' }
      const { counts } = await store.readInboxPage({ ...asked, counted: views, most: 5 })
      deepEqual(counts, [2, 0, 5, 0])
    })
  })
})
