/** The name of the dry-run parameter, and how to recognize an attempt at it. */
import { letters } from './text.ts'

export const VALIDATE_ONLY = 'validateOnly'

const MEANT = [VALIDATE_ONLY.toLowerCase(), 'dryrun']

/** Whether a name contains the letters of the parameter, or those of `dryRun`. */
export const meansDryRun = (name: string): boolean =>
  MEANT.some(meant => letters(name).includes(meant))

/** Whether a text asks for a dry run anywhere, in any spelling. */
export const saysDryRun = (text: string): boolean =>
  MEANT.some(meant => letters(text).includes(`${meant}true`))
