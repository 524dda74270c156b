/**
 * Sums up the counts of insight. Three years of all values are more than a million numbers, so this reads them byte by
 * byte: codes become strings only at the end, and rows never become objects. JSON.parse takes ten times as long, since
 * each row has other codes and so a shape of its own.
 */

/** How many leads there are of each code (`store/insight/lead-facts.ts`). */
export type Counts = Map<string, number>

/** Counts as they are stored, `{"code":1,"another":2}`; `sign` is 1 if they are added, -1 if they are subtracted. */
export type StoredCounts = { counts: string; sign: 1 | -1 }

/** Codes are four characters of ASCII or fewer, so each fits into a small integer. */
const BITS = 7

const QUOTE = 0x22
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

export function sumOf(rows: readonly StoredCounts[]): Counts {
  const sum = new Map<number, number>()
  for (const { counts, sign } of rows) {
    const bytes = Buffer.from(counts, 'latin1')
    const end = bytes.length
    // Each iteration begins after `{"` or `,"`.
    for (let at = 2; at < end; at += 2) {
      let code = 0
      let byte = bytes[at] as number
      for (; byte !== QUOTE && at < end; byte = bytes[++at] as number) code = (code << BITS) | byte
      at += '":'.length
      byte = bytes[at] as number
      const by = byte === MINUS ? -sign : sign
      if (byte === MINUS) byte = bytes[++at] as number
      let n = 0
      for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] as number) n = n * 10 + byte - ZERO
      sum.set(code, (sum.get(code) ?? 0) + by * n)
    }
  }
  return new Map([...sum].map(([code, n]) => [textOf(code), n]))
}

const textOf = (code: number): string =>
  code === 0 ? '' : textOf(code >> BITS) + String.fromCharCode(code & (2 ** BITS - 1))
