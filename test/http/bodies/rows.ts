/** The types of the tables of bodies, and the functions that turn a row into a request. */
import { aSite, aStudent } from '../../support/bodies.ts'

/** A bad value of one field: what it is, the value, and what the error says after the field's name. */
export type BadValue = [what: string, value: unknown, error: string]

/** A good value of one field. */
export type GoodValue = [what: string, value: unknown]

export type Operation = 'site' | 'student'

/** A request as it is sent, and the response it gets. */
export type Row = {
  to: Operation
  what: string
  body: string | Buffer
  headers?: Record<string, string>
  status: number
  error: string
}

/** A row that sends exactly this body to one operation. */
export const rejected = (to: Operation, what: string, body: string, error: string): Row => ({
  to,
  what,
  body,
  status: 400,
  error,
})

/** A valid body with the properties of `over`; a property that is undefined is not sent. */
export const bodyOf = (to: Operation, over: Record<string, unknown>): string =>
  JSON.stringify(to === 'site' ? aSite(over) : aStudent(over))

/** As `bodyOf`, with one property whose value is JSON text that `JSON.stringify` never writes. */
export const bodyWith = (to: Operation, field: string, json: string): string =>
  bodyOf(to, { [field]: '@' }).replace('"@"', () => json)

/** One row for each value, sent as one field of an otherwise valid body. */
export const inField = (to: Operation, field: string, values: readonly BadValue[]): Row[] =>
  values.map(([what, value, error]) => ({
    to,
    what: `${field}: ${what}`,
    body: bodyOf(to, { [field]: value }),
    status: 400,
    error: `${field} ${error}`,
  }))
