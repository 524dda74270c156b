/**
 * The parts of the settings that are edited in the console. Until someone edits a part, the settings file is in force
 * for it. From then on, its newest version in the database is in force, in every process, until someone chooses "as the
 * settings file says".
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { emailKey } from '../leads/body/email.ts'
import type { Role } from '../leads/lead/roles.ts'
import { type FormerMember, MANAGER, memberName, peopleOn } from '../leads/lead/staff.ts'
import { SECOND } from '../platform/time.ts'
import type { Settings } from './all-settings.ts'
import { type Edited, type EditedPart, editedParts, inFile, parts } from './edited-parts.ts'

/** The newest version of a part, and what is wrong with it now, since the settings file may have changed. */
export type Edition = {
  id: number
  at: number
  by: string
  /** Whether this version returns to the settings file. */
  fromFile: boolean
  problems: string[]
}

export type SettingsInForce = {
  settings: Settings
  /** The settings according to the file and the defaults. */
  fromFile: Settings
  edited: Partial<Record<EditedPart, Edition | undefined>>
}

/** A version as the store returns it. */
type Version = { id: number; part: string; value: unknown; createdAt: number; createdBy: string }

/**
 * Reads the newest versions and puts them in force in `config`. Also reads who was on the team in any version, since
 * leads and timelines name these people, and what people on the team may do in the console.
 */
export async function readInForce(store: Versions, config: SettingsInForce): Promise<void> {
  const { versions, operators } = await store.currentEditedSettings()
  const isNew = versions.some(({ part, id }) => part === 'team' && isNewer(id, part, config))
  const brand = versions.find(({ part, id }) => part === 'brand' && isNewer(id, part, config))
  if (brand !== undefined) config.settings.uploadedLogos = await uploadedLogos(brand, store)
  const teams = isNew ? await store.listEditedSettings('team', { limit: MOST_VERSIONS }) : []
  putInForce(config, versions)
  const { admissions } = config.settings
  if (isNew) admissions.former = formerMembers(teams, config)
  const known = peopleOn<{ email: string }>(admissions).flatMap(({ id, email }) => {
    const operator = operators.find(({ key }) => key === emailKey(email))
    return operator === undefined ? [] : [{ id, ...operator }]
  })
  admissions.access = Object.fromEntries(known.map(({ id, role, disabled }) => [id, disabled ? 'none' : role]))
}

/**
 * The files that a version of the brand names, read before it is in force, since pages are made from it immediately.
 */
async function uploadedLogos({ value }: Pick<Version, 'value'>, store: Versions): Promise<Record<string, Uint8Array>> {
  const { brand } = (value ?? {}) as Partial<Edited['brand']>
  const names = [brand?.logoFile, brand?.logoDarkFile].filter(name => name !== undefined)
  const found = await Promise.all(names.map(async name => [name, await store.readSchoolFile(name)] as const))
  return Object.fromEntries(found.flatMap(([name, bytes]) => (bytes === undefined ? [] : [[name, bytes]])))
}

const MOST_VERSIONS = 1000

/** Everyone who was on the team in one of these versions (newest first) or in the settings file, and is not now. */
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
    // Two readings may finish in reverse order.
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

/** How often each process looks for edits that were not announced to it, in milliseconds. */
const POLL = 5 * SECOND

type Versions = {
  /** `key`: the key of an operator's address. */
  currentEditedSettings(): Promise<{
    versions: Version[]
    operators: readonly { key: string; role: Role; disabled: boolean }[]
  }>
  listEditedSettings(part: EditedPart, page: { limit: number }): Promise<Version[]>
  readSchoolFile(name: string): Promise<Uint8Array | undefined>
}

type SettingsSources = {
  store: Versions & { announceSettings(): void; onSettingsEdited(listener: () => void): void }
  config: SettingsInForce
}

export type EditsInForce = {
  /**
   * Puts in force what other processes have saved, without waiting for an announcement. Call it before an edit: the
   * page may come from a process that knew more than this one.
   */
  catchUp(): Promise<void>
  /** Call it after an edit in this process: the edit is then in force in every process. */
  edited(): Promise<void>
}

/** Keeps what is edited in force until `signal` is aborted. */
export function keepInForce({ store, config }: SettingsSources, signal: AbortSignal): EditsInForce {
  const read = () => readInForce(store, config)
  // If the database is unavailable, that is reported elsewhere, and the settings in force stay.
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
