/** Finds everything that is stored about a person, by ids. An export reads this, and an erasure deletes it. */
import { type Kysely, sql } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import { readFormDetails } from '../../leads/body/form-details.ts'
import { isAddress, personKey, type Reach } from '../../leads/body/person-key.ts'
import { isSameNumber } from '../../leads/body/phone.ts'
import { namesPerson } from '../../leads/words/search-words.ts'
import { parsedJson } from '../../platform/json.ts'
import { keysOfPerson } from '../leads/merged-leads.ts'
import { readableSubmission, submissionColumns } from '../leads/submission-row.ts'
import { anyOf } from '../tables/any-of.ts'
import type { Schema } from '../tables/schema.ts'

/** What was filed or quarantined about a person. */
export type FiledIds = {
  leads: number[]
  submissions: number[]
  /** The entries of timelines that an email to the staff or the person may be about. */
  entries: number[]
}

/** The leads of a person and what belongs to them; inside a transaction, they are locked. */
export async function findFiled(db: Kysely<Schema>, key: string): Promise<FiledIds> {
  const keys = await keysOfPerson(db, key)
  const locked = await db
    .selectFrom('leads')
    .select('id')
    .where('person_key', 'in', keys)
    // As everywhere, a merged lead is locked before the lead into which it was merged.
    .orderBy(eb => eb('merged_into', 'is', null))
    .orderBy('id')
    .$if(db.isTransaction, query => query.forUpdate())
    .execute()
  const leads = locked.map(row => row.id)
  const entries =
    leads.length === 0
      ? []
      : await db.selectFrom('timeline').select(['id', 'kind', 'submission_id']).where('lead_id', 'in', leads).execute()
  const quarantined = await db.selectFrom('quarantine').select('submission_id').where('email_key', 'in', keys).execute()
  const submissions = new Set([...entries, ...quarantined].flatMap(row => row.submission_id ?? []))
  const secondSteps = await db
    .selectFrom('quarantine as q')
    .innerJoin('submissions as s', 's.id', 'q.submission_id')
    .select(['s.id', formOfSecondStep])
    .where('s.form', 'like', SECOND_STEP)
    .execute()
  return {
    leads,
    submissions: [...new Set([...submissions, ...completing(submissions, secondSteps)])],
    entries: entries.filter(({ kind }) => kind !== 'submission').map(row => row.id),
  }
}

/**
 * The ids of second steps of forms that complete one of these submissions. They belong to its person, even if the lead
 * has another address by now.
 */
const completing = (submissions: ReadonlySet<number>, steps: readonly { id: number; form: string | null }[]) =>
  steps.filter(({ form }) => submissions.has(readFormDetails(form)?.completes ?? 0)).map(({ id }) => id)

/** Finds the forms that may be second steps, so that only these are read. */
const SECOND_STEP = '%"completes":%'
const formOfSecondStep = sql<string | null>`case when s.form like ${sql.lit(SECOND_STEP)} then s.form end`.as('form')

/**
 * The person's submissions that were accepted but are not filed, either not yet or because someone has dismissed them.
 * Inside a transaction, they are locked: the lock waits for a worker that is filing them, so that `findFiled` then
 * finds their leads.
 */
export async function findUnfiled(db: Kysely<Schema>, key: string): Promise<number[]> {
  const waiting = [...(await unfiledIn(db, 'due')), ...(await unfiledIn(db, 'skipped'))]
  const keys = await keysOfPerson(db, key)
  const own = waiting.filter(({ email, body }) => isOf(keys, email, body)).map(({ id }) => id)
  const secondSteps = waiting.filter(({ form }) => form !== null)
  const firsts = secondSteps.length === 0 ? [] : await filedOf(db, keys)
  const ids = [...new Set([...own, ...completing(new Set([...own, ...firsts]), secondSteps)])]
  if (ids.length > 0 && db.isTransaction)
    await db.selectFrom('submissions').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
  return ids
}

/** The submissions that are part of leads with these keys. */
async function filedOf(db: Kysely<Schema>, keys: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('timeline as e')
    .innerJoin('leads as l', 'l.id', 'e.lead_id')
    .select('e.submission_id')
    .where('l.person_key', 'in', keys)
    .where('e.kind', '=', sql.lit('submission'))
    .execute()
  return rows.flatMap(row => row.submission_id ?? [])
}

const unfiledIn = (db: Kysely<Schema>, state: 'due' | 'skipped') =>
  db
    .selectFrom('tasks as t')
    .innerJoin('submissions as s', join =>
      join.on(eb => eb.between('s.id', eb.ref('t.subject'), eb.fn.coalesce('t.through', 't.subject'))),
    )
    .select(['s.id', 's.email'])
    // Reads only the bodies of the few submissions that have no address.
    .select(sql<string | null>`case when s.email is null then s.body end`.as('body'))
    .select(formOfSecondStep)
    .where('t.lane', '=', 'filing')
    .where('t.state', '=', sql.lit(state))
    .execute()

/** Whether a submission belongs to the person with these keys: by its address or, without one, its number. */
function isOf(keys: readonly string[], email: string | null, body: string | null): boolean {
  if (email !== null) return keys.includes(emailKey(email))
  // A body that cannot be read does not name anyone.
  const { phone } = (parsedJson(body ?? '') ?? {}) as Partial<Reach>
  return keys.some(key => !isAddress(key) && isSameNumber(phone ?? '', key))
}

/** Mail from the person that waits to be forwarded. */
export async function findStrays(db: Kysely<Schema>, key: string): Promise<number[]> {
  const waiting = await db.selectFrom('stray_mail').select(['id', 'sender']).execute()
  const keys = await keysOfPerson(db, key)
  return waiting.filter(({ sender }) => keys.includes(emailKey(sender))).map(({ id }) => id)
}

/** The requests to erase that person that wait for a second operator. */
export async function findRequests(db: Kysely<Schema>, key: string): Promise<number[]> {
  const waiting = await db
    .selectFrom('erasure_requests')
    .select(['id', 'person'])
    .where('outcome', 'is', null)
    .execute()
  const keys = await keysOfPerson(db, key)
  return waiting.filter(({ person }) => keys.includes(emailKey(person ?? ''))).map(({ id }) => id)
}

/** What a person said about themselves, inquiry by inquiry. */
export async function readPeople(db: Kysely<Schema>, submissions: readonly number[]) {
  if (submissions.length === 0) return []
  const rows = await db
    .selectFrom('submissions as s')
    .select(submissionColumns)
    .where('s.id', 'in', submissions)
    .execute()
  return rows.flatMap(row => readableSubmission(row)?.body ?? [])
}

/** All keys of a person, with those of their inquiries: a lead's address may have been corrected since. */
export async function allKeysOf(db: Kysely<Schema>, key: string, submissions: readonly number[]): Promise<string[]> {
  const sent = await db.selectFrom('submissions').select('email').where('id', 'in', anyOf(submissions)).execute()
  // A row of a list that has no address belongs to the person who has its number.
  const numbers = await db
    .selectFrom('leads')
    .select(['phone', 'phone_e164'])
    .where('id', 'in', anyOf(submissions))
    .where('phone', 'is not', null)
    .execute()
  return [
    ...new Set([
      ...(await keysOfPerson(db, key)),
      ...numbers.map(({ phone, phone_e164 }) => personKey({ phone }, phone_e164)),
      ...sent.flatMap(({ email }) => (email === null ? [] : emailKey(email))),
    ]),
  ]
}

/** The saved views that look for the person by address, phone number or last name. */
export async function findViews(db: Kysely<Schema>, { submissions }: Pick<FiledIds, 'submissions'>): Promise<number[]> {
  const views = await db.selectFrom('saved_views').select(['id', 'name', 'filter']).execute()
  const searching = views.filter(({ filter }) => new URLSearchParams(filter).has('q'))
  if (searching.length === 0 || submissions.length === 0) return []
  const people = await readPeople(db, submissions)
  return searching
    .filter(({ name, filter }) => {
      const text = `${new URLSearchParams(filter).get('q')} ${name}`
      return people.some(person => namesPerson(text, person))
    })
    .map(({ id }) => id)
}
