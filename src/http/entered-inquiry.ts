/** Entering an inquiry for a person who called, or who came to a fair. */
import {
  type RankedField,
  rankedFields,
  siteInterestSchema,
  studentInterestSchema,
} from '../leads/body/body-schemas.ts'
import { type FormDetails, shortText } from '../leads/body/form-details.ts'
import { REACH } from '../leads/body/person-key.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { Entered } from '../leads/lead/entered.ts'
import type { Intake, Received } from './intake.ts'

/** The fields that someone fills in, in the order of the operation. */
export const enteredFields = {
  student: Object.keys(studentInterestSchema.properties).filter(
    name => name !== 'idempotencyKey' && !rankedFields.includes(name as RankedField),
  ),
  site: Object.keys(siteInterestSchema.properties).filter(name => name !== 'website' && name !== 'startedAt'),
} satisfies Record<Kind, string[]>

/** The fields that each lead needs; an address or a number is enough. */
export const requiredFields = {
  student: studentInterestSchema.required.filter(name => !REACH.includes(name)),
  site: siteInterestSchema.required.filter(name => !REACH.includes(name)),
} satisfies Record<Kind, readonly string[]>

export type Entry = {
  kind: Kind
  /** Values by the name of the field. Fields that this kind of lead does not have are left out. */
  values: Readonly<Record<string, string | undefined>>
  language: string
  /** Where the person came from, in a few words; may be empty. */
  cameFrom: string
  entered: Entered
  /** The same words under the same nonce are one inquiry, no matter how often they are entered. */
  nonce: string
  clientAddress: string
}

/** Enters an inquiry, which is parsed, stored and filed as if the person had sent it. Throws 503 as the intake does. */
export function enter(intake: Intake, entry: Entry, now: number): Promise<Received> {
  const { kind, values, language, cameFrom, entered, nonce, clientAddress } = entry
  const given = enteredFields[kind].flatMap(name => (values[name] ? [[name, values[name]]] : []))
  const body = Object.fromEntries(given)
  const source = shortText(cameFrom)
  const details: FormDetails = {
    language,
    entered,
    placement: 'staff',
    startedAt: now,
    consent: null,
    campaign: source === undefined ? {} : { source },
  }
  return intake[kind]({
    body: kind === 'site' ? { ...body, website: '', startedAt: now } : body,
    headers: {},
    clientAddress,
    dryRun: false,
    form: { once: { nonce }, details: JSON.stringify(details), required: [], onBehalf: true },
  })
}
