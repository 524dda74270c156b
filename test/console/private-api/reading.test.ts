/** Reading by the private API: lists, a lead with its history, and what has changed since. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aSite } from '../../support/bodies.ts'
import { testClock } from '../../support/clock.ts'
import { startConsole } from '../../support/console.ts'
import { type Engine, onEachEngine, sql } from '../../support/engines.ts'
import { aSchool, ben, MONDAY } from '../../tasks/school.ts'
import { apiClient, detailOf, idsIn, makeToken } from './api-client.ts'

async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
  const admin = await service.client('admin')
  const api = apiClient(service, await makeToken(admin, { scopes: ['leads:read'] }))
  const { store } = service.app
  const writes = async (...bodies: ReturnType<typeof ben>[]) => {
    for (const body of bodies) {
      await service.postStudent(body)
      await service.settle()
    }
  }
  return { ...service, admin, api, store, writes }
}

const person = (name: string) => ben({ email: `${name}@mail.example`, firstName: name, idempotencyKey: name })

onEachEngine(engine => {
  describe('a list', () => {
    test('tells of leads in the words of the webhooks, the newest first', async t => {
      const { api, writes, postSite, settle } = await aDesk(t, engine)
      await writes(ben())
      await postSite(aSite())
      await settle()
      const { body } = await api.get('/leads')
      const [site, student] = body['leads'] as Record<string, unknown>[]
      equal(site?.['kind'], 'site')
      equal(student?.['email'], 'ben@mail.example')
      equal(student?.['stage'], 'new')
      match(String(student?.['url']), /\/leads\/1$/)
      ok('programs' in (student ?? {}) && 'message' in (student ?? {}))
      equal(body['next'], null)
    })

    test('continues where it ended, and neither repeats nor leaves out a lead', async t => {
      const { api, writes } = await aDesk(t, engine)
      await writes(...['ada', 'bea', 'cem', 'dov', 'eli'].map(person))
      const found: number[] = []
      let path: string | undefined = '/leads?limit=2'
      let pages = 0
      while (path !== undefined) {
        const response = await api.get(path)
        found.push(...(response.body['leads'] as { id: number }[]).map(({ id }) => id))
        const next = response.body['next']
        path = next === null ? undefined : `/leads?limit=2&cursor=${next}`
        pages++
      }
      deepEqual(found, [5, 4, 3, 2, 1])
      equal(pages, 3)
    })

    test('accepts the filters of the inbox, and includes closed leads unless the request leaves them out', async t => {
      const { api, writes, store } = await aDesk(t, engine)
      await writes(...['ada', 'bea', 'cem'].map(person))
      await store.changeStage(2, { stage: 'closed', closedReason: 'spam', actor: null, now: MONDAY })
      await store.changeStage(3, { stage: 'qualified', closedReason: null, actor: null, now: MONDAY })
      const ids = async (query: string) => idsIn(await api.get(`/leads?${query}`))
      deepEqual(await ids(''), [1, 2, 3])
      deepEqual(await ids('stage=open'), [1, 3])
      deepEqual(await ids('stage=qualified&kind=student'), [3])
      deepEqual(await ids('kind=site'), [])
      deepEqual(await ids('q=bea'), [2])
      equal(detailOf(await api.get('/leads?q=%25%25')), 'q must be a text with letters or digits')
      deepEqual(await ids('since=2026-11-24'), [])
      deepEqual(await ids('who=maria&stage=any&until=2026-11-23'), await ids('who=maria'))
    })

    test('finds the leads of exactly one address, and offers no similar names', async t => {
      const { api, writes } = await aDesk(t, engine)
      await writes(person('ada'), person('adam'))
      deepEqual(idsIn(await api.get('/leads?email=ADA@mail.example')), [1])
      deepEqual(idsIn(await api.get('/leads?email=nobody@mail.example')), [])
      deepEqual(idsIn(await api.get('/leads?q=adaam')), [])
    })

    test('rejects what makes no sense, with what to send', async t => {
      const { api } = await aDesk(t, engine)
      const sentence = async (query: string) => {
        const response = await api.get(`/leads?${query}`)
        equal(response.status, 400, query)
        return detailOf(response)
      }
      match(await sentence('stage=enroled'), /^stage must be one of new, contacted/)
      match(await sentence('since=yesterday'), /^since must be a day, such as/)
      match(await sentence('tag=fair'), /^tag must be a whole number$/)
      match(await sentence('limit=1000'), /^limit must be a whole number from 1 to 100$/)
      match(await sentence('cursor=x'), /^cursor must be the value of next in an earlier response$/)
      match(await sentence('email=ben'), /^email must be an email address$/)
      match(await sentence('email=ben@mail.example&stage=new'), /^email cannot be combined with another filter/)
    })
  })

  describe('a lead', () => {
    test('comes with its inquiries and its timeline; the audit log says which program read it', async t => {
      const { api, writes, store } = await aDesk(t, engine)
      await writes(ben({ message: 'Is there a class in the evening?' }))
      await store.addNote(1, { text: 'Prefers evenings', actor: 'maria', now: MONDAY })
      const { body } = await api.get('/leads/1')
      const lead = body['lead'] as Record<string, unknown>
      equal(lead['message'], 'Is there a class in the evening?')
      const [inquiry] = body['inquiries'] as { id: number; fields: Record<string, unknown>; answers: unknown[] }[]
      equal(inquiry?.fields['email'], 'ben@mail.example')
      deepEqual(inquiry?.answers, [])
      const timeline = body['timeline'] as Record<string, unknown>[]
      equal(timeline[0]?.['kind'], 'submission')
      const note = timeline.find(({ kind }) => kind === 'note')
      deepEqual([note?.['text'], note?.['by']], ['Prefers evenings', 'Maria Example'])
      const [entry] = await store.listAudit({ limit: 1 })
      deepEqual([entry?.actor, entry?.action, entry?.leadId], ['Records (token)', 'opened', 1])
    })

    test('that was merged into another is that one', async t => {
      const { api, writes, store } = await aDesk(t, engine)
      await writes(person('ada'), person('bea'))
      await store.mergeLeads(1, { other: 2, actor: null, now: MONDAY })
      const { body } = await api.get('/leads/2')
      equal((body['lead'] as { id: number }).id, 1)
    })
  })

  describe('what has changed', () => {
    test('begins with only a cursor, and then names each lead that something happened to', async t => {
      const { api, writes, store } = await aDesk(t, engine)
      await writes(person('ada'), person('bea'))
      const start = await api.get('/changes')
      deepEqual([start.body['leads'], start.body['more']], [[], false])
      const since = (cursor: unknown) => api.get(`/changes?cursor=${cursor}`)
      deepEqual(idsIn(await since(start.body['cursor'])), [])
      await store.addNote(2, { text: 'Hello', actor: null, now: MONDAY })
      await writes(person('cem'))
      const first = await since(start.body['cursor'])
      deepEqual(idsIn(first), [2, 3])
      deepEqual(idsIn(await since(start.body['cursor'])), [2, 3], 'asking again loses nothing')
      const none = await since(first.body['cursor'])
      deepEqual(idsIn(none), [])
      await store.changeStage(1, { stage: 'qualified', closedReason: null, actor: null, now: MONDAY })
      const [lead] = (await since(none.body['cursor'])).body['leads'] as Record<string, unknown>[]
      deepEqual([lead?.['id'], lead?.['stage']], [1, 'qualified'])
    })

    test('includes a lead that was merged into another, and leaves out one that was erased', async t => {
      const { api, writes, store } = await aDesk(t, engine)
      await writes(person('ada'), person('bea'), person('cem'))
      const { cursor } = (await api.get('/changes')).body
      await store.mergeLeads(1, { other: 2, actor: null, now: MONDAY })
      await store.addNote(3, { text: 'Hello', actor: null, now: MONDAY })
      await store.erasePerson('cem@mail.example', { now: MONDAY, askedBy: 'a test', reason: 'asked' } as never)
      const { leads } = (await api.get(`/changes?cursor=${cursor}`)).body
      deepEqual(
        (leads as Record<string, unknown>[]).map(({ id, mergedInto }) => [id, mergedInto]),
        [
          [1, null],
          [2, 1],
        ],
      )
      match(detailOf(await api.get('/changes?cursor=yesterday')), /^cursor must be the cursor of/)
    })

    test('asks a program to begin again after a backup was restored', async t => {
      const { api, writes, database } = await aDesk(t, engine)
      await writes(person('ada'))
      const { cursor } = (await api.get('/changes')).body
      await sql(database, 'update timeline set at = at + 1')
      const { status, body } = await api.get(`/changes?cursor=${cursor}`)
      deepEqual([status, body['title']], [410, 'Gone'])
      match(String(body['detail']), /^The school has restored a backup/)
    })

    test('stands in the audit log only if there was something to read', async t => {
      const { api, writes, store, admin } = await aDesk(t, engine)
      const { cursor } = (await api.get('/changes')).body
      await api.get(`/changes?cursor=${cursor}`)
      await writes(person('ada'), person('bea'))
      await api.get(`/changes?cursor=${cursor}`)
      const entries = (await store.listAudit({ limit: 10 })).filter(({ actor }) => actor === 'Records (token)')
      deepEqual(
        entries.map(({ action, detail }) => [action, detail]),
        [['read leads', '1, 2']],
      )
      const { text } = await admin.get('/audit')
      match(text, /Records \(token\)<\/td><td>read leads/)
      doesNotMatch(text, /ada@mail/)
    })
  })

  test('the counselors are those who can be assigned leads', async t => {
    const { api } = await aDesk(t, engine)
    deepEqual((await api.get('/counselors')).body['counselors'], [
      { id: 'maria', name: 'Maria Example' },
      { id: 'sam', name: 'Sam Example' },
      { id: 'manager', name: 'Dana Example (manager)' },
    ])
  })
})
