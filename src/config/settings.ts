/**
 * The operator's settings: what `frontdesk.config.ts` may say, with its limits and defaults.
 * Facts about the school and choices of policy live here; addresses, ports and secrets live in the
 * environment (`environment.ts`).
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const weight = Type.Integer({ minimum: 0, maximum: 10 })

const Answers = Type.Object(
  {
    allowed: Type.Optional(Type.Array(Type.String({ pattern: '^\\d - \\S' }), { minItems: 1 })),
    hotter: Type.Optional(Type.Union([Type.Literal('low'), Type.Literal('high')])),
  },
  { additionalProperties: false },
)

const SettingsSchema = Type.Object(
  {
    school: Type.Object(
      {
        name: text(120),
        phone: Type.Optional(text(40)),
        website: Type.Optional(text(200)),
        postalAddress: Type.Optional(text(300)),
        timeZone: text(60),
        country: Type.String({ pattern: '^[A-Z]{2}$' }),
      },
      { additionalProperties: false },
    ),
    content: Type.Optional(text(500)),
    siteInterest: Type.Object(
      { honeypot: Type.Union([Type.Literal('reject'), Type.Literal('accept')]) },
      { additionalProperties: false },
    ),
    studentInterest: Type.Object(
      {
        states: Type.Record(Type.String(), Type.String({ pattern: '^[A-Z]{2,3}$' })),
        answers: Type.Object(
          {
            interestLevel: Type.Optional(Answers),
            timeline: Type.Optional(Answers),
            experience: Type.Optional(Answers),
            source: Type.Optional(Answers),
          },
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false },
    ),
    screening: Type.Object(
      {
        threshold: Type.Integer({ minimum: 1, maximum: 100 }),
        weights: Type.Object(
          {
            tooFast: weight,
            tooOld: weight,
            ahead: weight,
            links: weight,
            disposable: weight,
            sharedText: weight,
          },
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false },
    ),
    quarantine: Type.Object(
      {
        days: Type.Integer({ minimum: 1, maximum: 365 }),
        capacity: Type.Integer({ minimum: 1, maximum: 100_000 }),
        digestHour: Type.Integer({ minimum: 0, maximum: 23 }),
      },
      { additionalProperties: false },
    ),
    mail: Type.Object(
      {
        dkim: Type.Optional(
          Type.Object(
            { domain: text(253), selector: text(63), privateKeyFile: text(500) },
            { additionalProperties: false },
          ),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)

export type Settings = Static<typeof SettingsSchema>

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
  const settings = merge(defaultSettings, given) as Settings
  const problems = [...Value.Errors(SettingsSchema, settings)]
    .filter(error => error.keyword !== 'boolean')
    .map(error => `${file}: ${pathOf(error)} ${error.message}`)
  return { settings, problems: problems.length > 0 ? problems : crossChecks(settings, file) }
}

function crossChecks(settings: Settings, file: string): string[] {
  const problems: string[] = []
  const { threshold, weights } = settings.screening
  for (const [signal, value] of Object.entries(weights)) {
    // One signal alone never holds a lead back.
    if (value >= threshold) {
      problems.push(`${file}: screening.weights.${signal} must be below screening.threshold`)
    }
  }
  if (!isTimeZone(settings.school.timeZone)) {
    problems.push(`${file}: school.timeZone is not a time zone (an example: America/Chicago)`)
  }
  if (settings.content !== undefined && !existsSync(settings.content)) {
    problems.push(`${file}: content names the folder ${settings.content}, which does not exist`)
  }
  const keyFile = settings.mail.dkim?.privateKeyFile
  if (keyFile !== undefined && !existsSync(keyFile)) {
    problems.push(`${file}: mail.dkim.privateKeyFile names ${keyFile}, which does not exist`)
  }
  return problems
}

function pathOf(error: { instancePath: string; params: object }): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const extra = (error.params as { additionalProperties?: string[] }).additionalProperties
  return [path, extra ? `(${extra.join(', ')})` : ''].filter(Boolean).join(' ')
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

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
