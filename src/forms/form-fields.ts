/** What a field of a form is: its name, its answers, its words. */
import type { OwnQuestion } from '../config/school-form.ts'
import type { siteInterestSchema, studentInterestSchema } from '../leads/body/body-schemas.ts'

/** A field of the body of an operation. */
export type BodyField =
  | Exclude<keyof typeof siteInterestSchema.properties, 'website' | 'startedAt'>
  | Exclude<keyof typeof studentInterestSchema.properties, 'idempotencyKey'>

/** The fields of Frontdesk itself. The program is stored besides the body, whose fields are fixed. */
export type OurField = BodyField | 'program'

/** The school's own questions are stored besides the body, too. */
export type FieldName = OurField | `own-${string}`

/** One of several answers: the value that is sent, and the label that people read. */
export type Choice = { value: string; label: string }

export type Field = {
  name: FieldName
  required: boolean
  format: string | undefined
  /** The minimum and maximum length, in code points; a minimum of 0 allows the field to be empty. */
  least: number
  most: number
  /** The answers to choose from; undefined for a field to type into. */
  choices: readonly Choice[] | undefined
  words: FieldWords
  /** For one of the school's own questions: its words in the first language. `later`: asked only in the second step. */
  own?: {
    question: string
    type: OwnQuestion['type']
    showIf?: { field: FieldName; answer: string }
    value?: string
    later?: true
  }
}

/**
 * The words of one field. In its sentences, `{least}`, `{most}` and `{has}` are replaced by its limits and by how much
 * was typed. In a question about an address or a number, `{given}` is what was typed, and `{meant}` what we suggest.
 */
export type FieldWords = { label: string; empty: string } & {
  [K in
    | 'hint'
    | 'wrong'
    | 'short'
    | 'long'
    | 'few'
    | 'many'
    | 'extension'
    | 'characters'
    | 'meant'
    | 'maybe'
    | 'use'
    | 'sure']?: string
}
