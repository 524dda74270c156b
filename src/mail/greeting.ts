/** By which name an email to a person greets them. */

/**
 * The name for the greeting: the first word of the first name, if it can only be a name. That way, no one can send
 * their own words through our emails: a sentence that is joined by hyphens or capitals does not count as a name, and
 * neither do many punctuation marks. A name in capitals alone (`MARIA`) is written as usual.
 */
export function greeting(firstName: string): string | null {
  const [word = ''] = firstName.trim().split(/\s/)
  if (!/^\p{L}[\p{L}\p{M}'’-]{1,19}$/u.test(word) || /\p{M}{4}/u.test(word)) return null
  const parts = word.split(/['’-]/)
  if (parts.length > 2) return null
  if (parts.every(part => capitalsIn(part) <= MOST_CAPITALS)) return word
  const allCapitals = parts.length === 1 && word === word.toUpperCase()
  return allCapitals ? word.charAt(0) + word.slice(1).toLowerCase() : null
}

/** How many capitals a part of a name may have, as in McKay. */
const MOST_CAPITALS = 2

const capitalsIn = (text: string): number => text.match(/\p{Lu}/gu)?.length ?? 0
