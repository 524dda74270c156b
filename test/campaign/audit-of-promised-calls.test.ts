/** The audit of the lists that name who was to be called, in the simulated month: what it accepts, and what it does not. */
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { auditPromised } from '../../campaign/follow-up/audit-promised.ts'
import type { Facts, LeadFact } from '../../campaign/follow-up/facts.ts'
import { readPromised } from '../../campaign/follow-up/mail.ts'
import type { PromisedCall } from '../../campaign/follow-up/promises.ts'
import type { World } from '../../campaign/follow-up/world.ts'
import { DAY } from '../../src/platform/time.ts'

/** Monday, 10:00 in New York. */
const DUE = Date.parse('2026-10-19T14:00:00Z')

const moment = (day: number) => ({ tick: day * 10, from: day * 10, at: DUE + day * DAY, elapsed: day * DAY })

/** What the audit finds if lead 7 was to be called on Monday, and a list on these days names these leads. */
function violationsOf(
  mails: [day: number, promised: number[]][],
  { ended, replied, open = 5 }: { ended?: number; replied?: number; open?: number } = {},
): string[] {
  const one = { lead: 7, entry: 70, dueAt: DUE, made: moment(-1), endedDuring: [] } as unknown as PromisedCall
  one.ended = ended === undefined ? undefined : moment(ended)
  const acts = replied === undefined ? [] : [{ what: 'reply', ...moment(replied) }]
  const lead = { id: 7, kind: 'student', inquiries: [], acts } as unknown as LeadFact
  const byId = new Map(
    mails.map(([day, promised], n) => [
      `${n}`,
      { id: `list ${n}`, kind: 'unattended', step: 0, deliveries: [moment(day)], promised },
    ]),
  )
  const ledger = { promises: { all: [one] }, takenBack: new Set() }
  const world = { time: { elapsed: open * DAY }, ledger, post: { byId } } as unknown as World
  const violations: string[] = []
  auditPromised(world, { leads: [lead] } as unknown as Facts, (holds, otherwise) => {
    if (!holds) violations.push(otherwise)
  })
  return violations
}

test('a list must name who was to be called before its day, and no one who was called', () => {
  deepEqual(violationsOf([[1, [7]]]), [])
  deepEqual(violationsOf([[1, []]]), ['list 0 does not say that lead 7 was to be called'])
  deepEqual(violationsOf([[0, []]]), [])
  deepEqual(violationsOf([[0, [7]]]), ['list 0 says that lead 7 was to be called, but no such callback was open'])
  deepEqual(violationsOf([[2, []]], { ended: 1 }), [])
  deepEqual(violationsOf([[2, [7]]], { ended: 1 }), [
    'list 0 says that lead 7 was to be called, but no such callback was open',
  ])
})

test('someone who has written again may be on another list', () => {
  deepEqual(violationsOf([[2, []]], { replied: 1 }), [])
  deepEqual(violationsOf([[2, []]], { replied: 3 }), ['list 0 does not say that lead 7 was to be called'])
})

test('a list must have come after a long time', () => {
  deepEqual(violationsOf([]), [])
  deepEqual(violationsOf([], { open: 20 }), ['no list came that could name lead 7'])
})

test('a list says who was promised a call under its heading alone', () => {
  const link = (id: string) => `Open the lead <http://console/act/o${id}.tq.a.b>`
  const parts = [
    `They wrote back\n=====\n${link('1')}`,
    `Promised a call, and no one has made it\n=====\n${link('a')} ${link('b')}`,
  ]
  deepEqual(readPromised({ text: [...parts, `Waiting for over a week\n=====\n${link('2')}`].join('\n\n') }), [10, 11])
  deepEqual(readPromised({ text: parts[0] ?? '' }), [])
})
