/** Whose turn it is in the thread of SQLite. */
import { ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { oneAfterTheOther } from '../../src/store/sqlite/turns.ts'

/** Work that takes so many milliseconds of a clock of its own; an urgent one always waits. */
async function atTheDisk(
  t: TestContext,
  { urgentTakes, submissions = 1, others }: { urgentTakes: number; submissions?: number; others: Other[] },
) {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const inTurn = oneAfterTheOther()
  const order: string[] = []
  const done = Promise.withResolvers<void>()
  const urgently = (): unknown =>
    inTurn({
      urgent: true,
      share: 'writes',
      run: () => {
        now += urgentTakes
        order.push('urgent')
        if (order.length < 300) urgently()
        else done.resolve()
        return submissions
      },
    })
  urgently()
  urgently()
  for (const { share, takes } of others) {
    const again = (): unknown =>
      inTurn({
        urgent: false,
        share,
        run: () => {
          now += takes
          order.push(share)
          if (order.length < 300) again()
          return 1
        },
      })
    again()
  }
  await done.promise
  return order.slice(0, 300)
}

type Other = { share: 'reads' | 'writes'; takes: number }

const timesIn = (order: string[], what: string) => order.filter(one => one === what).length

test('while an urgent call always waits, writes of others have half of the time, however long each takes', async t => {
  for (const takes of [1, 25, 100]) {
    t.mock.restoreAll()
    const order = await atTheDisk(t, { urgentTakes: 25, others: [{ share: 'writes', takes }] })
    const share = (timesIn(order, 'writes') * takes) / (timesIn(order, 'urgent') * 20)
    ok(share > 0.8 && share < 1.2, `${takes}: ${share}`)
  }
})

test('short reads do not wait for a commit each', async t => {
  const order = await atTheDisk(t, { urgentTakes: 25, others: [{ share: 'reads', takes: 1 }] })
  const share = timesIn(order, 'reads') / timesIn(order, 'urgent')
  ok(share > 8 && share < 12, `${share}`)
})

test('where commits are quick, no urgent call waits for others', async t => {
  const order = await atTheDisk(t, { urgentTakes: 4, others: [{ share: 'writes', takes: 1 }] })
  ok(timesIn(order, 'writes') <= 1)
})

test('in a rush, which has many submissions in each call, others get little', async t => {
  const others: Other[] = [
    { share: 'writes', takes: 8 },
    { share: 'reads', takes: 1 },
  ]
  const order = await atTheDisk(t, { urgentTakes: 10, submissions: 30, others })
  const theirs = timesIn(order, 'writes') * 8 + timesIn(order, 'reads')
  ok(theirs < 0.2 * timesIn(order, 'urgent') * 10, `${theirs}`)
})
