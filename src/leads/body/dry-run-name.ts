/** The name of the dry-run parameter, and how to recognize an attempt at it. */
import { letters, resembles } from './tidy-text.ts'

export const VALIDATE_ONLY = 'validateOnly'

const MEANT = [VALIDATE_ONLY.toLowerCase(), 'dryrun']

/** Whether a name contains the letters of the parameter, or of `dryRun`, or nearly so. */
export const meansDryRun = (name: string): boolean =>
  MEANT.some(meant => letters(name).includes(meant) || resembles(name, meant))

/** The parameter's names in other services. */
const ELSEWHERE = new Set(
  ['dry', 'validate', 'validation', 'validOnly', 'preview', 'simulate', 'noSubmit'].map(letters),
)

/** Whether a query parameter seems to ask for a dry run under another name, or in its value. */
export const seemsDryRun = (name: string, value: string): boolean =>
  meansDryRun(name) ||
  ELSEWHERE.has(letters(name)) ||
  MEANT.includes(letters(value)) ||
  (/^test$/i.test(name) && /^(?:true|1|yes)?$/i.test(value))

/** Whether a text asks for a dry run anywhere, in any spelling. */
export const saysDryRun = (text: string): boolean => MEANT.some(meant => letters(text).includes(`${meant}true`))
