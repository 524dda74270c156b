/** Changing leads by the private API: the verbs of the console, in the name of the token. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aSite } from '../../support/bodies.ts'
import { testClock } from '../../support/clock.ts'
import { startConsole } from '../../support/console.ts'
import { type Engine, onEachEngine } from '../../support/engines.ts'
import { aSchool, ben, MONDAY } from '../../tasks/school.ts'
import { apiClient, detailOf, makeToken } from './api-client.ts'

async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
  const admin = await service.client('admin')
  const api = apiClient(service, await makeToken(admin))
  await service.postStudent(ben())
  await service.settle()
  const { store } = service.app
  const deeds = async () =>
    (await store.listAudit({ leadId: 1, limit: 20 })).map(({ actor, action, detail }) => [actor, action, detail])
  const timeline = async () => ((await store.readLead(1))?.timeline ?? []).map(({ kind, actor }) => [kind, actor])
  return { ...service, admin, api, store, deeds, timeline }
}

const BY = 'Records (token)'

onEachEngine(engine => {
  describe('the stage of a lead', () => {
    test('changes as in the console: with an entry of each log that names the token, and reminders stop', async t => {
      const { api, store, deeds, timeline } = await aDesk(t, engine)
      const { status, body } = await api.post('/leads/1/stage', { stage: 'applied' })
      equal(status, 200)
      equal(body['changed'], true)
      const lead = body['lead'] as Record<string, unknown>
      deepEqual([lead['id'], lead['stage'], lead['email']], [1, 'applied', undefined])
      deepEqual(await deeds(), [[BY, 'changed', 'moved: applied']])
      deepEqual((await timeline()).at(-1), ['stage', BY])
      equal((await store.findLead(1))?.firstContactAt, MONDAY)
      const reminders = (await store.listInbox({ stage: 'any' }, { limit: 1 })).rows[0]?.next
      equal(reminders, undefined)
    })

    test('changes once, however often the request comes', async t => {
      const { api, deeds } = await aDesk(t, engine)
      const both = await Promise.all([1, 2].map(() => api.post('/leads/1/stage', { stage: 'applied' })))
      deepEqual(
        both.map(({ status }) => status),
        [200, 200],
      )
      deepEqual(both.map(({ body }) => body['changed']).toSorted(), [false, true])
      equal((await deeds()).length, 1)
    })

    test('stays if it is not in from, and the response says so', async t => {
      const { api, store } = await aDesk(t, engine)
      const refused = await api.post('/leads/1/stage', { stage: 'enrolled', from: ['applied'] })
      equal(refused.status, 409)
      match(detailOf(refused), /the stage of the lead is new/)
      equal((await store.findLead(1))?.stage, 'new')
      equal((await api.post('/leads/1/stage', { stage: 'enrolled', from: ['new', 'applied'] })).status, 200)
      const again = await api.post('/leads/1/stage', { stage: 'enrolled', from: ['new', 'applied'] })
      deepEqual([again.status, again.body['changed']], [200, false])
    })

    test('closed needs a reason that people may choose, and opens again unless the person has another open lead', async t => {
      const { api, store, postStudent, settle } = await aDesk(t, engine)
      match(detailOf(await api.post('/leads/1/stage', { stage: 'closed' })), /^A lead is closed for a reason/)
      match(
        detailOf(await api.post('/leads/1/stage', { stage: 'closed', reason: 'no reply' })),
        /^reason must be one of/,
      )
      match(detailOf(await api.post('/leads/1/stage', { stage: 'new', reason: 'spam' })), /^reason is only for/)
      equal((await api.post('/leads/1/stage', { stage: 'closed', reason: 'not interested' })).status, 200)
      equal((await store.findLead(1))?.closedReason, 'not interested')
      await postStudent(ben({ message: 'Once more', idempotencyKey: 'again' }))
      await settle()
      const open = await api.post('/leads/1/stage', { stage: 'qualified' })
      equal(open.status, 409)
      match(detailOf(open), /another open lead/)
    })

    test('must be one of its kind', async t => {
      const { api, postSite, settle } = await aDesk(t, engine)
      await postSite(aSite())
      await settle()
      match(detailOf(await api.post('/leads/2/stage', { stage: 'enrolled' })), /^stage must be one of new, .*a site$/)
      const wrong = await api.post('/leads/1/stage', { stage: 'reached', form: 'new' })
      match(detailOf(wrong), /^stage must be one of new, .*; form is not known here$/)
      match(detailOf(await api.post('/leads/1/stage', {})), /^stage must be one of/)
    })
  })

  describe('a note', () => {
    test('stands in the timeline in the name of the token, once for a request that is repeated', async t => {
      const { api, store, deeds } = await aDesk(t, engine)
      equal((await api.post('/leads/1/notes', { text: 'Paid the deposit' })).body['changed'], true)
      equal((await api.post('/leads/1/notes', { text: 'Paid the deposit' })).body['changed'], false)
      const notes = ((await store.readLead(1))?.timeline ?? []).filter(({ kind }) => kind === 'note')
      deepEqual(
        notes.map(({ detail, actor }) => [detail, actor]),
        [['Paid the deposit', BY]],
      )
      deepEqual(await deeds(), [[BY, 'changed', 'note']])
    })

    test('must be text that can be stored', async t => {
      const { api } = await aDesk(t, engine)
      const problem = async (text: unknown) => {
        const response = await api.post('/leads/1/notes', { text })
        equal(response.status, 400)
        return detailOf(response)
      }
      equal(await problem(' '), 'The note must not be empty.')
      equal(await problem(7), 'text must be text')
      equal(await problem('a\0b'), 'text must be text')
      match(await problem('a'.repeat(1501)), /at most 1500 characters/)
    })
  })

  describe('an assignment', () => {
    test('gives the lead to a counselor, who is notified, or to the team', async t => {
      const { api, store, deeds, sent, settle } = await aDesk(t, engine)
      const { owner } = (await store.findLead(1)) ?? {}
      const other = owner === 'sam' ? 'maria' : 'sam'
      const before = sent.length
      const { body } = await api.post('/leads/1/counselor', { counselor: other })
      equal((body['lead'] as Record<string, unknown>)['counselor'], other)
      await settle()
      equal(
        sent.slice(before).some(({ to }) => JSON.stringify(to).includes(`${other}@school.example`)),
        true,
      )
      equal((await api.post('/leads/1/counselor', { counselor: other })).body['changed'], false)
      equal((await api.post('/leads/1/counselor', { counselor: null })).body['changed'], true)
      equal((await store.findLead(1))?.owner, null)
      deepEqual(await deeds(), [
        [BY, 'changed', 'assign'],
        [BY, 'changed', 'assign'],
      ])
    })

    test('goes to no one who is not on the team', async t => {
      const { api } = await aDesk(t, engine)
      const unknown = await api.post('/leads/1/counselor', { counselor: 'eve' })
      equal(unknown.status, 400)
      match(detailOf(unknown), /^counselor must be one of maria, sam, manager, or null for the team$/)
      match(detailOf(await api.post('/leads/1/counselor', {})), /^counselor must be text, or null$/)
    })
  })
})
