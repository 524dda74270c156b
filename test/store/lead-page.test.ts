import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { ben, contact, startSchool } from '../tasks/school.ts'

/** A school to which Ben has written three times. */
async function aBusyLead(t: TestContext, engine: Engine) {
  const service = await startSchool(t, { engine })
  const { store } = service.app
  for (const message of ['First', 'Second', 'Third']) {
    await service.postStudent(ben({ message, idempotencyKey: `key of ${message}` }))
    await service.settle()
    service.clock.advance(1000)
  }
  const read = (over: { submissions?: object; entries?: object } = {}) =>
    store.readLeadPage(1, {
      submissions: { limit: 2, ...over.submissions },
      entries: { limit: 100, ...over.entries },
      now: service.clock.now(),
      today: '2026-11-23',
    })
  return { ...service, store, read }
}

onEachEngine(engine => {
  describe('what the page of a lead reads', () => {
    test('is its newest submissions, and an earlier one to compare them with', async t => {
      const { read } = await aBusyLead(t, engine)
      const page = await read()
      ok(page)
      const messages = page.submissions.map(({ submission }) => submission.body.message)
      deepEqual(messages, ['Third', 'Second'])
      equal(page.submissionsBefore[0]?.body.message, 'First')
      equal(page.submissionCount, 3)
      const older = await read({ submissions: { before: page.submissions.at(-1)?.entry } })
      deepEqual(
        older?.submissions.map(({ submission }) => submission.body.message),
        ['First'],
      )
      deepEqual(older?.submissionsBefore, [])
    })

    test('is its newest entries, each with the email that it is about', async t => {
      const { read, store, clock } = await aBusyLead(t, engine)
      await store.writeMessage(1, {
        subject: 'Hello',
        text: 'Hello',
        answers: undefined,
        reached: false,
        token: 'one',
        dueAt: clock.now() + 1,
        actor: 'maria',
        now: clock.now(),
      })
      const page = await read()
      ok(page)
      equal(page.entryCount, page.timeline.length)
      equal(page.version, page.timeline[0]?.id)
      const states = page.mails.map(({ kind, state }) => `${kind} ${state}`)
      const count = (one: string) => states.filter(state => state === one).length
      equal(count('notify done'), 3)
      equal(count('receipt done'), 1)
      equal(count('message due'), 1)
      ok(count('step due') > 0)
      const entries = await read({ entries: { limit: 2, before: page.timeline[0]?.id } })
      deepEqual(
        entries?.timeline.map(({ id }) => id),
        page.timeline.slice(1, 3).map(({ id }) => id),
      )
    })

    test('is nothing for a lead that does not exist', async t => {
      const { store } = await aBusyLead(t, engine)
      const range = { submissions: { limit: 1 }, entries: { limit: 1 }, now: 0, today: '2026-11-23' }
      equal(await store.readLeadPage(99, range), undefined)
    })
  })

  test('a person who still sees a lead as it was learns what others did since', async t => {
    const service = await aBusyLead(t, engine)
    const { store, clock } = service
    const { version = 0 } = (await service.read()) ?? {}
    const since = (actor: string) => store.readChangesSince(1, { seen: version, actor })
    deepEqual(await since('sam'), [])
    await contact(service)
    await store.addNote(1, { text: 'A note', actor: 'maria', now: clock.now() })
    deepEqual(
      (await since('sam')).map(({ kind, actor }) => [kind, actor]),
      [['stage', 'maria']],
    )
    deepEqual(await since('maria'), [])
  })
})
