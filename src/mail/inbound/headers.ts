/** Header fields: of a message, of a report, or of a returned message. */

/** Fields by name, in lower case. A name that occurs twice has both values, in order. */
export type Fields = Map<string, string[]>

/** The most that we read of a block; genuine headers are far shorter. */
const MAX_BLOCK = 100_000
const MAX_FIELDS = 1_000
const MAX_IDS = 100

/** One block of header fields, unfolded (RFC 5322 section 2.2.3). Lines that are not fields are left out. */
export function readFields(block: string): Fields {
  const fields: Fields = new Map()
  const unfolded = block.slice(0, MAX_BLOCK).replace(/\r?\n[ \t]+/g, ' ')
  for (const line of unfolded.split(/\r?\n/, MAX_FIELDS)) {
    const colon = line.indexOf(':')
    if (colon > 0) add(fields, line.slice(0, colon), line.slice(colon + 1))
  }
  return fields
}

/** The blocks of fields of a report, with empty lines between them (RFC 3464 section 2.1). */
export const readBlocks = (text: string): Fields[] =>
  text
    .slice(0, MAX_BLOCK)
    .split(/(?:\r?\n[ \t]*){2,}/, MAX_FIELDS)
    .map(readFields)

/** The fields of a message that was already parsed. */
export function fieldsOf(headers: { key: string; value: string }[]): Fields {
  const fields: Fields = new Map()
  for (const { key, value } of headers.slice(0, MAX_FIELDS)) add(fields, key, value)
  return fields
}

function add(fields: Fields, name: string, value: string): void {
  const key = name.trim().toLowerCase()
  const others = fields.get(key)
  if (others) others.push(value.trim())
  else fields.set(key, [value.trim()])
}

/** The first value of the field, or an empty string. */
export const firstValue = (fields: Fields, name: string): string => fields.get(name)?.[0] ?? ''

/**
 * The Message-IDs in these values without their angle brackets (RFC 5322 section 3.6.4). Each is
 * listed once, at its last position; if there are too many, the last ones are kept.
 */
export function messageIds(values: string[]): string[] {
  const found = values.flatMap(value =>
    Array.from(value.slice(0, MAX_BLOCK).matchAll(/<([!-;=?-~]{3,500})>/g), ([, id = '']) => id),
  )
  return [...new Set(found.reverse())].slice(0, MAX_IDS).reverse()
}

/** The Message-IDs to which a message replies; the one it replies to directly is last. */
export const repliedTo = (fields: Fields): string[] => [
  ...(fields.get('references') ?? []),
  ...(fields.get('in-reply-to') ?? []),
]
