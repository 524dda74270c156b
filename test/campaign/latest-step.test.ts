/** The step of time in which a message must have come in the simulated month, whatever held it up. */
import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { latestStep } from '../../campaign/follow-up/latest-step.ts'
import { PostOffice } from '../../campaign/follow-up/post-office.ts'
import type { Outage } from '../../campaign/follow-up/world-time.ts'
import { WorldTime } from '../../campaign/follow-up/world-time.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'

const KEY = 'news.70.1'

describe('a message that is due at once', () => {
  test('must come in the same step, and a kill holds it up for two', () => {
    const { latest, kill, begun } = aMonth()
    equal(latest(), begun)
    kill(begun)
    equal(latest(), begun + 2)
  })

  test('waits for five hours after each attempt that was deferred', () => {
    const { latest, deferred, hoursAfter, begun } = aMonth()
    deferred(begun)
    equal(latest(), hoursAfter(begun, 5))
    const between = hoursAfter(begun, 3)
    deferred(between)
    equal(latest(), hoursAfter(between, 5))
  })

  test('does not wait because another message was deferred, at the same address or between', () => {
    const { latest, deferred, hoursAfter, begun } = aMonth()
    deferred(begun, 'news.71.1')
    equal(latest(), begun)
    deferred(begun)
    deferred(hoursAfter(begun, 3), 'news.71.1')
    equal(latest(), hoursAfter(begun, 5))
  })

  test('waits for an outage that began between two attempts', () => {
    const { latest, deferred, stepAt, begun } = aMonth({ from: DAY + 2 * HOUR, to: DAY + 10 * HOUR })
    equal(latest(), begun)
    deferred(begun)
    equal(latest(), stepAt(DAY + 15 * HOUR))
  })
})

/** Steps of time, and a mail server that may have deferred messages in them. It is due a day after the month begins. */
function aMonth(outage?: Pick<Outage, 'from' | 'to'>) {
  const time = new WorldTime(2, 1)
  while (time.elapsed < 3 * DAY) time.step()
  const stepAt = (passed: number) => time.tickWhere(0, elapsed => elapsed >= passed) ?? 0
  const outages = outage === undefined ? [] : [{ ...outage, how: 'deferred' as const }]
  const post = new PostOffice({ seed: 1, time, people: [], outages, arrived: () => {} })
  const begun = stepAt(DAY)
  return {
    begun,
    stepAt,
    kill: (tick: number) => post.killedIn.add(tick),
    deferred: (tick: number, key = KEY) => post.learnDeferred(post.deferRecipient(tick), key),
    hoursAfter: (tick: number, hours: number) => stepAt(time.elapsedIn(tick) + hours * HOUR),
    latest: () => latestStep({ time, post }, { from: begun, due: 0, key: KEY }),
  }
}
