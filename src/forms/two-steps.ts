/**
 * A form in two steps. The first step asks how to reach the person, and what filing and routing need: it is an inquiry
 * by itself. The second step is another submission, which completes the first. A token that is made when the first is
 * stored identifies it. The token does not reveal its content, and cannot be used to add to any other submission.
 */
import type { SchoolForm } from '../config/school-form.ts'
import { contactFields, inFirstStep } from '../config/school-form.ts'
import type { StoredFirst } from '../http/second-step.ts'
import { isSigned, signature } from '../platform/signature.ts'
import { DAY } from '../platform/time.ts'
import type { FormFacts } from './form-facts.ts'
import type { Field } from './form-fields.ts'
import { answersIn } from './prefill.ts'
import { givenIn } from './shown-fields.ts'

type Values = Readonly<Record<string, string>>

/** The questions on a page: all of them, those of the first step, or those of the second. */
export type Step = 'whole' | 'first' | 'rest'

/** The hidden field that says which step was sent. The form's usual first page leaves it out. */
export const STEP = 'step'

/** The parameter with the token in the URL of the second step. */
export const REST = 'rest'

const FIRST_FIELDS: readonly string[] = [...contactFields.site, ...inFirstStep.questions]

/** Whether the first step asks a field. A field that follows from an answer is never asked before that answer. */
function isFirst({ name, own }: Field, fields: readonly Field[]): boolean {
  if (own?.later) return false
  if (!(own === undefined ? FIRST_FIELDS.includes(name) : inFirstStep.own.includes(own.type))) return false
  const before = fields.find(one => one.name === own?.showIf?.field)
  return own?.showIf === undefined || (before !== undefined && isFirst(before, fields))
}

/** The fields that one step asks. */
export function fieldsOfStep(fields: readonly Field[], step: Step): Field[] {
  if (step === 'whole') return fields.filter(({ own }) => !own?.later)
  return fields.filter(field => isFirst(field, fields) === (step === 'first'))
}

/** The step that a form begins with. If no questions are left for the second step, the form has only one step. */
export const firstStep = ({ form, fields }: Pick<FormFacts, 'form' | 'fields'>): Step =>
  form.steps === 'two' && fieldsOfStep(fields, 'rest').some(({ own }) => own?.type !== 'hidden' && !own?.later)
    ? 'first'
    : 'whole'

/** The step that a page begins with. On a shared tablet, the form has only one step. */
export const beginsWith = ({
  facts,
  asked,
}: {
  facts: Pick<FormFacts, 'form' | 'fields'>
  asked: { kiosk: boolean }
}) => (asked.kiosk ? 'whole' : firstStep(facts))

export function stepSent(facts: Pick<FormFacts, 'form' | 'fields'>, values: Values): Step {
  const said = values[STEP]
  return said === 'rest' || said === 'whole' ? said : firstStep(facts)
}

/** The answers of the first step that decide what the second step asks. */
export function carriedOver({ fields }: Pick<FormFacts, 'fields'>, values: Values): Record<string, string> {
  const decisive = new Set(fieldsOfStep(fields, 'rest').flatMap(({ own }) => own?.showIf?.field ?? []))
  const first = fieldsOfStep(fields, 'first').filter(({ name }) => decisive.has(name))
  return givenIn(
    values,
    first.map(({ name }) => name),
  )
}

/** The first step's answers, read from the parameters of a URL. */
export const carriedIn = (facts: Pick<FormFacts, 'fields'>, given: readonly (readonly [string, string])[]) =>
  carriedOver(facts, answersIn(facts.fields, given))

/** For this long, in milliseconds, what someone adds still belongs to what they have sent. */
export const REST_LIFETIME = DAY

/** Time, id, key, signature. */
const TOKEN = /^([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([\w-]{10,60})\.([\w-]{22})$/
const BYTES = 16

export type RestTokens = {
  issue(form: SchoolForm, first: StoredFirst, now: number): string
  /** Reads a token; undefined if we did not sign it for this form, or if it has expired. Never throws. */
  read(form: SchoolForm, token: string | undefined, now: number): (StoredFirst & { startedAt: number }) | undefined
}

export function createRestTokens(secretKey: string): RestTokens {
  const purposeOf = ({ kind, name }: SchoolForm) => `rest of ${kind} form ${name}`
  return {
    issue: (form, { id, key }, now) => {
      const text = `${now.toString(36)}.${id.toString(36)}.${key}`
      return `${text}.${signature(secretKey, purposeOf(form), text, BYTES)}`
    },
    read: (form, token, now) => {
      const [, time = '', id = '', key = '', given = ''] = TOKEN.exec(token ?? '') ?? []
      if (!isSigned(secretKey, purposeOf(form), `${time}.${id}.${key}`, given, BYTES)) return undefined
      const startedAt = Number.parseInt(time, 36)
      return now - startedAt > REST_LIFETIME ? undefined : { id: Number.parseInt(id, 36), key, startedAt }
    },
  }
}
