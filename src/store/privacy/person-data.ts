/** Reads everything that is stored about a person, a portion at a time, for an export. */
import { type Kysely, sql } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import type { FormDetails } from '../../leads/body/form-details.ts'
import { readFormDetails } from '../../leads/body/form-details.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { withoutOthers } from '../../leads/lead/timeline-details.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { parsedJson } from '../../platform/json.ts'
import { type Draft, readDraftsAbout } from '../leads/drafts.ts'
import { asEntry } from '../leads/entry-row.ts'
import { withAttachments } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { messagesAbout } from '../tasks/messages-about.ts'
import type { Task } from '../tasks/tasks.ts'
import { allKeysOf, findFiled, findStrays, findUnfiled } from './person-ids.ts'
import { findImportRows, type PersonRow } from './person-imports.ts'

/** Ids, each list in ascending order. */
export type PersonIds = { leads: number[]; submissions: number[]; entries: number[] }

export async function readPersonIds(db: Kysely<Schema>, person: string): Promise<PersonIds> {
  const key = emailKey(person)
  const filed = await findFiled(db, key)
  const submissions = new Set([...filed.submissions, ...(await findUnfiled(db, key))])
  const sorted = (ids: Iterable<number>) => [...ids].sort((one, other) => one - other)
  return { ...filed, submissions: sorted(submissions), entries: sorted(filed.entries) }
}

export type PersonSubmission = {
  id: number
  kind: Kind
  receivedAt: number
  /** Null if someone at the school entered or imported them without one. */
  email: string | null
  /** The status of the response. */
  answer: number
  /** The body as it was sent; text if it is not JSON. */
  body: unknown
  form: FormDetails | null
  clientAddress: string
  idempotencyKey: string
  quarantine: { reason: string; signals: string; state: string; heldAt: number } | null
}

/** The submissions with these ids that still exist, in order. */
export async function readPersonSubmissions(db: Kysely<Schema>, ids: readonly number[]): Promise<PersonSubmission[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('submissions as s')
    .leftJoin('quarantine as q', 'q.submission_id', 's.id')
    .selectAll('s')
    .select(['q.reason', 'q.signals', 'q.state', 'q.held_at'])
    .where('s.id', 'in', ids)
    .orderBy('s.id')
    .execute()
  return rows.map(row => ({
    id: row.id,
    kind: row.kind,
    receivedAt: row.received_at,
    email: row.email,
    answer: row.answer,
    body: parsedJson(row.body) ?? row.body,
    form: readFormDetails(row.form),
    clientAddress: row.client_address,
    idempotencyKey: row.key,
    quarantine:
      row.reason === null || row.state === null || row.held_at === null
        ? null
        : { reason: row.reason, signals: row.signals ?? '', state: row.state, heldAt: row.held_at },
  }))
}

/** The entries of a lead's timeline after the entry `after`, in order, without what they say about other people. */
export async function readPersonEntries(
  db: Kysely<Schema>,
  leadId: number,
  { after, limit }: { after: number; limit: number },
): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('timeline')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return withAttachments(
    db,
    rows.map(row => withoutOthers(asEntry(row))),
  )
}

/** The tasks of sent emails about these leads, submissions and entries: to the person or, for steps, to anyone. */
export async function readPersonMails(
  db: Kysely<Schema>,
  { leads = [], submissions = [], entries = [] }: Partial<PersonIds>,
): Promise<Task[]> {
  const toPerson = messagesAbout({ submission: submissions, entry: entries }, 'person')
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('state', '=', sql.lit('done'))
    .where(eb => eb.or([toPerson(eb), messagesAbout({ lead: leads }, 'anyone')(eb)]))
    .orderBy('id')
    .execute()
}

/** The operators' drafts about the person. */
export async function readPersonDrafts(
  db: Kysely<Schema>,
  person: string,
): Promise<(Draft & { leadId: number | null })[]> {
  const key = emailKey(person)
  const { leads, submissions } = await readPersonIds(db, person)
  return readDraftsAbout(db, { leads, keys: await allKeysOf(db, key, submissions) })
}

/** Mail from that address that waits to be forwarded to the team. */
export async function readPersonStrays(
  db: Kysely<Schema>,
  person: string,
): Promise<{ sender: string; subject: string; text: string; at: number }[]> {
  const ids = await findStrays(db, emailKey(person))
  if (ids.length === 0) return []
  return db
    .selectFrom('stray_mail')
    .select(['sender', 'subject', 'text', 'received_at as at'])
    .where('id', 'in', ids)
    .execute()
}

/** The person's rows in uploaded lists, which are deleted a day after the import. */
export async function readPersonRows(db: Kysely<Schema>, person: string): Promise<PersonRow[]> {
  const { submissions } = await readPersonIds(db, person)
  return findImportRows(db, await allKeysOf(db, emailKey(person), submissions))
}
