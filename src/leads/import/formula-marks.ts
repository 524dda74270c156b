/**
 * The apostrophes that keep a spreadsheet from running text as a formula (OWASP ASVS 5.0, 1.2.10). An export adds them,
 * and an import removes the same ones.
 */

/**
 * Text with an apostrophe before each formula: at the beginning, and at each place where a spreadsheet with another
 * separator, such as a semicolon, would begin a cell.
 */
export function withoutFormulas(text: string): string {
  const whole = TAB.test(text) || FORMULA.test(text) ? `'${text}` : text
  // Looks at one run after the other: a search for a run together with the sign after it would try every part of a long
  // run.
  return whole.replace(RUN, (run: string, at: number) => {
    const begins = SEPARATOR.test(run) && SIGN.test(whole.charAt(at + run.length))
    return begins ? `${run}'` : run
  })
}

/** Text without spaces around it, as it was before `withoutFormulas`. */
export function withFormulas(marked: string): string {
  const whole = marked.replace(RUN, (run: string, at: number) => {
    const begins = SEPARATOR.test(run) && SIGN.test(marked.charAt(at + run.length))
    return begins && run.endsWith("'") ? run.slice(0, -1) : run
  })
  return whole.startsWith("'") && FORMULA.test(whole.slice(1)) ? whole.slice(1) : whole
}

/** What begins a formula, with the look-alikes that a program might turn into it (Unicode NFKC). */
const SIGNS = '=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u208c\u207a\u208a\u207b\u208b\u2212'
/** What separates cells in some program: separators and line breaks of any kind. */
const SEPARATORS = ';,|\\t\\r\\n\\v\\f\u0085\u2028\u2029\u037e\uff1b\uff0c\uff5c'
/** What a program may strip before it looks for a sign: quotes, spaces, control and invisible characters. */
const STRIPPED = '"\'\\s\\p{Cc}\\p{Cf}'

const SIGN = new RegExp(`^[${SIGNS}]`, 'u')
const SEPARATOR = new RegExp(`[${SEPARATORS}]`, 'u')
const RUN = new RegExp(`[${SEPARATORS}${STRIPPED}]+`, 'gu')
const FORMULA = new RegExp(`^[${STRIPPED}]*[${SIGNS}]`, 'u')
const TAB = /^[\t\r]/
