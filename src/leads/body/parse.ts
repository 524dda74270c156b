/**
 * Turns any JSON into a body that is safe to store, or into all of its problems, in field order. A body that has passed
 * this is never checked again.
 */
import { isPlainObject } from '../../platform/json.ts'
import { siteInterestSchema, studentInterestSchema } from './body-schemas.ts'
import { meansDryRun } from './dry-run-name.ts'
import { type FieldRule, type ParseContext, parseStartedAt, parseText, type Verdict } from './field-formats.ts'
import { REACH } from './person-key.ts'
import { plainValue } from './plain-values.ts'
import { bodyTypeOf, type Problem, printable, typeOf } from './problems.ts'
import type { Body, Kind } from './submission.ts'
import { isBlank, resembles, tidy } from './tidy-text.ts'

export type { ParseContext } from './field-formats.ts'

const UNKNOWN_NAMED = 5

type ParseFailure = { ok: false; problems: readonly Problem[] }

export type ParsedSite =
  | { ok: true; value: Body['site'] }
  /** `trapped`: the body, if only the filled-in honeypot is wrong with it. */
  | (ParseFailure & { trapped?: Body['site'] })

/**
 * The result of parsing. Whether or not the body is valid, the result has the body's key, so that problems with the
 * header's key can be reported, too.
 */
export type ParsedStudent = ({ ok: true; value: Body['student'] } | ParseFailure) & {
  idempotencyKey?: string | undefined
  /** Whether the problems already say what is wrong with the key. */
  keyRefused?: boolean
}

type Field = { field: string; rule: FieldRule; required: boolean }

/** The fields of a schema, in their order. */
type Fields = { all: readonly Field[]; names: ReadonlySet<string> }

type ObjectSchema = { properties: Record<string, FieldRule>; required: readonly string[] }

const fieldsOf = ({ properties, required }: ObjectSchema): Fields => ({
  all: Object.entries(properties).map(([field, rule]) => ({ field, rule, required: required.includes(field) })),
  names: new Set(Object.keys(properties)),
})

const siteFields = fieldsOf(siteInterestSchema)
const studentFields = fieldsOf(studentInterestSchema)

/** Reads the body of operation A. */
export function parseSiteInterest(body: unknown, context: ParseContext): ParsedSite {
  if (!isPlainObject(body)) return notAnObject(body)
  const { found, values } = readFields(body, siteFields, context)
  found.push(...unknownProperties(body, siteFields))
  const value = values as Body['site']
  if (found.length === 0) return { ok: true, value }
  const failed: ParseFailure = { ok: false, problems: found }
  const onlyTheTrap = found.length === 1 && value.website !== undefined && value.website !== ''
  return onlyTheTrap ? { ...failed, trapped: value } : failed
}

/** Reads the body of operation B. The key may be in a header instead, so a missing key is reported later. */
export function parseStudentInterest(body: unknown, context: ParseContext): ParsedStudent {
  if (!isPlainObject(body)) return { ...notAnObject(body), keyRefused: true }
  const { found, values, key: idempotencyKey } = readFields(body, studentFields, context)
  // Other properties are ignored. But if they show that a client wants a dry run, it must not submit.
  found.push(...severalOf(unknownIn(body, studentFields).filter(meansDryRun), dryRun))
  const value = values as Body['student']
  const keyRefused = found.some(problem => 'field' in problem && problem.field === 'idempotencyKey')
  if (found.length > 0) return { ok: false, problems: found, idempotencyKey, keyRefused }
  return { ok: true, value, idempotencyKey }
}

/** The properties of a body that operation B ignores, safe to print; at most 20 of them. */
export const ignoredProperties = (body: unknown): string[] =>
  isPlainObject(body) ? unknownIn(body, studentFields).slice(0, 20).map(printable) : []

/**
 * The properties of a body that only the other operation has, if the body was clearly meant for it; otherwise none. A
 * client's student form may have other fields, so operation B looks for two properties that every site interest has.
 */
export function meantForOther(kind: Kind, body: unknown): readonly string[] {
  if (!isPlainObject(body)) return []
  const has = (name: string) => Object.hasOwn(body, name)
  if (kind === 'site') return SITE_PROOF.some(has) ? [] : STUDENT_ONLY.filter(has)
  return SITE_PROOF.every(has) && !STUDENT_ONLY.some(has) ? SITE_ONLY.filter(has) : []
}

const SITE_ONLY = [...siteFields.names.difference(studentFields.names)]
const STUDENT_ONLY = [...studentFields.names.difference(siteFields.names)]
const SITE_PROOF = ['company', 'startedAt']

/** The longest message that someone at the school may enter or import, such as years of notes, in characters. */
export const LONGEST_BY_STAFF = 10_000

/** Copies the known fields, in the order of the schema, into a new object; the key is returned separately. */
function readFields(body: Record<string, unknown>, fields: Fields, context: ParseContext) {
  const found: Problem[] = []
  const values: Record<string, unknown> = {}
  let key: string | undefined
  for (const { field, rule: general, required: always } of fields.all) {
    const rule = context.onBehalf && field === 'message' ? { ...general, maxLength: LONGEST_BY_STAFF } : general
    const required = always && !(context.onBehalf && REACH.includes(field))
    const raw = Object.hasOwn(body, field) ? body[field] : undefined
    let value = plainValue(field, raw, rule, context)
    if (value === undefined) {
      const verdict = readField(field, raw, rule, required, body, context)
      value = verdict?.value
      if (verdict?.problem !== undefined) found.push(verdict.problem)
    }
    if (value === undefined) continue
    if (rule.format === 'key') key = value as string
    else values[field] = value
  }
  const said = (field: string) =>
    field in values || found.some(problem => 'field' in problem && problem.field === field)
  if (context.onBehalf && !REACH.some(said)) found.push({ code: 'unreachable', field: 'email' })
  return { found, values, key }
}

/** The verdict on one field; undefined if it is optional and absent. */
function readField(
  field: string,
  raw: unknown,
  rule: FieldRule,
  required: boolean,
  body: Record<string, unknown>,
  context: ParseContext,
): Verdict | undefined {
  if (rule.format === 'honeypot') return readHoneypot(field, raw)
  if (raw === undefined) {
    return required || isAsked(field, context)
      ? { problem: { code: 'missing', field, sentAs: misspelled(field, body) } }
      : undefined
  }
  if (rule.format === 'startedAt') return parseStartedAt(field, raw, context)
  if (typeof raw !== 'string') return { problem: { code: 'notAString', field, is: typeOf(raw) } }
  if (isBlank(raw)) {
    return required || isAsked(field, context) ? { problem: { code: 'empty', field } } : undefined
  }
  return parseText(field, raw, rule, context)
}

const isAsked = (field: string, { required }: ParseContext): boolean => required?.includes(field) === true

/** A filled-in honeypot is both a problem to report and a value that people see in quarantine. */
function readHoneypot(field: string, raw: unknown): Verdict {
  if (raw === undefined) return { problem: { code: 'honeypotMissing', field } }
  if (raw === '') return { value: '' }
  if (typeof raw !== 'string') return { problem: { code: 'honeypotType', field, is: typeOf(raw) } }
  const shown = tidy(
    raw
      .slice(0, 200)
      .toWellFormed()
      .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ''),
  )
  return { problem: { code: 'honeypot', field }, value: shown || '(blank)' }
}

function unknownProperties(body: Record<string, unknown>, fields: Fields): Problem[] {
  return severalOf(unknownIn(body, fields), name =>
    meansDryRun(name)
      ? dryRun(name)
      : { code: 'unknown', name, meant: fields.names.keys().find(known => resembles(name, known)) },
  )
}

const dryRun = (name: string): Problem => ({ code: 'dryRun', name })

/** The problems with the first names, and how many more there are, so that an error stays short. */
function severalOf(names: readonly string[], problem: (name: string) => Problem): Problem[] {
  const named = names.slice(0, UNKNOWN_NAMED).map(problem)
  const more = names.length - named.length
  return more > 0 ? [...named, { code: 'moreUnknown', count: more }] : named
}

const unknownIn = (body: object, fields: Fields): string[] => Object.keys(body).filter(name => !fields.names.has(name))

/** The name under which the client seems to have sent a required field. */
const misspelled = (field: string, body: Record<string, unknown>): string | undefined =>
  Object.keys(body)
    .slice(0, 100)
    .find(name => resembles(name, field))

const notAnObject = (body: unknown): ParseFailure => ({
  ok: false,
  problems: [body === undefined ? { code: 'emptyBody' } : { code: 'notAnObject', is: bodyTypeOf(body) }],
})
