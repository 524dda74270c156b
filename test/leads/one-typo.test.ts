/** Words that are one typo apart. */
import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isNear, nearKeys } from '../../src/leads/words/one-typo.ts'

const letter = fc.constantFrom(...'abcdeñ李')
const aName = fc.array(letter, { minLength: 4, maxLength: 18 })

/** A word in which one letter is replaced, missing, added, or swapped with the next. */
const aTypo = fc.record({
  name: aName,
  at: fc.nat(17),
  letter,
  kind: fc.constantFrom('other', 'missing', 'more', 'swapped'),
})

test('two names that are one typo apart have a key in common, by which an index finds them', () => {
  fc.assert(
    fc.property(aTypo, ({ name, at, letter, kind }) => {
      const place = at % name.length
      const [one = '', next = one] = name.slice(place, place + 2)
      const typed =
        kind === 'other'
          ? name.with(place, letter)
          : kind === 'missing'
            ? name.toSpliced(place, 1)
            : kind === 'more'
              ? name.toSpliced(place, 0, letter)
              : name.toSpliced(place, 2, ...(place + 1 < name.length ? [next, one] : [one]))
      const [right, wrong] = [name.join(''), typed.join('')]
      ok(isNear(right, wrong), `${right} ${wrong}`)
      const keys = new Set(nearKeys(right))
      ok(
        nearKeys(wrong).some(key => keys.has(key)),
        `${right} ${wrong}`,
      )
    }),
  )
})

test('names that are two typos apart are not near', () => {
  for (const [one, other, near] of [
    ['rosa', 'roza', true],
    ['jhon', 'john', true],
    ['rosa', 'oras', false],
    ['gonzalez', 'gonsales', false],
    ['ana', 'anna', true],
    ['li', 'lee', false],
  ] as const)
    equal(isNear(one, other), near, `${one} ${other}`)
})
