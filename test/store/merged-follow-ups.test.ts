/** What becomes of the follow-ups of two leads that are merged, and separated again. */
import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR } from '../../src/platform/time.ts'
import type { Task } from '../../src/store/tasks/tasks.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { EMAILS, mergeDesk } from './merge-desk.ts'

onEachEngine(engine => {
  describe('a merged lead', () => {
    test('goes on with one follow-up, and someone who is not emailed twice', async t => {
      const { store, merge, unmerge, twoLeads, due, database } = await mergeDesk(t, engine)
      await twoLeads()
      deepEqual(await due(2), ['notify 0', 'receipt 0', 'step 0', 'step 3'])
      equal(await merge(1, 2), 'done')
      const skipped = await sql(database, "select kind, subject, note from tasks where state = 'skipped'")
      deepEqual(
        skipped.map(({ kind, subject, note }) => [kind, Number(subject), note]),
        [['receipt', 2, 'merged with another lead of the same person']],
      )
      const { lead } = (await store.readFollowUp(2)) ?? {}
      deepEqual([lead?.stage, lead?.closedReason, lead?.mergedInto], ['closed', 'duplicate', 1])
      equal(await unmerge(2), 'done')
      deepEqual(await due(2), ['notify 0', 'receipt 0', 'step 0', 'step 3'])
    })

    test('takes over the follow-up of someone who waits if it has none, and gives it back', async t => {
      const { store, clock, write, merge, unmerge, due } = await mergeDesk(t, engine)
      await write({ followedUp: false })
      clock.advance(HOUR)
      await write({ email: EMAILS[1] })
      const plan = async (id: number) => (await store.readFollowUp(id))?.steps
      const theirs = await plan(2)
      equal(await plan(1), undefined)
      equal(await merge(1, 2), 'done')
      const taken = await store.readFollowUp(1)
      deepEqual(taken?.steps, theirs)
      equal(taken?.since, clock.now())
      equal(await unmerge(2), 'done')
      equal(await plan(1), undefined)
      deepEqual(await due(1), ['notify 0', 'receipt 0'])
      deepEqual(await plan(2), theirs)
    })

    test('keeps a follow-up that it took over if its own person has written since', async t => {
      for (const writer of [0, 1]) {
        const { store, clock, write, merge, unmerge } = await mergeDesk(t, engine)
        await write({ followedUp: false })
        await write({ email: EMAILS[1] })
        await merge(1, 2)
        clock.advance(HOUR)
        const writes = EMAILS[writer]
        await write({ email: writes })
        equal(await unmerge(2), 'done')
        const plans = []
        for (const id of [1, 2]) plans.push((await store.readFollowUp(id))?.steps.length ?? 0)
        deepEqual(plans, writer === 0 ? [2, 2] : [0, 2], `${writes} wrote`)
        await store.close()
      }
    })

    test('does not give back reminders that were sent for the other meanwhile', async t => {
      const { store, clock, write, merge, unmerge, due } = await mergeDesk(t, engine)
      await write({ followedUp: false })
      await write({ email: EMAILS[1] })
      await merge(1, 2)
      clock.advance(HOUR)
      const end = { state: 'done', note: null, name: 'Reminder' } as const
      const next = { step: 1, track: 'staff', dueAt: clock.now() + HOUR } as const
      for (const task of await store.claimTasks({ lane: 'follow-up', now: clock.now(), token: 'A', limit: 2 })) {
        const context = { track: 'staff', addressHashes: ['x'], hasPostalAddress: true } as const
        const start = { ...context, next: undefined, laterMessages: [], now: clock.now() }
        const outcome = await store.beginStep(task, start)
        equal(outcome, task.subject === 1 ? 'go' : 'skipped')
        if (outcome === 'go') await store.concludeStep(task, { ...end, next, now: clock.now() })
      }
      equal(await unmerge(2), 'done')
      equal(await store.readFollowUp(1), undefined)
      deepEqual(await due(1), ['notify 0', 'receipt 0'])
      deepEqual(await due(2), ['notify 0', 'receipt 0', 'step 0', 'step 3'])
    })

    test('gives its steps back even if the merge was recorded by a version whose tasks had other columns', async t => {
      const { store, database, clock, cadenceId, merge, unmerge, twoLeads } = await mergeDesk(t, engine)
      await twoLeads()
      const before = (await store.readFollowUp(1))?.steps
      const dueAt = clock.now() + 9 * HOUR
      const tracks = [{ steps: [0, 1, 2], underWay: [0, 1, 2], first: { step: 0, track: 'staff', dueAt } }] as const
      await sql(database, "update tasks set state = 'done' where kind = 'step' and subject = 1 and step = 0")
      const done = (await store.readFollowUp(1))?.steps
      equal(await merge(1, 2, { restarts: { cadenceId, tracks } }), 'done')
      notDeepEqual((await store.readFollowUp(1))?.steps, before)
      const [entry] = await sql(database, "select id, was from timeline where kind = 'merged'")
      const was = JSON.parse(String(entry?.['was']))
      for (const step of [...was.merge.stepsBefore, ...was.merge.stepsAfter])
        Object.assign(step, { id: 7, lease_token: null, dropped_since: 1 })
      await sql(database, `update timeline set was = '${JSON.stringify(was)}' where id = ${entry?.['id']}`)
      equal(await unmerge(2), 'done')
      deepEqual((await store.readFollowUp(1))?.steps, done)
    })

    test('takes over follow-up emails that it never had, if both go by one cadence', async t => {
      const { store, database, merge, unmerge, twoLeads, due } = await mergeDesk(t, engine)
      await twoLeads()
      // As for someone who was entered by the school after a call: reminders, but no emails.
      await sql(database, "delete from tasks where kind = 'step' and subject = 1 and step = 3")
      equal(await merge(1, 2), 'done')
      deepEqual(await due(1), ['notify 0', 'receipt 0', 'step 0', 'step 3'])
      equal(await unmerge(2), 'done')
      deepEqual(await due(1), ['notify 0', 'receipt 0', 'step 0'])
      await sql(database, 'update leads set cadence_id = null where id = 2')
      equal(await merge(1, 2), 'done')
      deepEqual(await due(1), ['notify 0', 'receipt 0', 'step 0'])
      equal((await store.findLead(1))?.stage, 'new')
    })

    test('stops the steps of the other', async t => {
      const { store, clock, merge, twoLeads } = await mergeDesk(t, engine)
      await twoLeads()
      await merge(1, 2)
      clock.advance(DAY)
      const tasks = await store.claimTasks({ lane: 'letters', now: clock.now(), token: 'A', limit: 2 })
      const context = { track: 'student', addressHashes: ['x'], hasPostalAddress: true } as const
      const began: Record<number, string> = {}
      for (const task of tasks)
        began[task.subject] = await store.beginStep(task as Task, {
          ...context,
          next: undefined,
          laterMessages: [],
          now: clock.now(),
        })
      deepEqual(began, { 1: 'go', 2: 'skipped' })
    })

    test('stops the steps of the other even if they were paused, and gives them back', async t => {
      const { store, clock, merge, unmerge, twoLeads, by, due } = await mergeDesk(t, engine)
      await twoLeads()
      await store.pauseLead(2, by())
      await merge(1, 2)
      clock.advance(DAY)
      const last = { next: undefined, laterMessages: [] }
      const context = { addressHashes: ['x'], hasPostalAddress: true, ...last, now: clock.now() }
      const began: string[] = []
      for (const [lane, track] of [
        ['follow-up', 'staff'],
        ['letters', 'student'],
      ] as const)
        for (const task of await store.claimTasks({ lane, now: clock.now(), token: 'A', limit: 2 }))
          if (task.subject === 2) began.push(await store.beginStep(task as Task, { ...context, track }))
      deepEqual(began, ['skipped', 'skipped'])
      equal(await unmerge(2), 'done')
      deepEqual(await due(2), ['notify 0', 'receipt 0', 'step 0', 'step 3'])
      ok((await store.findLead(2))?.pausedAt)
    })

    test('gives a callback back that was moved meanwhile, with the entry that its emails are about', async t => {
      const { store, merge, unmerge, twoLeads, by, clock } = await mergeDesk(t, engine)
      await twoLeads()
      const plan = { words: '', moment: 'soon', reminders: [], ...by() }
      await store.planCallback(2, { ...plan, dueAt: clock.now() + DAY })
      await merge(1, 2)
      const [callback] = await store.listCallbacks(1)
      await store.planCallback(1, { ...plan, callback: callback?.id, dueAt: clock.now() + 2 * DAY })
      equal(await unmerge(2), 'done')
      const [given] = await store.listCallbacks(2)
      equal((await store.readEntry(given?.entry ?? 0))?.leadId, 2)
    })

    test('that someone resumes is resumed for both when they are separated again', async t => {
      const { store, merge, unmerge, twoLeads, by, clock } = await mergeDesk(t, engine)
      await twoLeads()
      await store.pauseLead(2, by())
      await merge(1, 2)
      await store.resumeLead(1, { since: clock.now(), steps: [], ...by() })
      equal(await unmerge(2), 'done')
      deepEqual([(await store.findLead(1))?.pausedAt, (await store.findLead(2))?.pausedAt], [null, null])
    })

    test('that gives a lead of the team a counselor starts the reminders again for them', async t => {
      const { store, clock, cadenceId, twoLeads, merge, unmerge, by, database } = await mergeDesk(t, engine)
      await twoLeads()
      await store.assignLead(2, { owner: 'sam', ...by() })
      await store.changeStage(2, { stage: 'closed', closedReason: 'no reply', ...by() })
      clock.advance(HOUR)
      const dueAt = clock.now() + HOUR
      const tracks = [{ steps: [0, 1, 2], underWay: [0, 1, 2], first: { step: 0, track: 'staff', dueAt } }] as const
      const restarts = { cadenceId, tracks }
      equal(await merge(1, 2, { ...by('manager'), restarts }), 'done')
      const staffStep = async () => {
        const [step] = await sql(database, "select due_at from tasks where kind = 'step' and subject = 1 and step = 0")
        return Number(step?.['due_at'])
      }
      equal((await store.findLead(1))?.owner, 'sam')
      equal(await staffStep(), dueAt)
      clock.advance(1)
      equal(await unmerge(2), 'done')
      equal((await store.findLead(1))?.owner, null)
      ok((await staffStep()) < dueAt)
      // The team has a lead again, and learns it; so does the counselor of the other.
      const told = await sql(
        database,
        `select e.lead_id from tasks t join timeline e on e.id = t.subject
          where t.kind = 'news' and t.created_at = ${clock.now()} order by e.lead_id`,
      )
      deepEqual(
        told.map(({ lead_id }) => Number(lead_id)),
        [1, 2],
      )
    })
  })
})
