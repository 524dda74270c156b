/**
 * An inquiry that someone at the school entered, after a call or at a fair. It is treated like every other inquiry;
 * this describes the differences.
 */
export type Entered = {
  /** Who entered it, as a timeline records an actor, and their name. */
  by: string
  name: string
  /** Whether the person asked us to write by email. Otherwise, no receipt and no follow-up emails go to them. */
  mayWrite: boolean
  /** Whether someone has talked with the person. */
  reached: boolean
  /** Who gets the lead if it is new: an id, or null for the team. Default: the settings decide. */
  owner?: string | null
  /** The id of the operator, or null for a command. The audit log has it once the inquiry is filed; default: no entry. */
  operator?: number | null
  /** The stage, tags and programs that a new lead gets, and when the person first asked (Unix time, ms). */
  stage?: string
  tags?: string[]
  programs?: string[]
  since?: number
  /** The imported list that it came with. */
  importId?: number
}

/** Reads the stored details of an entered inquiry; undefined if they are not in our format. */
export function readEntered(value: unknown): Entered | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { by, name, mayWrite, reached, owner, operator, importId, stage, tags, programs, since } = value as Record<
    string,
    unknown
  >
  if (typeof by !== 'string' || typeof name !== 'string') return undefined
  return {
    by,
    name,
    mayWrite: mayWrite === true,
    reached: reached === true,
    ...((typeof owner === 'string' || owner === null) && { owner }),
    ...((typeof operator === 'number' || operator === null) && { operator }),
    ...(typeof importId === 'number' && { importId }),
    ...(typeof stage === 'string' && { stage }),
    ...(typeof since === 'number' && { since }),
    ...(isTexts(tags) && { tags }),
    ...(isTexts(programs) && { programs }),
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string')

/** How a lead began, in one verb: the person wrote, or someone at the school imported or entered them. */
export const beganInWords = (entered: Entered | undefined): string =>
  entered === undefined || entered.since !== undefined
    ? 'first wrote'
    : entered.importId === undefined
      ? 'entered'
      : 'imported'
