/**
 * The parts of the settings that are edited in the console. The settings file is the start: a part is as the
 * file says until someone edits it. From then on the newest version in the database is in force, in every
 * process, and for that part the file is not, until someone chooses "as the settings file says".
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { emailKey } from '../leads/body/email.ts'
import { type FormerMember, MANAGER, memberName } from '../leads/lead/staff.ts'
import { SECOND } from '../platform/time.ts'
import type { Settings } from './all-settings.ts'
import { type Edited, type EditedPart, editedParts, inFile, parts } from './edited-parts.ts'

/** The newest version of a part, and what is wrong with it by now: the settings file may have changed since. */
export type Edition = {
  id: number
  at: number
  by: string
  /** Whether it says that the settings file is in force. */
  fromFile: boolean
  problems: string[]
}

export type SettingsInForce = {
  settings: Settings
  /** What the settings file and the defaults say. */
  fromFile: Settings
  /** What was edited in the console. */
  edited: Partial<Record<EditedPart, Edition | undefined>>
}

/** A version as the store has it. */
type Version = { id: number; part: string; value: unknown; createdAt: number; createdBy: string }

/**
 * Reads the newest versions and puts them in force in `config`. Also reads who was on the team in any version, since
 * leads and timelines name them, and who cannot sign in.
 */
export async function readInForce(store: Versions, config: SettingsInForce): Promise<void> {
  const { versions, disabled } = await store.currentEditedSettings()
  const isNew = versions.some(({ part, id }) => part === 'team' && isNewer(id, part, config))
  const teams = isNew ? await store.listEditedSettings('team', { limit: MOST_VERSIONS }) : []
  putInForce(config, versions)
  const { admissions } = config.settings
  if (isNew) admissions.former = formerMembers(teams, config)
  admissions.lockedOut = idsAt(disabled, admissions)
}

/** The ids of the people on the team who have one of these addresses, given as their keys. */
function idsAt(keys: readonly string[], { counselors, manager }: Settings['admissions']): string[] {
  const people = [...counselors, ...(manager ? [{ id: MANAGER, email: manager.email }] : [])]
  return people.filter(({ email }) => keys.includes(emailKey(email))).map(({ id }) => id)
}

const MOST_VERSIONS = 1000

/**
 * Everyone who was on the team in one of these versions, newest first, or in the settings file, and is not on the
 * team in force.
 */
function formerMembers(
  versions: readonly Pick<Version, 'value'>[],
  { settings, fromFile }: SettingsInForce,
): FormerMember[] {
  const former = new Map<string, FormerMember>()
  const teams = versions.map(({ value }) => value as Partial<Edited['team']> | null)
  for (const team of [...teams, fromFile.admissions]) {
    const manager = team?.manager && { id: MANAGER, name: team.manager.name }
    for (const { id, name } of [...(team?.counselors ?? []), ...(manager ? [manager] : [])])
      if (memberName(id, settings.admissions) === undefined && !former.has(id)) former.set(id, { id, name })
  }
  return [...former.values()]
}

/**
 * Changes `config` in place, so that these versions, the newest of each part, are in force. If a version does not
 * have the right shape, because another version of Frontdesk saved it, the settings file stays in force.
 */
export function putInForce(config: SettingsInForce, versions: readonly Version[]): void {
  for (const part of editedParts) {
    const version = versions.find(one => one.part === part)
    // Two readings may end in the other order.
    if (version !== undefined && isNewer(version.id, part, config)) replace(part, version, config)
  }
}

const isNewer = (id: number, part: EditedPart, { edited }: SettingsInForce): boolean => id > (edited[part]?.id ?? 0)

function replace<P extends EditedPart>(part: P, version: Version, config: SettingsInForce): void {
  const { settings } = config
  const edited = version.value ?? undefined
  const unfit: string[] = []
  const shaped = edited && parts[part].shape(edited, unfit)
  const usable = shaped && unfit.length === 0 ? shaped : undefined
  parts[part].apply(settings, usable ?? inFile(part, config))
  config.edited[part] = {
    id: version.id,
    at: version.createdAt,
    by: version.createdBy,
    fromFile: usable === undefined,
    problems: usable ? parts[part].problemsOf(usable, settings) : unfit,
  }
}

/** How often each process looks for edits that no one announced to it, in milliseconds. */
const POLL = 5 * SECOND

type Versions = {
  /** `disabled`: the keys of the addresses of those who cannot sign in. */
  currentEditedSettings(): Promise<{ versions: Version[]; disabled: string[] }>
  listEditedSettings(part: EditedPart, page: { limit: number }): Promise<Version[]>
}

type SettingsSources = {
  store: Versions & { announceSettings(): void; onSettingsEdited(listener: () => void): void }
  config: SettingsInForce
}

export type EditsInForce = {
  /**
   * Puts in force what other processes have saved, without waiting for an announcement. To be called before an edit:
   * a page may come from a process that knew more than this one.
   */
  catchUp(): Promise<void>
  /** To be called after an edit here: it is then in force in every process. */
  edited(): Promise<void>
}

/** Keeps what is edited in force until `signal` is aborted. */
export function keepInForce({ store, config }: SettingsSources, signal: AbortSignal): EditsInForce {
  const read = () => readInForce(store, config)
  // A database that is away says so everywhere else; what was in force stays.
  const tryToRead = () => void (signal.aborted || read().catch(() => {}))
  store.onSettingsEdited(tryToRead)
  const poll = async () => {
    while (await sleep(POLL, true, { signal, ref: false }).catch(() => false)) tryToRead()
  }
  void poll()
  const edited = async () => {
    await read()
    store.announceSettings()
  }
  return { catchUp: read, edited }
}
