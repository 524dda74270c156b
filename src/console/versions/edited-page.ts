/** Saves what managers edit in the console, as one version, unless someone else has saved another one first. */
import { checkEdited, type Edited, type EditedPart, inFile, parts } from '../../config/edited-parts.ts'
import { createShortDateFormat } from '../../content/date-format.ts'
import type { SettingsVersion } from '../../store/edited/edited-settings.ts'
import type { SchoolFile } from '../../store/edited/school-files.ts'
import type { Action } from '../frame/access.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import type { Flash } from '../frame/flash.ts'
import type { Html } from '../frame/layout.ts'

/** Something that is edited in the console, for the pages of its versions. */
export type EditedPage<P extends EditedPart = EditedPart> = {
  part: P
  /** The path of the page that shows the part. The pages of its versions are below this path. */
  path: string
  /** What an operator must be allowed to do. */
  action: Action
  /** How a later version differs, one sentence for each change; empty if it does not. */
  differences(before: Edited[P], after: Edited[P], deps: ConsoleDeps): string[]
  /** Shows everything that a version contains. */
  show(value: Edited[P], deps: ConsoleDeps): Html
  /** Links that start an edit from a version. */
  editFrom?(id: number): Html
  /** Throws a ConsoleError if a valid version cannot be put in force at this moment. */
  forbid?(value: Edited[P], deps: ConsoleDeps): Promise<void>
  /** Carries out the consequences of a version that has just come into force. `before`: the value until then. */
  follow?(c: ConsoleContext, deps: ConsoleDeps, before: Edited[P]): Promise<void>
}

export type NewEdit = {
  /** The version that the person saw; 0 if there was none. */
  replaces: number
  /** The value of the version; null to return to the settings file. */
  value: unknown
  /** What changes, or why, for the list of versions. */
  note: string
  /** What was changed, for the audit log. Default: the note. */
  detail?: string
  /** New files that the value names. */
  files?: readonly SchoolFile[]
  /** The action in the audit log. Default: that they edited the part. */
  did?: string
}

/**
 * `problems`: what is wrong with the value, in the sentences of the settings. `before`: the version that someone else
 * saved first, which is now in force.
 */
export type Saved = { saved: number } | { problems: string[] } | { before: SettingsVersion | undefined }

/** Checks and saves a version, which is then in force in every process. */
export async function saveEdited(
  c: ConsoleContext,
  deps: ConsoleDeps,
  part: EditedPart,
  { replaces, value, note, detail = note, files = [], did = `edited ${parts[part].name}` }: NewEdit,
): Promise<Saved> {
  const { store, clock, settings, settingsEdited } = deps
  const checked = value === null ? { value: null, problems: [] } : checkEdited(part, value, settings)
  if (checked.problems.length > 0) return { problems: checked.problems }
  const by = c.get('operator').name
  const [audit] = auditEntries(c, did, { detail: detail.slice(0, 500) })
  const now = clock.now()
  const version = { part, value: checked.value, replaces, by, note: note.slice(0, 200), now, files, audit }
  const saved = await store.saveEditedSettings(version)
  await settingsEdited()
  if (saved !== 'before') return { saved: saved.id }
  const [newest] = await store.listEditedSettings(part, { limit: 1 })
  return { before: newest }
}

/** The version of a part that is in force: 0 as long as no one has edited it. */
export const versionInForce = (part: EditedPart, { config }: Pick<ConsoleDeps, 'config'>): number =>
  config.edited[part]?.id ?? 0

/** The value of a version; without one, the value in the settings file. */
export const valueIn = <P extends EditedPart>(
  part: P,
  version: Pick<SettingsVersion, 'value'> | undefined,
  { config }: Pick<ConsoleDeps, 'config'>,
): Edited[P] => (version?.value as Edited[P] | null | undefined) ?? inFile(part, config)

/** The button that puts the version `before` in force again. It works while `replaces` is in force. */
export const undoOf = (
  { path }: Pick<EditedPage, 'path'>,
  before: number,
  replaces: number,
): NonNullable<Flash['undo']> => ({
  path: `${path}/back`,
  fields: { version: String(before), replaces: String(replaces) },
})

/** Where the value of a part comes from: the settings file, or an edit here. */
export function whereFrom(part: EditedPart, { config, settings, clock }: ConsoleDeps): string {
  const edition = config.edited[part]
  const { name } = parts[part]
  return edition === undefined || edition.fromFile
    ? 'From the settings file. Your first change here replaces it.'
    : `Edited here, last by ${edition.by} (${createShortDateFormat(settings.school)(edition.at, clock.now())}). What the settings file says about ${name} is not in force.`
}

/** The start of a message to someone whose edit came too late: who saved another version meanwhile, and when. */
export function whoWasFaster(part: EditedPart, { config, settings, clock }: ConsoleDeps): string {
  const edition = config.edited[part]
  const moment = edition && createShortDateFormat(settings.school)(edition.at, clock.now())
  return `${edition?.by ?? 'Someone'} changed ${parts[part].name} while you were editing${moment ? ` (${moment})` : ''}.`
}
