/** Pauses that end by themselves, in the whole service. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { onEachEngine, sql } from '../support/engines.ts'
import { aSchool, at, ben, MONDAY, readLead, startSchool, stepsIn, timelineOf } from './school.ts'

onEachEngine(engine => {
  describe('a follow-up that is paused until a moment', () => {
    test('resumes then, and the counselor is reminded to call again', async t => {
      const school = await startSchool(t, { engine, settings: aSchool })
      const { store } = school.app
      await school.postStudent(ben())
      await school.settle()
      const end = { until: at('11-25 17:00'), words: 'until Wednesday' }
      equal((await store.pauseLead(1, { end, actor: 'maria', now: MONDAY })).outcome, 'done')
      equal((await store.pauseLead(1, { end, actor: 'maria', now: MONDAY })).outcome, 'before')
      await school.until('11-25 16:59')
      deepEqual(stepsIn(school.diary()), [])
      await school.until('11-25 17:03')
      const message = school.sent.at(-1)
      deepEqual([message?.to.address, message?.subject], ['maria@school.example', 'Call again today: Ben Okafor'])
      match(message?.text ?? '', /paused until now by Maria Example/)
      const { lead } = await readLead(school)
      deepEqual([lead.pausedAt, lead.pausedUntil], [null, null])
      await school.until('11-25 17:05')
      deepEqual(stepsIn(school.diary()), ['11-25 17:05 maria step.1.0'])
      deepEqual(await timelineOf(school, 'paused', 'resumed'), ['paused until Wednesday maria', 'resumed'])
    })

    test('keeps to the end that was named last, also after a restart', async t => {
      const school = await startSchool(t, { engine, settings: aSchool })
      await school.postStudent(ben())
      await school.settle()
      for (const until of [at('11-24 15:00'), at('11-26 15:00')])
        await school.app.store.pauseLead(1, { end: { until, words: '' }, actor: null, now: MONDAY })
      await school.close()
      const { database, dataDir, clock } = school
      const later = await startSchool(t, { settings: aSchool, database, dataDir, clock })
      await later.until('11-26 14:59')
      equal(later.sent.length, 0)
      await later.until('11-26 15:01')
      deepEqual(
        later.sent.map(({ subject }) => subject),
        ['Call again today: Ben Okafor'],
      )
    })

    test('that was resumed or closed before says nothing at its end', async t => {
      const school = await startSchool(t, { engine, settings: aSchool })
      const { store } = school.app
      await school.postStudent(ben())
      await school.postStudent(ben({ email: 'cleo@mail.example' }))
      await school.settle()
      const end = { until: at('11-24 15:00'), words: '' }
      for (const id of [1, 2]) await store.pauseLead(id, { end, actor: null, now: MONDAY })
      const [task] = await sql(school.database, `select id from tasks where kind = 'resume'`)
      equal(await store.readMail(Number(task?.['id'])), undefined)
      await school.resume(1)
      const closed = { stage: 'closed', closedReason: 'not interested' } as const
      await store.changeStage(2, { ...closed, actor: null, now: MONDAY })
      await school.until('11-24 15:01')
      equal(school.sent.filter(({ subject }) => subject.startsWith('Call again')).length, 0)
      equal((await readLead(school, 2)).lead.pausedAt, null)
    })
  })
})
