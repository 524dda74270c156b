/** Names for files, ids and URLs, made from what people call a thing. */

/** A text in lower case and without accents: `informacion` for `Información`. */
export const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The words of a text, such as `evening-classes`, in at most `most` characters: a to z, digits, and hyphens between. */
export const slug = (text: string, most: number): string =>
  folded(text)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, most)
    .replace(/-$/, '')

/** The name itself or, if it is taken, the name with the first number from 2 on that is not: `maria-2`. */
export function freeName(name: string, taken: Iterable<string>): string {
  const all = new Set(taken)
  let free = name
  for (let n = 2; all.has(free); n++) free = `${name}-${n}`
  return free
}
