/** The audits of the simulated month: what they accept, and what they do not. */
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditNews } from '../../campaign/follow-up/audit-news.ts'
import type { TaskFact } from '../../campaign/follow-up/facts.ts'
import { Ledger } from '../../campaign/follow-up/ledger.ts'
import { WorldTime } from '../../campaign/follow-up/world-time.ts'
import { DAY } from '../../src/platform/time.ts'

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

describe('a digest', () => {
  test('may come again for the days that the clocks show again, and for the day after them', () => {
    const time = new WorldTime(586864, 8)
    // Set back from November 8 to November 6.
    const days = [20261105, 20261106, 20261107, 20261108, 20261109, 20261110]
    deepEqual(
      days.map(day => time.setsBack(day)),
      [0, 1, 1, 1, 1, 0],
    )
  })
})
