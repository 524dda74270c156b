/**
 * Counts the fields of a form before it is parsed: each takes far more memory and time than its bytes, so a form with
 * very many would delay all other requests.
 */

/** The header as browsers write it, with nothing besides the boundary (RFC 7578, section 4.1). */
const MULTIPART = /^\s*multipart\/form-data\s*;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))\s*$/i
const URLENCODED = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i

/**
 * How many fields a form has: at least as many as a parser would find, but counting stops at `most + 1`. Undefined if
 * the body is not a form.
 */
export function countFields(bytes: Uint8Array, type: string, most: number): number | undefined {
  if (URLENCODED.test(type)) return count(bytes, '&', most) + 1
  const [, quoted, plain = quoted] = MULTIPART.exec(type) ?? []
  return plain === undefined ? undefined : count(bytes, `--${plain}`, most)
}

function count(bytes: Uint8Array, what: string, most: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let found = 0
  for (let at = buffer.indexOf(what); at >= 0 && found <= most; at = buffer.indexOf(what, at + what.length)) found++
  return found
}
