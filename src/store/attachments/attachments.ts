/**
 * Queries on attachments. Their content is in the database, in portions. Each portion is stored in a short transaction
 * of its own, before the email that it belongs to. The transaction that stores the email files its attachments with the
 * email's entry.
 */
import type { Kysely, Transaction } from 'kysely'
import type { Attachment, AttachmentState, NotStored } from '../../leads/attachments/attachment.ts'
import { originOf } from '../../leads/lead/timeline-details.ts'
import { INFECTED } from '../outbox/mail-steps.ts'
import { addMail, beginAgain } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'

/** A file whose whole content is stored. */
export type StoredFile = Pick<Attachment, 'name' | 'type'> & {
  size: number
  sha256: string
  state: 'stored' | 'unchecked'
}

/** An attachment to file with an entry: either the id of a stored one, or one whose content is not stored. */
export type NewAttachment = { stored: number } | { name: string; size: number | null; state: NotStored }

/** Begins to store a file that is meant for a lead; returns its id. `operatorId`: an operator has uploaded it. */
export async function beginAttachment(
  db: Kysely<Schema>,
  leadId: number,
  { operatorId, now }: { operatorId?: number | undefined; now: number },
): Promise<number> {
  const { id } = await db
    .insertInto('attachments')
    .values({
      lead_id: leadId,
      operator_id: operatorId ?? null,
      name: '',
      type: '',
      state: 'arriving',
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Stores the next portion of a file, numbered from 0. Rejects if the file was deleted meanwhile. */
export async function addAttachmentPart(
  db: Kysely<Schema>,
  id: number,
  { number, bytes }: { number: number; bytes: Uint8Array },
): Promise<void> {
  await db.insertInto('attachment_parts').values({ attachment_id: id, number, bytes }).execute()
}

export async function finishAttachment(db: Kysely<Schema>, id: number, file: StoredFile): Promise<void> {
  await db.updateTable('attachments').set(file).where('id', '=', id).where('state', '=', 'arriving').execute()
}

/** Deletes these attachments, except any that were filed. */
export async function discardAttachments(db: Kysely<Schema>, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await db.deleteFrom('attachments').where('id', 'in', ids).where('lead_id', 'is not', null).execute()
}

/** Deletes attachments that still wait for their email since before a given time. Returns whether there may be more. */
export async function expireAttachments(
  db: Kysely<Schema>,
  { before, limit }: { before: number; limit: number },
): Promise<boolean> {
  const old = await db
    .selectFrom('attachments')
    .select('id')
    .where('lead_id', 'is not', null)
    .where('created_at', '<', before)
    .limit(limit)
    .execute()
  await discardAttachments(
    db,
    old.map(({ id }) => id),
  )
  return old.length === limit
}

/** Files attachments with the entry of their email, in its transaction. Those with stored content come first. */
export async function fileAttachments(
  tx: Transaction<Schema>,
  entry: number,
  attachments: readonly NewAttachment[],
  now: number,
): Promise<void> {
  for (const attachment of attachments) {
    if ('stored' in attachment) {
      await tx
        .updateTable('attachments')
        .set({ lead_id: null, entry_id: entry, operator_id: null })
        .where('id', '=', attachment.stored)
        .where('lead_id', 'is not', null)
        .where('state', '<>', 'arriving')
        .execute()
    } else {
      await tx
        .insertInto('attachments')
        .values({ ...attachment, type: '', entry_id: entry, created_at: now })
        .execute()
    }
  }
  if (attachments.length > 0) await scheduleScan(tx, entry, now)
}

/** Queues a scan of the attachments of an entry that need one. */
async function scheduleScan(tx: Transaction<Schema>, entry: number, now: number): Promise<void> {
  const unchecked = await tx
    .selectFrom('attachments')
    .select('id')
    .where('entry_id', '=', entry)
    .where('state', '=', 'unchecked')
    .executeTakeFirst()
  if (unchecked === undefined) return
  const task = { lane: 'scans', kind: 'scan', subject: entry, step: 0, through: null, state: 'due' } as const
  await tx
    .insertInto('tasks')
    .values({ ...task, due_at: 0, attempts: 0, note: null, created_at: now })
    .execute()
}

/** Records what the scanner found. The content of an infected file is deleted, and the counselor is notified. */
export async function recordScan(
  db: Kysely<Schema>,
  id: number,
  { state, now }: { state: 'stored' | 'infected'; now: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('attachments')
      .set(state === 'infected' ? { state, type: '', sha256: null } : { state })
      .where('id', '=', id)
      .where('state', '=', 'unchecked')
      .executeTakeFirst()
    if (numUpdatedRows === 0n || state === 'stored') return
    await tx.deleteFrom('attachment_parts').where('attachment_id', '=', id).execute()
    await tellOfVirus(tx, id, now)
  })
}

/** Tells the author of an email from the school that it is not sent. The entry says why. */
async function tellOfVirus(tx: Transaction<Schema>, attachmentId: number, now: number): Promise<void> {
  const entry = await tx
    .selectFrom('attachments as a')
    .innerJoin('timeline as e', 'e.id', 'a.entry_id')
    .select('e.id')
    .where('a.id', '=', attachmentId)
    .where('e.kind', '<>', 'message')
    .executeTakeFirst()
  if (entry === undefined) return
  await addMail(tx, 'news', entry.id, { step: INFECTED, now })
  // An email about another file of the same message may have gone out already.
  await beginAgain(tx, { kind: 'news', subject: entry.id, step: INFECTED }, { dueAt: 0, now })
}

/** The attachments of entries, by the id of the entry. */
export async function readAttachments(
  db: Kysely<Schema>,
  entries: readonly number[],
): Promise<Map<number, Attachment[]>> {
  if (entries.length === 0) return new Map()
  const rows = await db
    .selectFrom('attachments')
    .select(['entry_id', 'id', 'name', 'type', 'size', 'state'])
    .where('entry_id', 'in', entries)
    .orderBy('id')
    .execute()
  const byEntry = Map.groupBy(rows, ({ entry_id }) => entry_id ?? 0)
  return new Map([...byEntry].map(([entry, of]) => [entry, of.map(({ entry_id, ...one }) => asAttachment(one))]))
}

/** A file that an operator has uploaded for an email to the person of a lead, and not sent yet. */
export type Upload = Attachment & { operatorId: number }

export async function readUploads(db: Kysely<Schema>, leadId: number): Promise<Upload[]> {
  const rows = await db
    .selectFrom('attachments')
    .select(['id', 'name', 'type', 'size', 'state', 'operator_id'])
    .where('lead_id', '=', leadId)
    .where('operator_id', 'is not', null)
    .where('state', '<>', 'arriving')
    .orderBy('id')
    .execute()
  return rows.map(({ operator_id, ...row }) => ({ ...asAttachment(row), operatorId: operator_id ?? 0 }))
}

export const listUploads = async (db: Kysely<Schema>, leadId: number, operatorId: number): Promise<Upload[]> =>
  (await readUploads(db, leadId)).filter(upload => upload.operatorId === operatorId)

/** A filed attachment, with the lead that it belongs to; undefined if it is gone. */
export async function readAttachment(
  db: Kysely<Schema>,
  id: number,
): Promise<(Attachment & { leadId: number }) | undefined> {
  const row = await db
    .selectFrom('attachments as a')
    .innerJoin('timeline as e', 'e.id', 'a.entry_id')
    .select(['a.id', 'a.name', 'a.type', 'a.size', 'a.state', 'e.lead_id'])
    .where('a.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { lead_id: leadId, ...attachment } = row
  return { ...asAttachment(attachment), leadId }
}

const asAttachment = ({ state, ...row }: Omit<Attachment, 'state'> & { state: AttachmentState | 'arriving' }) => ({
  ...row,
  state: state === 'arriving' ? 'unreadable' : state,
})

/** A portion of the content of an attachment; undefined past its end, or if it is gone. */
export async function readAttachmentPart(
  db: Kysely<Schema>,
  id: number,
  number: number,
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('attachment_parts')
    .select('bytes')
    .where('attachment_id', '=', id)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.bytes
}

/** How many bytes of attachments are stored: for a lead, from its person and from other senders; and for all leads. */
export async function sumAttachments(
  db: Kysely<Schema>,
  leadId: number,
): Promise<{ known: number; other: number; all: number }> {
  const rows = await db
    .selectFrom('attachments as a')
    .innerJoin('timeline as e', 'e.id', 'a.entry_id')
    .select(['a.size', 'e.mail'])
    .where('e.lead_id', '=', leadId)
    .where('e.kind', '<>', 'message')
    .where('a.state', 'in', ['stored', 'unchecked'])
    .execute()
  const isKnown = ({ mail }: { mail: string | null }) => originOf(JSON.parse(mail ?? 'null')) === 'known'
  const sum = (some: readonly { size: number | null }[]) => some.reduce((all, { size }) => all + Number(size), 0)
  const { all } = await db
    .selectFrom('attachments')
    .select(eb => eb.fn.sum<number | null>('size').as('all'))
    .where('state', 'in', ['stored', 'unchecked'])
    .executeTakeFirstOrThrow()
  return { known: sum(rows.filter(isKnown)), other: sum(rows.filter(row => !isKnown(row))), all: Number(all) }
}
