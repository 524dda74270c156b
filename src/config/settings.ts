/**
 * The operator's settings: what `frontdesk.config.ts` may say, with its limits and defaults.
 * Facts about the school and choices of policy live here; addresses, ports and secrets live in the
 * environment (`environment.ts`).
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  integer,
  isPlainObject,
  listOf,
  object,
  oneOf,
  optional,
  recordOf,
  type Shaped,
  text,
} from './shape.ts'

const weight = integer(0, 10)

const answers = object({
  allowed: optional(
    listOf(text(120, { like: /^[0-9] - \S/, wanted: 'an answer such as "2 - Comparing schools"' })),
  ),
  hotter: optional(oneOf('low', 'high')),
})

const settingsShape = object({
  school: object({
    name: text(120),
    phone: optional(text(40)),
    website: optional(text(200)),
    postalAddress: optional(text(300)),
    timeZone: text(60),
    country: text(2, { like: /^[A-Z]{2}$/, wanted: 'a country code such as US' }),
  }),
  content: optional(text(500)),
  siteInterest: object({ honeypot: oneOf('reject', 'accept') }),
  studentInterest: object({
    states: recordOf(text(3, { like: /^[A-Z]{2,3}$/, wanted: 'a code of 2 or 3 letters' })),
    answers: object({
      interestLevel: optional(answers),
      timeline: optional(answers),
      experience: optional(answers),
      source: optional(answers),
    }),
  }),
  screening: object({
    threshold: integer(1, 100),
    weights: object({
      tooFast: weight,
      tooOld: weight,
      ahead: weight,
      links: weight,
      disposable: weight,
      sharedText: weight,
    }),
  }),
  quarantine: object({
    days: integer(1, 365),
    capacity: integer(1, 100_000),
    digestHour: integer(0, 23),
  }),
  mail: object({
    dkim: optional(object({ domain: text(253), selector: text(63), privateKeyFile: text(500) })),
  }),
})

export type Settings = Shaped<typeof settingsShape>

/** What `frontdesk.config.ts` may leave out: any of it. */
export type PartialSettings = DeepPartial<Settings>
type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T

/** Checks the shape of a settings file while it is being written. Changes nothing. */
export const defineSettings = (settings: PartialSettings): PartialSettings => settings

export const defaultSettings: Settings = {
  school: { name: 'Example Vocational School', timeZone: 'America/New_York', country: 'US' },
  siteInterest: { honeypot: 'reject' },
  studentInterest: { states: {}, answers: {} },
  screening: {
    threshold: 3,
    weights: { tooFast: 1, tooOld: 1, ahead: 1, links: 2, disposable: 2, sharedText: 2 },
  },
  quarantine: { days: 30, capacity: 1000, digestHour: 8 },
  mail: {},
}

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

function crossChecks(settings: Settings): string[] {
  const problems: string[] = []
  const { threshold, weights } = settings.screening
  for (const [signal, value] of Object.entries(weights)) {
    // One signal alone never holds a lead back.
    if (value >= threshold) {
      problems.push(`screening.weights.${signal} must be below screening.threshold`)
    }
  }
  if (!isTimeZone(settings.school.timeZone)) {
    problems.push(`school.timeZone is not a time zone (an example: America/Chicago)`)
  }
  if (settings.content !== undefined && !existsSync(settings.content)) {
    problems.push(`content names the folder ${settings.content}, which does not exist`)
  }
  const keyFile = settings.mail.dkim?.privateKeyFile
  if (keyFile !== undefined && !existsSync(keyFile)) {
    problems.push(`mail.dkim.privateKeyFile names ${keyFile}, which does not exist`)
  }
  return problems
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base
  if (!isPlainObject(base) || !isPlainObject(over)) return over
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) merged[key] = merge(merged[key], value)
  return merged
}
