/** The name by which a dry run is asked for, and what somebody writes who means it. */

export const VALIDATE_ONLY = 'validateOnly'

const MEANT = [VALIDATE_ONLY.toLowerCase(), 'dryrun']

/** Whether a name has the parameter's letters in it, or those of `dryRun`. */
export const meansDryRun = (name: string): boolean =>
  MEANT.some(meant => letters(name).includes(meant))

/** Whether anything in a text says so, however it is put. */
export const saysDryRun = (text: string): boolean =>
  MEANT.some(meant => letters(text).includes(`${meant}true`))

const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')
