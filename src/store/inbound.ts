/** Queries on what comes back from those who are written to: by a link in a letter, or by mail. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { trackOf } from '../follow-up/cadence.ts'
import type { SuppressionReason } from '../follow-up/stop-conditions.ts'
import { emailKey } from '../leads/email.ts'
import { type LeadEvent, recordLeadEvent } from './actions.ts'
import type { Schema } from './schema.ts'
import { lockLead, readFollowUp } from './steps.ts'
import { suppress } from './suppressions.ts'
import type { Task } from './tasks.ts'
import { countEntries } from './timeline.ts'

/**
 * Writes to an address no more, as whoever reads its mail has asked, or because nobody does. Each
 * wish is told once of a lead, however often it is asked; `detail` is what a mail server said.
 */
export async function stopFollowUpEmails(
  db: Kysely<Schema>,
  leadId: number,
  { addressHash, reason, detail = '', now }: Suppression & { detail?: string; now: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const lead = await lockLead(tx, leadId)
    await suppress(tx, addressHash, reason, now)
    if (lead === undefined) return
    const kind = newsOf[reason]
    if ((await countEntries(tx, leadId, { kind, since: 0 })) > 0) return
    await recordLeadEvent(tx, lead, { kind, detail, tell: true }, now)
  })
}

const newsOf = {
  unsubscribed: 'unsubscribed',
  'not me': 'not-me',
  bounced: 'bounce',
  complaint: 'complaint',
} as const satisfies Record<SuppressionReason, LeadEvent['kind']>

/** A message of a watched mailbox, understood. */
export type InboundRecord = {
  mailbox: string
  uidValidity: string
  uid: number
  /** What it means for which lead; null where it means nothing for any. */
  about: About | null
  /** A message of ours to the staff that did not arrive: it counts as given up, with this note. */
  returned?: (MessageKey & { note: string }) | undefined
}

/** Which task a message of ours was sent for. */
export type MessageKey = Pick<Task, 'kind' | 'subject' | 'step'>

export type About = { leadId: number; news: LeadEvent; suppress: Suppression | null }

type Suppression = { addressHash: string; reason: SuppressionReason }

/**
 * Takes a message of a watched mailbox into account and moves the place up to which the mailbox is
 * read, in one transaction: of several readers, and after a crash, one does it. False: it was done.
 */
export async function recordInbound(
  db: Kysely<Schema>,
  { mailbox, uidValidity, uid, about, returned }: InboundRecord,
  now: number,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('mailboxes')
      .set({ last_uid: uid })
      .where('name', '=', mailbox)
      .where('uid_validity', '=', uidValidity)
      .where('last_uid', '<', uid)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    if (returned !== undefined) await giveUp(tx, returned)
    if (about === null) return true
    const lead = await lockLead(tx, about.leadId)
    if (about.suppress !== null) {
      await suppress(tx, about.suppress.addressHash, about.suppress.reason, now)
    }
    if (lead !== undefined) await recordLeadEvent(tx, lead, about.news, now)
    return true
  })
}

/** Up to where a mailbox has been read; undefined where it never was. */
export async function readMailboxPosition(
  db: Kysely<Schema>,
  name: string,
): Promise<{ uidValidity: string; lastUid: number } | undefined> {
  const row = await db
    .selectFrom('mailboxes')
    .select(['uid_validity', 'last_uid'])
    .where('name', '=', name)
    .executeTakeFirst()
  return row && { uidValidity: row.uid_validity, lastUid: row.last_uid }
}

/** Begins to read a mailbox behind a place, also where it was read before. */
export async function setMailboxPosition(
  db: Kysely<Schema>,
  name: string,
  { uidValidity, lastUid }: { uidValidity: string; lastUid: number },
): Promise<void> {
  const place = { uid_validity: uidValidity, last_uid: lastUid }
  await db
    .insertInto('mailboxes')
    .values({ name, ...place })
    // Another reader may have begun with it a moment ago, and be further by now.
    .onConflict(oc =>
      oc.column('name').doUpdateSet(place).where('mailboxes.uid_validity', '<>', uidValidity),
    )
    .execute()
}

/** The student's leads with that address, the open one first, then the newest. */
export async function findStudentLeads(
  db: Kysely<Schema>,
  email: string,
): Promise<{ id: number; open: boolean }[]> {
  const rows = await db
    .selectFrom('leads')
    .select(['id', 'stage'])
    .where('email_key', '=', emailKey(email))
    .where('kind', '=', 'student')
    .orderBy('id', 'desc')
    .limit(10)
    .execute()
  return rows
    .map(({ id, stage }) => ({ id, open: stage !== 'closed' }))
    .sort((one, other) => Number(other.open) - Number(one.open))
}

async function giveUp(
  tx: Transaction<Schema>,
  { kind, subject, step, note }: MessageKey & { note: string },
) {
  await tx
    .updateTable('tasks')
    .set({ state: 'dead', note })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('step', '=', step)
    .where('state', '=', 'done')
    .execute()
}

/** A message of ours: which lead it was about, when its task was made, and whether the student got it. */
export type SentMessage = { leadId: number; createdAt: number; toStudent: boolean }

/** What a message of ours was about; undefined where that is gone. */
export async function findMessage(
  db: Kysely<Schema>,
  { kind, subject, step }: MessageKey,
): Promise<SentMessage | undefined> {
  const task = await db
    .selectFrom('tasks')
    .select('created_at')
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('step', '=', step)
    .executeTakeFirst()
  if (task === undefined) return undefined
  const lead = await leadOf(db, kind, subject)
  if (lead === undefined) return undefined
  const toStudent =
    kind === 'step' ? await isLetter(db, subject, step) : kind === 'receipt' || kind === 'account'
  return { leadId: lead.lead_id, createdAt: task.created_at, toStudent }
}

async function isLetter(db: Kysely<Schema>, leadId: number, index: number): Promise<boolean> {
  const followUp = await readFollowUp(db, leadId)
  const step = followUp?.cadence[index]
  return step !== undefined && trackOf(step) === 'student'
}

/** A step is about a lead, news about an entry of its timeline, all else about a submission. */
function leadOf(db: Kysely<Schema>, kind: Task['kind'], subject: number) {
  if (kind === 'step') {
    return db
      .selectFrom('leads')
      .select('id as lead_id')
      .where('id', '=', subject)
      .executeTakeFirst()
  }
  const entry = db.selectFrom('timeline').select('lead_id')
  return kind === 'news'
    ? entry.where('id', '=', subject).executeTakeFirst()
    : entry
        .where('submission_id', '=', subject)
        .where('kind', '=', sql.lit('submission'))
        .executeTakeFirst()
}
