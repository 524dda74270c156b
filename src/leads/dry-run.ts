/** The name by which a dry run is asked for, and names of somebody who means it. */

export const VALIDATE_ONLY = 'validateOnly'

const MEANT = new Set([VALIDATE_ONLY.toLowerCase(), 'dryrun'])

/** Whether a name has the letters of the parameter, or of `dryRun`. */
export const meansDryRun = (name: string): boolean =>
  MEANT.has(name.toLowerCase().replace(/[^a-z]/g, ''))
