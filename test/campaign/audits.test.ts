/** The audits of the simulated month: what they accept, and what they do not. */
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditOnce, auditTasksExist } from '../../campaign/follow-up/audit-messages.ts'
import { auditNews } from '../../campaign/follow-up/audit-news.ts'
import { auditStages } from '../../campaign/follow-up/audit-stages.ts'
import { auditSteps } from '../../campaign/follow-up/audit-steps.ts'
import type { Facts, LeadFact, TaskFact } from '../../campaign/follow-up/facts.ts'
import { Ledger } from '../../campaign/follow-up/ledger.ts'
import { CHAT, CLOSING } from '../../campaign/follow-up/school.ts'
import type { World } from '../../campaign/follow-up/world.ts'
import { WorldTime } from '../../campaign/follow-up/world-time.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'

describe('a message that was not sent to the person who stands in', () => {
  test('is right if the counselor is back by then, and wrong if they are still away', () => {
    const time = new WorldTime(1, 1)
    const ledger = new Ledger(time)
    time.step()
    const days = { firstDay: '2026-10-18', lastDay: '2026-10-18' }
    ledger.absences.push({ counselor: 'cleo', ...days, from: time.tick, to: Infinity })
    deepEqual(violationsOf(), ['the news of entry 7 is skipped: the counselor is not away'])
    while (time.elapsed < DAY) time.step()
    deepEqual(violationsOf(), [])

    function violationsOf(): string[] {
      const news: TaskFact = {
        id: 1,
        kind: 'news',
        subject: 7,
        step: 2,
        attempts: 7,
        messages: [],
        state: 'skipped',
        note: 'the counselor is not away',
        finishedAt: time.now,
      }
      const handedOver = new Map([[7, 'cleo']])
      const violations: string[] = []
      auditNews(
        { time, ledger },
        { tasks: [news], handedOver, leads: [], news: new Map() },
        (holds, otherwise) => void (holds || violations.push(otherwise)),
      )
      return violations
    }
  })
})

describe('a step that is done although no message came', () => {
  const violationsOf = (step: number): string[] => {
    const violations: string[] = []
    const done: TaskFact = {
      id: 1,
      kind: 'step',
      subject: 7,
      step,
      attempts: 1,
      messages: [],
      state: 'done',
      note: null,
      finishedAt: 0,
    }
    const post = { rejected: new Set<string>(), mayBeLost: () => false }
    auditOnce({ post }, done, (holds, otherwise) => void (holds || violations.push(otherwise)), 1)
    return violations
  }

  test('is right only if it closes its lead, or tells programs of the school', () => {
    for (const step of [CLOSING, CHAT]) deepEqual(violationsOf(step), [])
    for (const step of [0, 1, 2, 3, 4, 5]) deepEqual(violationsOf(step), [`step.7.${step} is done but never came`])
  })
})

test('a reminder may have no task left if they began again and the person was answered, also one with two leads', () => {
  const time = new WorldTime(1, 1)
  const ledger = new Ledger(time)
  const reminder = { kind: 'step', subject: 7, step: 2, to: 'max@school.example' }
  const email = { kind: 'step', subject: 7, step: 3, to: 'p7@people.example' }
  const byId = new Map(Object.entries({ reminder, email }))
  const violationsOf = (known: string[]): string[] => {
    const violations: string[] = []
    const world = { ledger, post: { byId } } as unknown as World
    auditTasksExist(world, new Set(known), (holds, otherwise) => void (holds || violations.push(otherwise)))
    return violations
  }
  const wrong = ['reminder', 'email'].map(id => `message ${id} has no task`)
  deepEqual(violationsOf(['step.7.2', 'step.7.3']), [])
  deepEqual(violationsOf([]), wrong)
  ledger.lead(7, 'answered')
  deepEqual(violationsOf([]), wrong.slice(1))
})

describe('a lead that was closed because no one had tried to reach the person', () => {
  test('is wrong without a warning', () => {
    const time = new WorldTime(1, 1)
    time.step()
    const since = time.now
    const sinceTick = time.tick
    while (time.elapsed < 20 * DAY) time.step()
    const closing = { kind: 'step', step: CLOSING, state: 'done', finishedAt: time.now } as TaskFact
    const lead = {
      id: 7,
      kind: 'student',
      stage: 'closed',
      reason: 'never contacted',
      person: { unknown: false },
      since,
      sinceTick,
      warned: [],
      acts: [],
      wishes: [],
      steps: [closing],
    } as unknown as LeadFact
    const violations: string[] = []
    const facts = { leads: [lead], tasks: [closing] }
    auditStages({ time }, facts, (holds, otherwise) => void (holds || violations.push(otherwise)))
    deepEqual(violations, ['lead 7 was closed without a warning'])
  })
})

test('a lead that was closed by itself is new again once the person has replied', () => {
  const time = new WorldTime(1, 1)
  const passUntil = (elapsed: number) => {
    while (time.elapsed < elapsed) time.step()
    return { tick: time.tick, from: time.tick, at: time.now, elapsed: time.elapsed }
  }
  const begun = passUntil(HOUR)
  const tried = { ...passUntil(DAY), what: 'attempted' }
  const { at: finishedAt } = passUntil(20 * DAY)
  const reply = { ...passUntil(21 * DAY), what: 'reply' }
  const closing = { kind: 'step', step: CLOSING, state: 'done', finishedAt } as TaskFact
  const violationsOf = (acts: object[], ...[stage, reason]: [string, string | null]) => {
    const ended = { id: 7, kind: 'student', stage, reason, person: { n: 1, unknown: false } }
    const lead = { ...ended, since: begun.at, sinceTick: begun.tick, warned: [], acts, wishes: [], steps: [closing] }
    const violations: string[] = []
    const facts = { leads: [lead as unknown as LeadFact], tasks: [closing] }
    auditStages({ time }, facts, (holds, otherwise) => void (holds || violations.push(otherwise)))
    return violations.length
  }
  deepEqual(violationsOf([tried], 'closed', 'no reply'), 0)
  deepEqual(violationsOf([tried], 'new', null), 1)
  deepEqual(violationsOf([tried, reply], 'new', null), 0)
  deepEqual(violationsOf([tried, reply], 'closed', 'no reply'), 1)
})

describe('a step that was skipped since the person waits for an answer', () => {
  test('is right if they waited before the clocks were set back, even if it was recorded later, when they did not', () => {
    const time = new WorldTime(1, 1)
    const back = time.jumps.find(({ by }) => by < 0)?.at ?? 0
    const moment = () => ({ tick: time.tick, from: time.tick, at: time.now, elapsed: time.elapsed })
    const passUntil = (elapsed: number) => {
      while (time.elapsed < elapsed) time.step()
      return moment()
    }
    const reply = { ...passUntil(back - HOUR), what: 'reply' } as const
    const answered = { ...passUntil(back), what: 'answered' } as const
    const soon = passUntil(back + 2 * HOUR)
    const later = passUntil(back + 3 * DAY)
    deepEqual(violationsOf(soon.at), [])
    deepEqual(violationsOf(later.at), [
      'step 3 of lead 7 was skipped, but not because they wait for an answer to what they wrote',
    ])

    function violationsOf(finishedAt: number): string[] {
      const note = 'they wait for an answer to what they wrote'
      const skipped = { kind: 'step', subject: 7, step: 3, state: 'skipped', note, finishedAt, messages: [] }
      const others = [0, 1, 2, 4, 5, CLOSING, CHAT].map(step => ({ ...skipped, step, note: 'the student has replied' }))
      const lead = {
        id: 7,
        kind: 'student',
        acts: [reply, answered],
        wishes: [],
        inquiries: [],
        steps: [skipped, ...others],
      } as unknown as LeadFact
      const world = { time, ledger: new Ledger(time), post: { rejected: new Set() } } as unknown as World
      const violations: string[] = []
      const facts = { leads: [lead], tasks: [], assigned: [] } as unknown as Facts
      auditSteps(world, facts, (holds, otherwise) => void (holds || violations.push(otherwise)))
      return violations
    }
  })
})

describe('someone who wrote again and was reached hours later', () => {
  test('needs no reminder, even if another call comes days later, but someone must reach them', () => {
    const time = new WorldTime(1, 1)
    const pass = (elapsed: number) => {
      while (time.elapsed < elapsed) time.step()
      return { tick: time.tick, from: time.tick, at: time.now, elapsed: time.elapsed }
    }
    const inquiries = [pass(HOUR)]
    const soon = { ...pass(3 * HOUR), what: 'contacted' } as const
    const late = { ...pass(10 * DAY), what: 'contacted' } as const
    deepEqual(violationsOf([soon, late]), [])
    deepEqual(violationsOf([late]), ['no reminder came about lead 7, whose person wrote back on some day'])
    deepEqual(violationsOf([]), ['no one answered the person of lead 7, who wrote back on some day'])
    const before = { ...late, ...inquiries[0], elapsed: 0 } as const
    deepEqual(violationsOf([before]), ['no one answered the person of lead 7, who wrote back on some day'])

    function violationsOf(acts: LeadFact['acts']): string[] {
      const lead = { id: 7, kind: 'student', acts, wishes: [], inquiries, person: {}, steps: [] } as unknown as LeadFact
      const world = { time, ledger: new Ledger(time), post: { rejected: new Set() } } as unknown as World
      const violations: string[] = []
      const facts = { leads: [lead], tasks: [], assigned: [] } as unknown as Facts
      auditSteps(world, facts, (holds, otherwise) => void (holds || violations.push(otherwise)))
      return violations.flatMap(one => (/wrote back/.test(one) ? one.replace(/day [\d.]+$/, 'some day') : []))
    }
  })
})

describe('a digest', () => {
  test('may come again for the days that the clocks show again, and for the school day after them', () => {
    const time = new WorldTime(586864, 8)
    // Set back from November 8 to November 6.
    const days = [20261105, 20261106, 20261107, 20261108, 20261109, 20261110]
    deepEqual(
      days.map(day => time.setsBack(day)),
      [0, 1, 1, 1, 1, 0],
    )
    // Set back on a Friday, November 13: the digest of Monday was already planned.
    const friday = new WorldTime(1, 8)
    deepEqual(
      [20261110, 20261111, 20261113, 20261116, 20261117].map(day => friday.setsBack(day)),
      [0, 1, 1, 1, 0],
    )
  })
})
