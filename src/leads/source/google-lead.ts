/**
 * Lead forms of Google Ads, in the format of their posts
 * (developers.google.com/google-ads/webhook/docs/implementation): the answers are columns with an id. We know the ids
 * of contact data; every other column is a question of the form.
 */
import type { OwnAnswer } from '../body/form-details.ts'
import type { Kind } from '../body/submission.ts'
import { type Given, textOfNumber } from './mapping.ts'

export type GoogleLead = {
  given: Given
  answers: OwnAnswer[]
  /** The id of the click on the ad; '' if Google does not send it. */
  gclid: string
  /** The secret that someone entered in Google Ads, which proves that the post is from Google. */
  key: string
  /** Whether someone pressed *Send test data* in Google Ads. */
  isTest: boolean
}

type Columns = ReadonlyMap<string, string>

export function readGoogleLead(post: unknown, kind: Kind): GoogleLead {
  const { lead_id, user_column_data, campaign_id, google_key, gcl_id, is_test } = objectOf(post)
  const read = (Array.isArray(user_column_data) ? user_column_data : [])
    .map(objectOf)
    .map(column => ({
      id: textOf(column['column_id']).toUpperCase(),
      name: textOf(column['column_name']),
      value: textOf(column['string_value']).trim(),
    }))
  const said = read.filter(({ value }) => value !== '')
  const { contact, used } = contactIn(new Map(said.map(({ id, value }) => [id, value])), kind)
  return {
    given: withoutEmpty({ ...contact, id: textOf(lead_id), campaign: textOf(campaign_id) }),
    answers: said
      .filter(({ id }) => !used.has(id))
      .map(({ id, name, value }) => ({ question: name || id, answer: value })),
    gclid: textOf(gcl_id),
    key: textOf(google_key),
    isTest: is_test === true || is_test === 'true',
  }
}

const PLACE = ['STREET_ADDRESS', 'CITY', 'REGION', 'POSTAL_CODE', 'COUNTRY']

/** How to reach the person, and the columns that say so. */
function contactIn(columns: Columns, kind: Kind): { contact: Given; used: ReadonlySet<string> } {
  const used = new Set<string>()
  const take = (id: string): string[] => {
    const value = columns.get(id)
    if (value === undefined) return []
    used.add(id)
    return [value]
  }
  const first = (...ids: string[]): string => take(ids.find(id => columns.has(id)) ?? '')[0] ?? ''
  const hasPart = columns.has('FIRST_NAME') || columns.has('LAST_NAME')
  const name = hasPart
    ? { firstName: first('FIRST_NAME'), lastName: first('LAST_NAME') }
    : { fullName: first('FULL_NAME') }
  const contact: Given =
    kind === 'student'
      ? {
          ...name,
          email: first('EMAIL', 'WORK_EMAIL'),
          phone: first('PHONE_NUMBER', 'WORK_PHONE'),
          city: first('CITY'),
          state: first('REGION'),
          employer: first('COMPANY_NAME'),
        }
      : {
          ...name,
          email: first('WORK_EMAIL', 'EMAIL'),
          phone: first('WORK_PHONE', 'PHONE_NUMBER'),
          company: first('COMPANY_NAME'),
          address: PLACE.flatMap(take).join(', '),
        }
  return { contact, used }
}

const withoutEmpty = (given: Given): Given =>
  Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''))

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Google writes the ids of campaigns as numbers. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? (textOfNumber(value) ?? '') : ''
