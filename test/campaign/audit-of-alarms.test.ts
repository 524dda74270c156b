/** The audit of alarms in the simulated month: what it accepts, and what it does not. */
import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeAlarms } from '../../campaign/follow-up/audit-alarms.ts'
import type { World } from '../../campaign/follow-up/world.ts'
import { WorldTime } from '../../campaign/follow-up/world-time.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'

describe('an alarm that no email goes out', () => {
  const time = new WorldTime(1, 8)
  while (time.elapsed < 4 * DAY) time.step()
  const outages = [{ from: DAY, to: DAY + 9 * HOUR, how: 'deferred' }] as World['outages']
  const at = (elapsed: number) => time.tickWhere(0, passed => passed >= elapsed) ?? 0
  const failures = Array.from({ length: at(DAY + 9 * HOUR) - at(DAY) }, (_, i) => at(DAY) + i)
  const raised = [at(DAY + 3 * HOUR)]
  const well = at(DAY + 9 * HOUR)

  /** What the audit finds if the alarm ended in the step `ended`, and emails went out, or replicas were killed, in these. */
  function violationsOf(
    ended: number,
    { sent = [well], killed = [] as number[], rejected = [] as number[], refused = [] as string[], alarm = {} } = {},
  ): string[] {
    const told = { kind: 'alarm', subject: refused.length > 0 ? 9 : 1, deliveries: [{ tick: ended, dropped: false }] }
    const emails = sent.map(tick => ({ kind: 'step', subject: 7, deliveries: [{ tick, dropped: false }] }))
    const post = {
      byId: new Map([told, ...emails].map((one, id) => [String(id), one])),
      killedIn: new Set(killed),
      failures,
      rejected: new Set(refused),
      rejections: rejected,
      mayBeLost: ({ tick }: { tick: number }) => killed.includes(tick),
    } as unknown as World['post']
    const raisedThen = { since: [raised[0] ?? 0], raised, ended: [ended], ...alarm }
    const one = { id: 1, cause: 'late mail', title: 'No email is going out.', ...raisedThen }
    const violations: string[] = []
    judgeAlarms({ time, post, outages }, [one], (holds, otherwise) => void (holds || violations.push(otherwise)))
    return violations.map(one => one.replace(/ of day [\d.]+/, ''))
  }

  test('is over at the second look after an email went out, and neither earlier nor later', () => {
    deepEqual(violationsOf(well + 1), [])
    deepEqual(violationsOf(well + 2, { sent: [well + 1] }), [])
    deepEqual(violationsOf(well + 2), ['the alarm "No email is going out." went on although emails went out'])
    deepEqual(violationsOf(well - 2), ['the alarm "No email is going out." was over before emails went out'])
  })

  describe('is wrong outside an outage, unless', () => {
    const [since, later, ended] = [well + 10, well + 20, well + 24]
    const alarm = { since: [since], raised: [later] }
    const told = (more: { sent?: number[]; rejected?: number[]; killed?: number[] }) =>
      violationsOf(ended, { sent: [well, since], ...more, alarm }).filter(one => /raised/.test(one))
    const wrong = ['the alarm "No email is going out." was raised although emails went out']

    test('all that was tried since the last email was rejected', () => {
      deepEqual(told({}), wrong)
      deepEqual(told({ rejected: [later - 3] }), [])
      deepEqual(told({ rejected: [since - 1] }), wrong)
      deepEqual(told({ rejected: [later - 3], sent: [well, since, later - 2] }), wrong)
    })

    test('replicas were killed in the steps of both looks', () => {
      deepEqual(told({ killed: [later] }), wrong)
      deepEqual(told({ killed: [later - 2, later] }), wrong)
      deepEqual(told({ killed: [later - 1, later] }), [])
    })
  })

  test('is due, too, if the clock is set back, unless what was sent before seems to be sent again', () => {
    const time = new WorldTime(1, 1)
    while (time.elapsed < 26 * DAY) time.step()
    const jump = time.jumps.find(({ by }) => by < 0)?.at ?? 0
    const outage = { from: jump - HOUR, to: jump + 9 * HOUR, how: 'deferred' } as World['outages'][number]
    const at = (elapsed: number) => time.tickWhere(0, passed => passed >= elapsed) ?? 0
    const failures = Array.from({ length: at(outage.to) - at(outage.from) }, (_, i) => at(outage.from) + i)
    const violationsWith = (sent: number) => {
      const email = { kind: 'step', subject: 7, deliveries: [{ tick: at(sent), dropped: false }] }
      const post = { byId: new Map([['1', email]]), killedIn: new Set(), failures, rejections: [] }
      const violations: string[] = []
      const expect = (holds: boolean, otherwise: string) => void (holds || violations.push(otherwise))
      judgeAlarms({ time, post: post as unknown as World['post'], outages: [outage] }, [], expect)
      return violations.length
    }
    equal(violationsWith(jump - 3 * DAY), 1)
    equal(violationsWith(jump - 2 * DAY + 2 * HOUR), 0)
  })

  test('is told, unless its email is rejected', () => {
    deepEqual(violationsOf(well + 1, { refused: ['alarm-over.9.1'] }), [
      'no one was told of the alarm "No email is going out."',
    ])
    deepEqual(violationsOf(well + 1, { refused: ['alarm-over.1.1'] }), [])
  })

  test('may last longer after a kill', () => {
    deepEqual(violationsOf(well + 3, { sent: [well], killed: [well + 1] }), [])
  })
})
