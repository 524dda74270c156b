/** The audit of callbacks in the simulated month: what it accepts, and what it does not. */
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditCallbacks } from '../../campaign/follow-up/audit-callbacks.ts'
import type { Facts, LeadFact } from '../../campaign/follow-up/facts.ts'
import { Ledger } from '../../campaign/follow-up/ledger.ts'
import type { Message } from '../../campaign/follow-up/post-office.ts'
import type { World } from '../../campaign/follow-up/world.ts'
import { WorldTime } from '../../campaign/follow-up/world-time.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'

/** Monday, 10:00 in New York. */
const DUE = Date.parse('2026-10-19T14:00:00Z')

/** A call that was promised for Monday at 10:00 by Ana, whose backup is Ben. */
function aMonth({ ended, takenBack, during }: { ended?: number; takenBack?: number; during?: boolean } = {}) {
  const time = new WorldTime(1, 1)
  const ledger = new Ledger(time)
  time.step()
  const tickAt = (moment: number) => time.tickWhere(0, elapsed => time.shownAfter(elapsed) >= moment) ?? 0
  const shownIn = (tick: number) => time.shownAfter(time.elapsedIn(tick))
  const promise = { lead: 7, entry: 70, dueAt: DUE, assignee: null }
  const one = ledger.promises.add(promise, { waits: false })
  while (time.elapsed < 3 * DAY) {
    time.step()
    if (ended !== undefined && time.now >= ended) ledger.promises.endAll(7)
    if (takenBack === undefined || time.tick !== tickAt(takenBack)) continue
    ledger.during = during === true
    ledger.promises.endAll(7)
    ledger.promises.reopen([one], { waits: false })
  }
  const email = (step: number, mailbox: string, moment: number): Message => {
    const tick = tickAt(moment)
    const to = `${mailbox}@school.example`
    const deliveries = [{ tick, at: shownIn(tick), to, dropped: false }]
    const about = { about: 1, listed: undefined }
    return { id: `news.70.${step}`, kind: 'news', subject: 70, step, to, deliveries, ...about }
  }
  return { time, ledger, one, email, tickAt, shownIn }
}

function violationsOf({ time, ledger }: ReturnType<typeof aMonth>, messages: Message[], open = true): string[] {
  const byId = new Map(messages.map(message => [message.id, message]))
  const post = {
    byId,
    rejected: new Set(),
    killedIn: new Set(),
    mayHaveDeferred: () => false,
    endOfOutage: () => undefined,
  }
  const facts = {
    leads: [{ id: 7, kind: 'student', person: { state: 'NY' } } as LeadFact],
    callbacks: new Map(open ? [[70, { lead: 7, dueAt: DUE }]] : []),
    owners: new Map([[7, new Set(['ana'])]]),
  } as unknown as Facts
  const violations: string[] = []
  auditCallbacks({ time, ledger, post } as unknown as World, facts, (holds, otherwise) => {
    if (!holds) violations.push(otherwise.replace(/[\d.]+ hours/, 'some hours'))
  })
  return violations
}

describe('a callback that no one saw to', () => {
  test('is right if each was told in the first step in which it was their turn', () => {
    const month = aMonth()
    const all = [
      month.email(0, 'ana', DUE),
      month.email(1, 'ben', DUE + 15 * MINUTE),
      month.email(2, 'max', DUE + HOUR),
    ]
    deepEqual(violationsOf(month, all), [])
    deepEqual(violationsOf(month, all, false), ['the callback 70 of lead 7 is lost: undefined'])
  })

  test('is wrong if someone was told late, early, never, or in the place of someone else', () => {
    const month = aMonth()
    const late = [month.email(0, 'ben', DUE), month.email(1, 'ben', DUE + 2 * HOUR)]
    deepEqual(violationsOf(month, late), [
      'the email to the person who calls about the callback 70 of lead 7 went to ben@school.example, not ana@school.example',
      'the email to the backup about the callback 70 of lead 7 came some hours late',
      'the email to the manager about the callback 70 of lead 7 never came',
    ])
    const early = [
      month.email(0, 'ana', DUE),
      month.email(1, 'ben', DUE + 15 * MINUTE),
      month.email(2, 'max', DUE + 30 * MINUTE),
    ]
    deepEqual(violationsOf(month, early), [
      'the email to the manager about the callback 70 of lead 7 came some hours early',
    ])
  })
})

describe('a callback that someone saw to and took that back', () => {
  test('may be told a step later if the replicas worked meanwhile, and in the same step otherwise', () => {
    for (const during of [true, false]) {
      const month = aMonth({ takenBack: DUE, during })
      const step = month.tickAt(DUE)
      const all = [
        month.email(0, 'ana', month.shownIn(step + 1)),
        month.email(1, 'ben', DUE + 15 * MINUTE),
        month.email(2, 'max', DUE + HOUR),
      ]
      const late = 'the email to the person who calls about the callback 70 of lead 7 came some hours late'
      deepEqual(violationsOf(month, all), during ? [] : [late])
    }
  })
})

describe('a callback that someone saw to', () => {
  test('needs no more emails, and may not have any', () => {
    const month = aMonth({ ended: DUE - HOUR })
    deepEqual(violationsOf(month, [], false), [])
    deepEqual(violationsOf(month, []), ['the callback 70 of lead 7 is still open'])
    deepEqual(violationsOf(month, [month.email(0, 'ana', DUE)], false), [
      'the email to the person who calls about the callback 70 of lead 7 came after its end',
    ])
  })
})
