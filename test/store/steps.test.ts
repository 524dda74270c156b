import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { defaultSettings } from '../../src/config/settings.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import type { StepContext } from '../../src/store/follow-up/claimed-steps.ts'
import type { Store } from '../../src/store/store.ts'
import { LEASE, type Task } from '../../src/store/tasks/tasks.ts'
import type { TestClock } from '../support/clock.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { aFiling, anArrival, noStaff, someDigest, startStore } from '../support/store.ts'

const claim = async (store: Store, clock: TestClock, token = 'A'): Promise<Task | undefined> =>
  (await store.claimTasks({ lane: 'letters', now: clock.now(), token, limit: 1 }))[0]

/** A lead with a follow-up email that is due, claimed by A; the next one comes after a day. */
async function aDueLetter(t: TestContext, engine: Engine) {
  const started = await startStore(t, { engine })
  const { store, clock } = started
  const now = clock.now()
  await store.accept(anArrival())
  const tasks = await store.claimTasks({ lane: 'filing', now, token: 'A', limit: 1 })
  const cadenceId = await store.getOrCreateCadence('student', defaultSettings.followUp.student, now)
  const enrolment = { cadenceId, since: now, firstSteps: [{ step: 3, track: 'student', dueAt: now }] } as const
  const terms = { now, quarantine: { days: 30, capacity: 10 }, digest: someDigest, staffing: noStaff }
  await store.fileSubmissions(tasks, [aFiling(1, { cadenceStart: enrolment })], terms)
  await store.finishTasks(tasks, now)
  const task = await claim(store, clock)
  ok(task)
  const stepContext = (over: Partial<StepContext> = {}): StepContext => ({
    track: 'student',
    addressHashes: ['hash 1'],
    hasPostalAddress: true,
    now: clock.now(),
    next: { step: 4, track: 'student' as const, dueAt: clock.now() + DAY },
    laterMessages: [4, 5],
    ...over,
  })
  const steps = async () =>
    ((await store.readFollowUp(1))?.steps ?? []).map(({ step, state, note }) =>
      [step, state, note].filter(part => part !== null).join(' '),
    )
  return { ...started, task, stepContext, steps }
}

const contacted = { stage: 'contacted', closedReason: null, actor: null }

onEachEngine(engine => {
  describe('beginning a step', () => {
    test('holds the claim for another lease if nothing stops it', async t => {
      const { store, clock, task, stepContext } = await aDueLetter(t, engine)
      clock.advance(LEASE - 1)
      equal(await store.beginStep(task, stepContext()), 'go')
      clock.advance(LEASE - 1)
      equal(await claim(store, clock, 'B'), undefined)
      clock.advance(1)
      const again = await claim(store, clock, 'B')
      // The message has the moment at which it was begun, so it is the same on every attempt.
      equal(again?.begun_at, task.created_at + LEASE - 1)
      equal(await store.beginStep(again as Task, stepContext()), 'go')
      clock.advance(LEASE)
      equal((await claim(store, clock, 'C'))?.begun_at, again?.begun_at)
    })

    test('is skipped, and opens the next, if someone was quicker', async t => {
      const { store, clock, task, stepContext, steps } = await aDueLetter(t, engine)
      await store.changeStage(1, { ...contacted, now: clock.now() })
      equal(await store.beginStep(task, stepContext()), 'skipped')
      deepEqual(await steps(), ['3 skipped the lead is reached', '4 due'])
      equal(await store.beginStep(task, stepContext()), 'lost')
    })

    test('asks for every reason there is', async t => {
      const reasons: [string, (store: Store, now: number) => Promise<unknown>][] = [
        [
          'the student has unsubscribed',
          (store, now) => store.stopFollowUpEmails(1, { addressHash: 'hash 1', reason: 'unsubscribed', now }),
        ],
        [
          'the owner of the address did not write to us',
          (store, now) => store.stopFollowUpEmails(0, { addressHash: 'hash 1', reason: 'not me', now }),
        ],
        [
          'the student has replied',
          async (store, now) => {
            await store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
            const event = { kind: 'reply', detail: '', tell: false } as const
            const effect = { leadId: 1, event, suppression: null }
            await store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: 1, effect }, now)
          },
        ],
      ]
      for (const [reason, happens] of reasons) {
        const { store, clock, task, stepContext, steps } = await aDueLetter(t, engine)
        await happens(store, clock.now())
        equal(await store.beginStep(task, stepContext()), 'skipped')
        equal((await steps())[0], `3 skipped ${reason}`)
      }
      const { store, task, stepContext, steps } = await aDueLetter(t, engine)
      equal(await store.beginStep(task, stepContext({ hasPostalAddress: false })), 'skipped')
      equal((await steps())[0], '3 skipped the settings have no postal address')
    })

    test('is postponed if its lead is paused, and opens nothing', async t => {
      const { store, clock, task, stepContext, steps } = await aDueLetter(t, engine)
      await store.pauseLead(1, { actor: null, now: clock.now() })
      equal(await store.beginStep(task, stepContext()), 'paused')
      deepEqual(await steps(), ['3 due paused'])
      equal(await claim(store, clock), undefined)
      await store.resumeLead(1, {
        since: 5,
        steps: [
          { step: 3, dueAt: clock.now() + HOUR },
          { step: 9, dueAt: 0 },
        ],
        actor: null,
        now: clock.now(),
      })
      deepEqual(await steps(), ['3 due'])
      equal((await store.readFollowUp(1))?.since, 5)
      clock.advance(HOUR)
      equal((await claim(store, clock))?.step, 3)
    })

    test('that was claimed before its lead was resumed follows the new moment, not the old one', async t => {
      const { store, clock, task, stepContext, steps } = await aDueLetter(t, engine)
      const now = clock.now()
      await store.pauseLead(1, { actor: null, now })
      const plan = { since: 5, steps: [{ step: 3, dueAt: now + HOUR }] }
      await store.resumeLead(1, { ...plan, actor: null, now })
      equal(await store.beginStep(task, stepContext()), 'lost')
      equal(await store.postponeTask(task, { dueAt: now + 1, note: 'later', now, countsAsAttempt: false }), false)
      equal(await claim(store, clock), undefined)
      deepEqual(await steps(), ['3 due'])
    })

    test('that someone else has claimed since changes nothing', async t => {
      const { store, clock, task, stepContext, steps } = await aDueLetter(t, engine)
      clock.advance(LEASE)
      const held = await claim(store, clock, 'B')
      await store.changeStage(1, { ...contacted, now: clock.now() })
      equal(await store.beginStep(task, stepContext()), 'lost')
      deepEqual(await steps(), ['3 due'])
      equal(await store.beginStep(held as Task, stepContext()), 'skipped')
    })

    test('and contact at the same moment have one result: no follow-up email after contact', async t => {
      const { store, clock, task, stepContext, database, steps } = await aDueLetter(t, engine)
      const other = await startStore(t, { database, clock })
      const [begun, moved] = await Promise.all([
        store.beginStep(task, stepContext()),
        other.store.changeStage(1, { ...contacted, now: clock.now() }),
      ])
      equal(moved.outcome, 'done')
      equal((await steps())[0], begun === 'go' ? '3 due' : '3 skipped the lead is reached')
    })
  })

  describe('concluding a step', () => {
    const end = { state: 'done', note: null, name: 'day-1' } as const

    test('notes what was sent, and opens the next, once', async t => {
      const { store, clock, task, stepContext, steps } = await aDueLetter(t, engine)
      await store.beginStep(task, stepContext())
      equal(await store.concludeStep(task, { ...end, ...stepContext() }), true)
      equal(await store.concludeStep(task, { ...end, ...stepContext() }), false)
      deepEqual(await steps(), ['3 done', '4 due'])
      const emails = (await store.readLead(1))?.timeline.filter(({ kind }) => kind === 'email')
      deepEqual(
        emails?.map(({ detail, at }) => [detail, at]),
        [['day-1', clock.now()]],
      )
    })

    test('opens the next even where it was given up, which is not noted as sent', async t => {
      const { store, task, stepContext, steps } = await aDueLetter(t, engine)
      const dead = { ...end, state: 'dead', note: '550 no' } as const
      equal(await store.concludeStep(task, { ...dead, ...stepContext() }), true)
      deepEqual(await steps(), ['3 dead 550 no', '4 due'])
      equal((await store.readLead(1))?.timeline.length, 1)
    })

    test('whose track began again meanwhile notes what was sent, and leaves the new steps alone', async t => {
      const { store, clock, task, stepContext, steps } = await aDueLetter(t, engine)
      await store.beginStep(task, stepContext())
      const first = { step: 3, track: 'student' as const, dueAt: clock.now() + HOUR }
      const restart = { steps: [3, 4, 5], underWay: [3, 4, 5], first }
      await store.assignLead(1, { owner: 'maria', restart, actor: 'tom', now: clock.now() })
      equal(await store.concludeStep(task, { ...end, ...stepContext() }), true)
      deepEqual(await steps(), ['3 due'])
      const last = (await store.readLead(1))?.timeline.at(-1)
      deepEqual([last?.kind, last?.detail], ['email', 'day-1'])
    })

    test('by a worker that no longer holds the claim changes nothing', async t => {
      const { store, clock, task, stepContext, steps } = await aDueLetter(t, engine)
      clock.advance(LEASE)
      await claim(store, clock, 'B')
      equal(await store.concludeStep(task, { ...end, ...stepContext() }), false)
      deepEqual(await steps(), ['3 due'])
      equal((await store.readLead(1))?.timeline.length, 1)
    })
  })

  describe('the end of a cadence', () => {
    const closing = async (t: TestContext) => {
      const started = await aDueLetter(t, engine)
      const { store, clock } = started
      const lastCall = { morning: { day: 20261124, at: clock.now() + HOUR }, closingAt: clock.now() + 25 * HOUR }
      const close = (task = started.task) =>
        store.closeUnanswered(task, { ...started.stepContext({ track: 'end', next: undefined }), lastCall })
      const lead = async () => (await started.store.readLead(1))?.lead
      const call = () => store.recordCall(1, { outcome: 'no answer', note: '', actor: 'maria', now: clock.now() })
      return { ...started, lastCall, close, lead, call }
    }

    test('closes a lead that no one has reached, once', async t => {
      const { store, close, lead, steps, call } = await closing(t)
      await call()
      await close()
      await close()
      deepEqual([(await lead())?.stage, (await lead())?.closedReason], ['closed', 'no reply'])
      const stages = (await store.readLead(1))?.timeline.filter(({ kind }) => kind === 'stage')
      deepEqual(
        stages?.map(({ detail, actor }) => [detail, actor]),
        [['closed: no reply', null]],
      )
      deepEqual(await steps(), ['3 done'])
    })

    test('leaves a lead open that was reached, has answered, or is paused', async t => {
      const reached = await closing(t)
      await reached.store.changeStage(1, { ...contacted, now: 1 })
      await reached.close()
      equal((await reached.lead())?.stage, 'contacted')
      deepEqual(await reached.steps(), ['3 skipped the lead is reached'])

      const resting = await closing(t)
      await resting.store.pauseLead(1, { actor: null, now: 1 })
      await resting.close()
      equal((await resting.lead())?.stage, 'new')
      deepEqual(await resting.steps(), ['3 due paused'])
    })

    test('says why where the address was of no use', async t => {
      for (const [reason, closed] of [
        ['bounced', 'unreachable'],
        ['not me', 'unreachable'],
        ['unsubscribed', 'unsubscribed'],
        ['complaint', 'unsubscribed'],
      ] as const) {
        const { store, close, lead, call } = await closing(t)
        await call()
        await store.stopFollowUpEmails(0, { addressHash: 'hash 1', reason, now: 1 })
        await close()
        equal((await lead())?.closedReason, closed)
      }
    })

    test('tells someone before it closes a lead that no one has tried to reach', async t => {
      const { store, clock, lastCall, close, lead, steps, database } = await closing(t)
      await store.stopFollowUpEmails(0, { addressHash: 'hash 1', reason: 'bounced', now: 1 })
      await close()
      equal((await lead())?.stage, 'new')
      deepEqual(await steps(), [`3 due no one has tried to reach them: the manager is notified first`])
      const mails = async () =>
        (await sql(database, `select subject, step, due_at from tasks where kind = 'unattended'`)).map(row =>
          Object.values(row).map(Number),
        )
      deepEqual(await mails(), [[20261124, 0, lastCall.morning.at]])
      const { closing: named } = await store.readUnattended({
        kind: 'student',
        waitingSince: 0,
        unansweredSince: 0,
        limit: 9,
      })
      deepEqual(
        named.leads.map(({ lead, closingAt }) => [lead.id, closingAt]),
        [[1, lastCall.closingAt]],
      )

      clock.advance(25 * HOUR)
      const again = await claim(store, clock, 'B')
      lastCall.morning = { day: 20261125, at: clock.now() + HOUR }
      await close(again as Task)
      equal((await lead())?.closedReason, 'never contacted')
      equal((await mails()).length, 2)
      const found = await store.readUnattended({ kind: 'student', waitingSince: 0, unansweredSince: 0, limit: 9 })
      deepEqual([found.closing.total, found.closed.leads.map(({ lead }) => lead.id)], [0, [1]])
    })

    test('counts a call and a change of stage as an attempt, neither a note nor who has the lead', async t => {
      const now = 1
      const tried = async (act: (store: Store) => Promise<unknown>) => {
        const { store } = await closing(t)
        await act(store)
        return (await store.readFollowUp(1))?.tried
      }
      const by = { actor: 'maria', now }
      equal(await tried(store => store.recordCall(1, { outcome: 'no answer', note: '', ...by })), true)
      equal(
        await tried(async store => {
          await store.changeStage(1, { ...contacted, ...by })
          await store.changeStage(1, { stage: 'new', closedReason: null, ...by })
        }),
        true,
      )
      equal(await tried(store => store.assignLead(1, { owner: 'tom', ...by })), false)
      equal(await tried(store => store.addNote(1, { text: 'Asks for the fees.', ...by })), false)
    })

    test('warns again when the end was put off after a warning', async t => {
      const { store, clock, close, lead } = await closing(t)
      await close()
      await store.pauseLead(1, { actor: null, now: clock.now() })
      const steps = [{ step: 3, dueAt: clock.now() }]
      await store.resumeLead(1, { since: clock.now(), steps, actor: null, now: clock.now() })
      clock.advance(26 * HOUR)
      await close((await claim(store, clock, 'B')) as Task)
      equal((await lead())?.stage, 'new')
    })

    test('whose claim was lost closes nothing', async t => {
      const { store, clock, close, lead } = await closing(t)
      clock.advance(LEASE)
      await claim(store, clock, 'B')
      await close()
      equal((await lead())?.stage, 'new')
    })
  })

  test('the versions that leads still follow are those with steps to come', async t => {
    const { store, clock, task, stepContext } = await aDueLetter(t, engine)
    await store.getOrCreateCadence('student', [], clock.now())
    const [found, ...others] = await store.listFollowedCadences()
    deepEqual(others, [])
    deepEqual(found?.cadence, defaultSettings.followUp.student)
    deepEqual([found?.kind, found?.leads, found?.all], ['student', 1, true])
    const end = { ...stepContext({ next: undefined }), state: 'done', note: null } as const
    equal(await store.beginStep(task, stepContext()), 'go')
    equal(await store.concludeStep(task, { ...end, name: 'day-1' }), true)
    deepEqual(await store.listFollowedCadences(), [])
  })
})
