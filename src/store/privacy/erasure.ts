/** Erasing a person: nothing that they sent, and nothing that was recorded about them, remains. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import { deleteUnusedTags } from '../actions/lead-labels.ts'
import { deleteSubmissions } from '../filing/quarantine-expiry.ts'
import { suppress } from '../follow-up/suppressions.ts'
import { lockCounts } from '../insight/counts.ts'
import { keepInCounts } from '../insight/erased-counts.ts'
import { deleteLeads, skipTasks } from '../leads/delete-leads.ts'
import { eraseDrafts } from '../leads/drafts.ts'
import { type AuditEntry, recordAudit } from '../operators/audit-log.ts'
import { addMails } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { kindsAbout, type Subject, type TaskKind } from '../tables/task-kinds.ts'
import { eraseMentions } from './erased-mentions.ts'
import { allKeysOf, findFiled, findRequests, findStrays, findUnfiled, findViews, readPeople } from './person-ids.ts'
import { eraseFromImports, eraseImportRows } from './person-imports.ts'
import { type Erasing, registerErasure } from './register.ts'

/** A task that was about the person. Most kinds of tasks send a message. */
export type ErasedTask = { kind: TaskKind; subject: number }

export type ErasureReport = {
  leads: number
  submissions: number
  messages: ErasedTask[]
  /** False if the deleted data is still in SQLite's log, because another program reads the file. */
  overwritten: boolean
}

export type ErasureOptions = Erasing & {
  /** The hash of the person's mailbox; undefined if the address may still get follow-up emails. */
  addressHash: string | undefined
  /** The hashes of the person's other addresses (`addressesOfPerson`), if their leads were merged. Default: none. */
  otherHashes?: readonly string[]
  /** The time that the register records. Default: `now`. */
  registeredAt?: number
  /** What the audit log says, if something was erased. */
  audit?: readonly AuditEntry[]
  now: number
}

/**
 * Erases the person with an address (or, if they have none, a number in E.164), including all addresses whose leads
 * were merged with theirs. This deletes all leads of both kinds with every submission, timeline entry and quarantine
 * entry; the rows of imported lists; the drafts; the saved views that look for the person; and what other timelines say
 * about a merge with their leads. Ids and moments stay. If the person asked for it, the hashes of the addresses stay,
 * too, so that no follow-up email is ever sent to them. The register gets a row. Nothing is stored for an unknown
 * person.
 *
 * Copies elsewhere are out of reach: emails already sent, logs of the mail server, backups.
 */
export async function erasePerson(db: Kysely<Schema>, person: string, options: ErasureOptions): Promise<ErasureReport> {
  return db.transaction().execute(tx => erasePersonIn(tx, person, options))
}

/** Does the same inside a transaction. */
export async function erasePersonIn(
  tx: Transaction<Schema>,
  person: string,
  { addressHash, otherHashes = [], now, registeredAt = now, audit = [], ...erasing }: ErasureOptions,
): Promise<ErasureReport> {
  const key = emailKey(person)
  await endRequests(tx, key, { by: erasing.confirmedBy ?? erasing.askedBy, now })
  await lockCounts(tx, { wait: true })
  const strays = await eraseStrays(tx, key, now)
  const rows = (await eraseImportRows(tx, [key])) + (await eraseDrafts(tx, [key]))
  const unfiled = await findUnfiled(tx, key)
  // Tasks are locked before the leads, as in filing.
  await skipTasks(
    tx,
    unfiled.map(subject => ({ kind: 'refile', subject })),
    { note: ERASED, now },
  )
  const filed = await findFiled(tx, key)
  const submissions = [...new Set([...filed.submissions, ...unfiled])]
  if (submissions.length === 0) {
    await eraseFromImports(tx, { keys: [key], people: [] })
    const counts = { people: 1, leads: 0, submissions: 0, messages: strays.length }
    if (strays.length + rows > 0) {
      await registerErasure(tx, erasing, { ...counts, at: registeredAt })
      await recordAudit(tx, audit)
    }
    return { ...NOTHING, messages: strays }
  }
  const views = await findViews(tx, { submissions })
  if (views.length > 0) await tx.deleteFrom('saved_views').where('id', 'in', views).execute()
  const messages = tasksAbout({ ...filed, submissions })
  await skipTasks(tx, messages, { note: ERASED, now })
  await forgetNotes(tx, messages)
  const { leads } = filed
  const mentions = await eraseMentions(tx, leads)
  // Read before the leads are deleted, because they hold the addresses that were merged.
  const keys = await allKeysOf(tx, key, submissions)
  const emails = await countEmailsOf(tx, leads)
  if (leads.length > 0) await keepInCounts(tx, leads)
  await deleteLeads(tx, leads, { note: ERASED, now })
  await deleteUnusedTags(tx)
  await eraseImportRows(tx, keys)
  await eraseDrafts(tx, keys)
  await eraseFromImports(tx, { keys, people: await readPeople(tx, submissions) })
  await tx.deleteFrom('message_texts').where('email_key', 'in', keys).execute()
  await deleteSubmissions(tx, submissions)
  for (const hash of [addressHash ?? [], ...otherHashes].flat()) await suppress(tx, hash, 'unsubscribed', now)
  const counts = { leads: leads.length, submissions: submissions.length }
  await registerErasure(tx, erasing, { ...counts, people: 1, messages: emails, at: registeredAt })
  await recordAudit(tx, audit)
  const told = tasksAbout({ leads: [], submissions: [], entries: mentions })
  return { ...NOTHING, ...counts, messages: [...strays, ...messages, ...told] }
}

const NOTHING: ErasureReport = { leads: 0, submissions: 0, messages: [], overwritten: true }

/** The kinds of entries about an email to the person, from them, or about them. */
export const EMAIL_ENTRIES = [
  ...(['email', 'message', 'reply', 'auto-reply', 'bounce', 'complaint', 'copy'] as const),
  ...(['claim', 'staff-mail'] as const),
]

async function countEmailsOf(tx: Transaction<Schema>, leads: readonly number[]): Promise<number> {
  if (leads.length === 0) return 0
  const { emails } = await tx
    .selectFrom('timeline')
    .select(eb => eb.fn.countAll<number>().as('emails'))
    .where('lead_id', 'in', leads)
    .where('kind', 'in', EMAIL_ENTRIES)
    .executeTakeFirstOrThrow()
  return Number(emails)
}

/** The ids that a task about the person can name. */
type PersonIds = Record<'leads' | 'submissions' | 'entries', readonly number[]>

/** The tasks about these leads, submissions and entries, if any; with `to`, only tasks that have a message. */
export const tasksAbout = ({ leads, submissions, entries }: PersonIds, which: { to?: 'anyone' } = {}): ErasedTask[] => {
  const about = (subject: Subject, ids: readonly number[]) => {
    const kinds = kindsAbout(subject, which)
    return ids.flatMap(id => kinds.map(kind => ({ kind, subject: id })))
  }
  return [...about('submission', submissions), ...about('lead', leads), ...about('entry', entries)]
}

/** Ends the requests that wait for a second operator, since the person is erased; notifies those who asked. */
async function endRequests(
  tx: Transaction<Schema>,
  key: string,
  { by, now }: { by: string; now: number },
): Promise<void> {
  const requests = await findRequests(tx, key)
  if (requests.length === 0) return
  const ended = await tx
    .updateTable('erasure_requests')
    .set({ person: null, outcome: 'erased', decided_at: now, decided_by: by })
    .where('id', 'in', requests)
    .returning(['id', 'asked_by'])
    .execute()
  const mails = ended.map(({ id, asked_by: step }) => ({ subject: id, step }))
  await addMails(
    tx,
    mails.map(mail => ({ kind: 'erasure' as const, ...mail })),
    now,
  )
}

/** Deletes mail from that address that waits to be forwarded. Returns the messages that would have forwarded it. */
async function eraseStrays(tx: Transaction<Schema>, key: string, now: number): Promise<ErasedTask[]> {
  const strays = await findStrays(tx, key)
  if (strays.length === 0) return []
  await tx.deleteFrom('stray_mail').where('id', 'in', strays).execute()
  const messages = strays.flatMap(subject => kindsAbout('stray mail').map(kind => ({ kind, subject })))
  await skipTasks(tx, messages, { note: ERASED, now })
  await forgetNotes(tx, messages)
  return messages
}

/** Replaces the notes of these messages, which may quote the address. A message that was sent needs no reason. */
async function forgetNotes(tx: Transaction<Schema>, messages: ErasedTask[]) {
  for (const [kind, group] of Map.groupBy(messages, message => message.kind)) {
    await tx
      .updateTable('tasks')
      .set(eb => ({ note: eb.case().when('state', '=', sql.lit<'done'>('done')).then(null).else(ERASED).end() }))
      .where('kind', '=', kind)
      .where('subject', 'in', subjectsOf(group))
      .where('note', 'is not', null)
      .execute()
  }
}

const ERASED = 'the lead was erased'

const subjectsOf = (messages: ErasedTask[]) => messages.map(({ subject }) => subject)
