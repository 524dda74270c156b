/**
 * The operator's settings: what `frontdesk.config.ts` may say (`all-settings.ts`: limits and defaults). Facts about
 * the school and choices of policy live here; URLs, ports and secrets live in the environment (`environment.ts`).
 */
import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { EmailAddress } from '../leads/body/email.ts'
import { isUrl } from '../platform/is-url.ts'
import { isPlainObject } from '../platform/json.ts'
import { defaultSettings, type Settings, settingsShape, type WrittenSettings } from './all-settings.ts'
import { crossChecks } from './cross-checks.ts'

export { defaultSettings, type Settings } from './all-settings.ts'

/** The settings as `frontdesk.config.ts` may write them: any entry may be left out. */
export type PartialSettings = DeepPartial<WrittenSettings>
type DeepPartial<T> = T extends readonly unknown[]
  ? Input<T>
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T
/** The type as the operator writes it: an email address is any text until it has been checked. */
type Input<T> = T extends EmailAddress
  ? string
  : T extends readonly (infer One)[]
    ? readonly Input<One>[]
    : T extends object
      ? { [K in keyof T]: Input<T[K]> }
      : T

/**
 * Reads the settings file and fills in the defaults. A missing file is a problem only if FRONTDESK_CONFIG names it
 * (`required`). Node.js reads a file only once; a `version` such as `?2` makes it read the file again.
 *
 * Returns the settings, what the file says, and every problem found, one sentence each. If there is a problem, the
 * settings must not be used.
 */
export async function loadSettings(
  file: string,
  { required, version = '' }: { required: boolean; version?: string },
): Promise<{ settings: Settings; given?: PartialSettings; problems: string[] }> {
  const path = resolve(file)
  if (!existsSync(path)) {
    const problems = required ? [`FRONTDESK_CONFIG names ${file}, which does not exist`] : []
    return { settings: defaultSettings, problems }
  }
  try {
    const module: { default?: unknown } = await import(pathToFileURL(path).href + version)
    return checkSettings(module.default, file)
  } catch (error) {
    return { settings: defaultSettings, problems: [`${file} cannot be read: ${positionIn(path, error)}${error}`] }
  }
}

/** `line 4, column 5: `, from the trace of an error that loading `file` has thrown; empty if it names no line. */
function positionIn(file: string, error: unknown): string {
  const trace = error instanceof Error ? (error.stack ?? '') : ''
  const [, line, column] =
    new RegExp(`${RegExp.escape(basename(file))}(?:\\?[^:\\s]*)?:(\\d+)(?::(\\d+))?`).exec(trace) ?? []
  if (line === undefined) return ''
  // A syntax error names the line only, and points at the place with a caret below it.
  const [, indent] = /^( *)\^/m.exec(trace) ?? []
  const at = column ?? (indent === undefined ? undefined : indent.length + 1)
  return at === undefined ? `line ${line}: ` : `line ${line}, column ${at}: `
}

/**
 * Fills in the defaults and checks the result. Paths in the settings are relative to the folder of the file. Each
 * problem begins with the name of the file.
 */
export function checkSettings(given: unknown, file = 'frontdesk.config.ts') {
  if (!isPlainObject(given)) {
    return {
      settings: defaultSettings,
      problems: [`${file} must have an object as its default export: export default { … }`],
    }
  }
  const problems: string[] = []
  let settings = settingsShape(merge(defaultSettings, given), '', problems)
  if (problems.length === 0) {
    settings = withPaths(settings, dirname(resolve(file)))
    problems.push(...crossChecks(settings))
  }
  return { settings, given: given as PartialSettings, problems: problems.map(problem => `${file}: ${problem}`) }
}

function withPaths(settings: Settings, folder: string): Settings {
  const { content, mail, school } = settings
  const { logo, logoDark } = school.brand
  return {
    ...settings,
    school: {
      ...school,
      brand: {
        ...school.brand,
        ...(logo !== undefined && { logo: logoIn(folder, logo) }),
        ...(logoDark !== undefined && { logoDark: logoIn(folder, logoDark) }),
      },
    },
    ...(content !== undefined && { content: resolve(folder, content) }),
    mail: {
      ...mail,
      ...(mail.dkim && { dkim: { ...mail.dkim, privateKeyFile: resolve(folder, mail.dkim.privateKeyFile) } }),
    },
  }
}

const logoIn = (folder: string, logo: string): string => (isUrl(logo) ? logo : resolve(folder, logo))

function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base
  if (!isPlainObject(base) || !isPlainObject(over)) return over
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) merged[key] = merge(merged[key], value)
  return merged
}
