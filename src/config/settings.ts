/**
 * The operator's settings: what `frontdesk.config.ts` may say, with its limits and defaults.
 * Facts about the school and choices of policy live here; addresses, ports and secrets live in the
 * environment (`environment.ts`).
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { EmailAddress } from '../leads/email.ts'
import { crossChecks } from './cross-checks.ts'
import { defaultSettings } from './defaults.ts'
import { type Settings, settingsShape } from './settings-shape.ts'
import { isPlainObject } from './shape.ts'

export { defaultSettings } from './defaults.ts'
export type { Settings } from './settings-shape.ts'

/** What `frontdesk.config.ts` may leave out: any of it. */
export type PartialSettings = DeepPartial<Settings>
type DeepPartial<T> = T extends readonly unknown[]
  ? Written<T>
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T
/** As it is written down: an address is any text until it has been checked. */
type Written<T> = T extends EmailAddress
  ? string
  : T extends readonly (infer One)[]
    ? readonly Written<One>[]
    : T extends object
      ? { [K in keyof T]: Written<T[K]> }
      : T

/** Checks the shape of a settings file while it is being written. Changes nothing. */
export const defineSettings = (settings: PartialSettings): PartialSettings => settings

/**
 * Reads the settings file, laid over the defaults. A file that does not exist is an error only when
 * it was named on purpose.
 *
 * Returns the settings and every problem found, in plain words; with a problem, the settings are
 * not to be used.
 */
export async function loadSettings(
  file: string,
  { required }: { required: boolean },
): Promise<{ settings: Settings; problems: string[] }> {
  const path = resolve(file)
  if (!existsSync(path)) {
    const problems = required ? [`FRONTDESK_CONFIG names ${file}, which does not exist`] : []
    return { settings: defaultSettings, problems }
  }
  try {
    const module: { default?: unknown } = await import(pathToFileURL(path).href)
    return checkSettings(module.default, file)
  } catch (error) {
    return { settings: defaultSettings, problems: [`${file} cannot be read: ${String(error)}`] }
  }
}

/** Lays partial settings over the defaults and checks the result; `file` names them in problems. */
export function checkSettings(given: unknown, file = 'frontdesk.config.ts') {
  if (!isPlainObject(given)) {
    return { settings: defaultSettings, problems: [`${file} must export default an object`] }
  }
  const problems: string[] = []
  const settings = settingsShape(merge(defaultSettings, given), '', problems)
  if (problems.length === 0) problems.push(...crossChecks(settings))
  return { settings, problems: problems.map(problem => `${file}: ${problem}`) }
}

function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base
  if (!isPlainObject(base) || !isPlainObject(over)) return over
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) merged[key] = merge(merged[key], value)
  return merged
}
