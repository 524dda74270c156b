import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { SECOND } from '../../src/platform/time.ts'
import { sumOf } from '../../src/store/insight/sum-counts.ts'

const code = fc.oneof(
  fc.constantFrom('0', '4', 'c', 'r', 'u', 'b'),
  fc.tuple(fc.constantFrom('w', 's'), fc.nat(499)).map(([letter, n]) => `${letter}${n}`),
)
const counts = fc.dictionary(code, fc.integer({ min: -5, max: 10_000_000 }), { noNullPrototype: true })
const row = fc.record({ counts, sign: fc.constantFrom(1 as const, -1 as const) })

test('sums of stored counts are those that JSON.parse comes to', () => {
  fc.assert(
    fc.property(fc.array(row), rows => {
      const expected = new Map<string, number>()
      for (const { counts, sign } of rows)
        for (const [code, n] of Object.entries(counts)) expected.set(code, (expected.get(code) ?? 0) + sign * n)
      const stored = rows.map(({ counts, sign }) => ({ counts: JSON.stringify(counts), sign }))
      assert.deepEqual(sumOf(stored), expected)
    }),
  )
})

test('damaged counts do not keep the service busy forever', () => {
  const sums = ['', '{', '{"', '{"w1', '{"w1":', '{"w1":x,', 'null', '{"w1":1'].map(counts => {
    const sum = () => [...sumOf([{ counts, sign: 1 }]).values()]
    // Ends what would never return: a test's own limit cannot, since it does not run meanwhile.
    return runInNewContext('sum()', { sum }, { timeout: 10 * SECOND })
  })
  assert.deepEqual(sums, [[], [], [], [0], [0], [0], [0], [1]])
})
