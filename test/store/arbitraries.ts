/** Time as chance lets it pass. */
import fc from 'fast-check'
import { DAY } from '../../src/platform/time.ts'

/** Moments in order, each after one of these gaps. */
export const moments = (...gaps: fc.Arbitrary<number>[]): fc.Arbitrary<number[]> =>
  fc.array(fc.oneof(...gaps), { minLength: 1, maxLength: 60 }).map(chosen => {
    let now = DAY
    return chosen.map(gap => {
      now += gap
      return now
    })
  })
