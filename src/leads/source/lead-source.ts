/** A source that brings leads: an outside program that posts what people have said there. */
import { HOUR } from '../../platform/time.ts'
import type { Kind } from '../body/submission.ts'
import { importFieldNames, type importFields } from '../import/list-columns.ts'

/** `google`: lead forms of Google Ads. `post`: any JSON or form, with a mapping. */
export const sourceKinds = ['google', 'post'] as const
export type SourceKind = (typeof sourceKinds)[number]

export const sourceKindNames: Record<SourceKind, string> = { google: 'Google lead form', post: 'JSON or form post' }

type AboutPerson = Exclude<
  (typeof importFields)[Kind][number],
  'tags' | 'stage' | 'counselor' | 'since' | 'bestTime' | 'campus' | 'ownAnswers'
>

/** How long a key works after it was replaced, in milliseconds. */
export const FORMER_KEY = 24 * HOUR

/** The fields that a post may have besides the inquiry. */
const beside = {
  id: 'Id of the lead at the source',
  campaign: 'Campaign',
  consent: 'Agreed to calls and texts (yes or no)',
  consentText: 'What they agreed to, word for word',
  consentPage: 'The page on which they agreed (URL)',
} as const

export type SourceField = AboutPerson | keyof typeof beside

const besideNames = Object.keys(beside) as (keyof typeof beside)[]

/** The fields that a post may have, in the order in which people choose. */
export const sourceFields: Record<Kind, readonly SourceField[]> = {
  student: [
    ...(['firstName', 'lastName', 'fullName', 'email', 'phone'] as const),
    ...(['city', 'state', 'employer', 'program', 'message'] as const),
    ...besideNames,
  ],
  site: [
    ...(['firstName', 'lastName', 'fullName', 'email', 'phone'] as const),
    ...(['company', 'address', 'message'] as const),
    ...besideNames,
  ],
}

export const sourceFieldNames: Record<SourceField, string> = { ...importFieldNames, ...beside, message: 'Message' }

/** Where in a post each field is (`mapping.ts`). */
export type Mapping = Partial<Record<SourceField, string>>

export type LeadSource = {
  id: number
  name: string
  kind: SourceKind
  leadKind: Kind
  language: string
  /** Whether its people asked the school to write to them by email. */
  mayWrite: boolean
  /** Empty for a Google lead form. */
  mapping: Mapping
}
