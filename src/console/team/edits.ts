/** Saving edits of the team as one version, unless someone else saved another version first. */
import type { Edited } from '../../config/edited-parts.ts'
import type { Settings } from '../../config/settings.ts'
import { emailKey } from '../../leads/body/email.ts'
import { MANAGER, TEAM } from '../../leads/lead/staff.ts'
import { freeName, slug } from '../../platform/free-name.ts'
import type { SettingsVersion } from '../../store/edited/edited-settings.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { type Saved, saveEdited } from '../versions/edited-page.ts'

export type Counselor = Settings['admissions']['counselors'][number]

export type Edit = {
  /** The version that the person saw. */
  replaces: number
  team: unknown
  /** What changes, in words: `added Kim Lee`. */
  note: string
}

/** Who saved that other version, and what it changed, as the end of a sentence that says that nothing was saved. */
export const wasFaster = (before: SettingsVersion | undefined): string =>
  `${before?.createdBy ?? 'someone'} was faster and saved: ${before?.note}.`

export const saveTeam = (c: ConsoleContext, deps: ConsoleDeps, { team, ...edit }: Edit): Promise<Saved> =>
  saveEdited(c, deps, 'team', { ...edit, value: team })

/** The team in force with other counselors, or another manager. */
export const teamWith = (
  { settings }: Pick<ConsoleDeps, 'settings'>,
  changed: Partial<Record<keyof Edited['team'], unknown>>,
): unknown => {
  const { counselors, manager } = settings.admissions
  const team = { counselors, manager, ...changed }
  return team.manager === undefined ? { counselors: team.counselors } : team
}

/** The counselors without this one. Anyone who had this one as a backup no longer has a backup. */
export const withoutCounselor = ({ settings }: Pick<ConsoleDeps, 'settings'>, id: string) =>
  settings.admissions.counselors
    .filter(one => one.id !== id)
    .map(({ backup, ...one }) => (backup === undefined || backup === id ? one : { ...one, backup }))

/**
 * The counselors, with one who had left the team put back with their last data and place. They also become the backup
 * of the same people again. Undefined if no version of the team contains them.
 */
export async function withFormerCounselor(
  { store, settings, config }: ConsoleDeps,
  id: string,
): Promise<Counselor[] | undefined> {
  const versions = await store.listEditedSettings('team', { limit: 1000 })
  const teams = versions.map(({ value }) => (value as Edited['team'] | null)?.counselors ?? [])
  const then = [...teams, config.fromFile.admissions.counselors].find(team => team.some(one => one.id === id))
  const former = then?.find(one => one.id === id)
  if (then === undefined || former === undefined) return undefined
  const { counselors } = settings.admissions
  const here = new Set(counselors.map(one => one.id))
  const { backup, ...alone } = former
  const returning = backup === undefined || !here.has(backup) ? alone : { ...alone, backup }
  const wasBackupOf = new Set(then.filter(one => one.backup === id).map(one => one.id))
  const others = counselors.map(one =>
    wasBackupOf.has(one.id) && one.backup === undefined ? { ...one, backup: id } : one,
  )
  return others.toSpliced(then.indexOf(former), 0, returning as Counselor)
}

/**
 * The id of a new counselor, made from their name. Someone who was on the team before, with that address, gets their
 * former id. No one gets another person's id, since that person may still have leads.
 */
export async function newId(
  { store, settings, config }: ConsoleDeps,
  { name, email }: { name: string; email: string },
): Promise<string> {
  const versions = await store.listEditedSettings('team', { limit: 1000 })
  const former = versions.flatMap(({ value }) => (value as Edited['team'] | null)?.counselors ?? [])
  const everyone = [...former, ...config.fromFile.admissions.counselors]
  const here = new Set(settings.admissions.counselors.map(({ id }) => id))
  const same = everyone.find(one => emailKey(one.email) === emailKey(email) && !here.has(one.id))
  if (same !== undefined) return same.id
  const owners = (await store.listOwners()).map(({ owner }) => owner)
  const taken = new Set([...here, ...everyone.map(({ id }) => id), ...owners, MANAGER, TEAM])
  return freeName(slug(name, 30) || 'counselor', taken)
}
