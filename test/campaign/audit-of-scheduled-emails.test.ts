/** The audit of emails that someone wrote for a later day, in the simulated month: what it accepts, and what it does not. */
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { auditNamed, auditScheduled } from '../../campaign/follow-up/audit-scheduled.ts'
import type { Facts, LeadFact } from '../../campaign/follow-up/facts.ts'
import type { LeadAct } from '../../campaign/follow-up/ledger.ts'
import { readWroteBack } from '../../campaign/follow-up/mail.ts'
import type { Leaver } from '../../campaign/follow-up/scheduled-emails.ts'
import { mayWait, openReplies, surelyWaits } from '../../campaign/follow-up/waits.ts'
import type { World } from '../../campaign/follow-up/world.ts'
import { DAY } from '../../src/platform/time.ts'

/** Monday, 10:00 in New York. */
const MONDAY = Date.parse('2026-10-19T14:00:00Z')

/** Each step of time is a day. */
const moment = (day: number) => ({ tick: day, from: day, at: MONDAY + day * DAY, elapsed: day * DAY })
const act = (what: LeadAct['what'], day: number, more: Partial<LeadAct> = {}): LeadAct => ({
  what,
  ...moment(day),
  ...more,
})

type Ending = {
  came?: number
  to?: string
  note?: string
  left?: number
  withdrawn?: boolean
  drafts?: number[]
  told?: number
}

/** What the audit finds of an email that gil wrote on Monday, to be sent on Tuesday a week later. */
function violationsOf({ came, to = 'p1@people.example', note, left, withdrawn = true, drafts = [7], told }: Ending) {
  const deliveries = (day: number | undefined, address: string) =>
    day === undefined ? [] : [{ ...moment(day), to: address, dropped: false }]
  const message = { id: 'message', kind: 'message', subject: 70, step: 0, to, deliveries: deliveries(came, to) }
  const news = {
    ...message,
    id: 'news',
    kind: 'news',
    to: 'ana@school.example',
    deliveries: deliveries(told, 'ana@school.example'),
  }
  const sent = [message, news].filter(one => one.deliveries.length > 0)
  const task = (one: typeof message, state: string) => ({
    ...one,
    state,
    note: one === message ? (note ?? null) : null,
    finishedAt: moment(note === undefined ? (came ?? 30) : (left ?? 8)).at,
    messages: sent.filter(({ kind }) => kind === one.kind),
  })
  const leaver: Leaver = {
    name: 'gil',
    operator: 1,
    left: left === undefined ? undefined : moment(left),
    withdrawn,
    drafts,
  }
  const email = { entry: 70, lead: 7, to: 'p1@people.example', author: 'gil', dueAt: MONDAY + 8 * DAY, made: moment(0) }
  const scheduled = { all: [{ ...email, answer: undefined, sent: undefined }], leavers: [leaver] }
  const ticks = (at: number) => [Math.round((at - MONDAY) / DAY)]
  const time = {
    setBack: () => 0,
    ticksAt: ticks,
    ticksOfEnd: ticks,
    elapsedIn: (tick: number) => tick * DAY,
    shownAfter: (elapsed: number) => MONDAY + elapsed,
    tickWhere: (from: number, holds: (elapsed: number) => boolean) =>
      Array.from({ length: 30 }, (_, i) => from + i).find(tick => holds(tick * DAY)),
  }
  const post = {
    byId: new Map(sent.map(one => [one.id, one])),
    rejected: new Set(),
    killedIn: new Set(),
    mayHaveDeferred: () => false,
    endOfOutage: () => undefined,
  }
  const world = { time, post, scheduled, ledger: { absences: [], takenBack: new Set() } } as unknown as World
  const facts = {
    tasks: [task(message, note === undefined ? 'done' : 'skipped'), task(news, 'done')],
    leads: [{ id: 7, kind: 'student', acts: [], inquiries: [], steps: [] }],
    owners: new Map([[7, new Set(['ana'])]]),
  } as unknown as Facts
  const violations: string[] = []
  auditScheduled(world, facts, (holds, otherwise) => {
    if (!holds) violations.push(otherwise)
  })
  return violations
}

const EMAIL = 'the email of entry 70 by gil to lead 7'

test('an email must come on its day, to the person', () => {
  deepEqual(violationsOf({ came: 8 }), [])
  deepEqual(violationsOf({ came: 7 }), [`${EMAIL} came 24.0 hours early`])
  deepEqual(violationsOf({ came: 20 }), [`${EMAIL} came 288.0 hours late`])
  deepEqual(violationsOf({}), [`${EMAIL} never came`])
  deepEqual(violationsOf({ came: 8, to: 'p2@people.example' }), [`${EMAIL} went to p2@people.example`])
})

const LEFT = 'its author has left'

test('an email of someone who has left must be a draft, and someone must be told', () => {
  deepEqual(violationsOf({ left: 5, note: LEFT, told: 6 }), [])
  deepEqual(violationsOf({ left: 5, note: LEFT, told: 6, drafts: [] }), [`${EMAIL} is not a draft`])
  deepEqual(violationsOf({ left: 5, note: LEFT }), [`no one was told that ${EMAIL} was not sent`])
  deepEqual(violationsOf({ left: 5, withdrawn: false, note: LEFT, told: 6, drafts: [] }), [])
  deepEqual(violationsOf({ came: 8, left: 5 }), [`${EMAIL} came although its author had left`])
  deepEqual(violationsOf({ came: 8, left: 9 }), [])
})

test('an email must not be left out without a true reason', () => {
  deepEqual(violationsOf({ note: LEFT }), [`${EMAIL} was not sent, as if its author had left`])
  const closed = 'the lead is closed: no reply'
  deepEqual(violationsOf({ note: closed }), [`${EMAIL} was skipped, but not because ${closed}`])
})

/** What the audit finds of a list of the morning of day 3 that names these leads. */
function violationsOfList(acts: LeadAct[], wroteBack: number[]): string[] {
  const lead = { id: 7, kind: 'student', acts, inquiries: [] } as unknown as LeadFact
  const list = { id: 'list', kind: 'unattended', step: 0, deliveries: [moment(3)], wroteBack }
  const world = { post: { byId: new Map([['list', list]]) }, ledger: { takenBack: new Set() } } as unknown as World
  const violations: string[] = []
  auditNamed(world, [lead], (holds, otherwise) => {
    if (!holds) violations.push(otherwise)
  })
  return violations
}

test('a list must name everyone who wrote back before its day and waits, and no one else', () => {
  const missing = ['list does not say that lead 7 wrote back and waits for an answer']
  const needless = ['list says that lead 7 wrote back, but no one waits for an answer']
  deepEqual(violationsOfList([act('reply', 1)], [7]), [])
  deepEqual(violationsOfList([act('reply', 1)], []), missing)
  deepEqual(violationsOfList([act('reply', 3)], []), [])
  deepEqual(violationsOfList([act('reply', 1), act('answered', 2)], [7]), needless)
  deepEqual(violationsOfList([act('reply', 1), act('answered', 2)], []), [])
  deepEqual(violationsOfList([act('reply', 0), act('answered', 1, { takenBack: 2 })], []), missing)
  deepEqual(violationsOfList([act('reply', 0), act('answered', 1, { takenBack: 3 })], []), [])
})

test('an email answers only what its author knew of', () => {
  const acts = [act('reply', 1), act('reply', 4), act('answered', 6, { writtenAt: 2 * DAY })]
  deepEqual(
    openReplies(acts).map(({ tick }) => tick),
    [4],
  )
  deepEqual(surelyWaits(acts, 8)?.tick, 4)
  deepEqual(mayWait({ acts, inquiries: [] }, 8), true)
  deepEqual(mayWait({ acts: acts.slice(0, 1), inquiries: [] }, 8), true)
  deepEqual(mayWait({ acts: [act('reply', 1), act('answered', 6, { writtenAt: 2 * DAY })], inquiries: [] }, 8), false)
})

test('the leads of people who wrote back are those under their heading', () => {
  const text = [
    'They wrote back, and no one has answered',
    '================================',
    'Open the lead <https://learn.example/act/o7.x>',
    'Promised a call, and no one has made it',
    '================================',
    'Open the lead <https://learn.example/act/o8.x>',
  ].join('\n')
  deepEqual(readWroteBack({ text }), [7])
})
