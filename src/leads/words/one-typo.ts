/** Words that are one typo apart: one letter is different, missing, added, or swapped with the next. */

/** Words with fewer letters have no keys with a letter left out: too many of them would be alike. */
const LEAST_LETTERS = 4

/** Keys cover only this many letters, so a typo after the last of them does not change a key. */
const MOST_LETTERS = 12

/**
 * The keys of a word: its beginning, and what remains without one of its letters. Two words that are one typo apart
 * have a key in common; others may have one, too (`isNear` decides).
 */
export function nearKeys(word: string): string[] {
  const letters = [...word].slice(0, MOST_LETTERS)
  const shorter = letters.length < LEAST_LETTERS ? [] : letters.map((_, at) => letters.toSpliced(at, 1).join(''))
  return [...new Set([letters.join(''), ...shorter])]
}

/** Whether two words are the same or one typo apart. */
export function isNear(one: string, other: string): boolean {
  const [a, b] = [[...one], [...other]]
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (Math.max(left.length, right.length) <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
