/** Erasing a person: nothing that they sent and nothing recorded about them stays. */
import type { Kysely, Transaction } from 'kysely'
import { emailKey } from '../leads/email.ts'
import { deleteSubmissions } from './quarantine.ts'
import type { Schema, TaskKind } from './schema.ts'
import { suppress } from './suppressions.ts'
import { NO_LEASE } from './tasks.ts'

/** A message that was about the person. */
export type ErasedMessage = { kind: TaskKind; subject: number }

export type ErasureReport = {
  leads: number
  submissions: number
  messages: ErasedMessage[]
  /** False if the deleted data is still in SQLite's log, because another program reads the file. */
  overwritten: boolean
}

/**
 * Erases the person with an email address: all their leads, of both kinds, with every submission,
 * timeline entry and quarantine entry of that address. Ids, moments and the hash of the address stay,
 * so that no follow-up email is ever sent to it. Nothing is stored for an unknown address.
 *
 * Copies elsewhere are out of reach: emails already sent, logs of the mail server, backups.
 */
export async function erasePerson(
  db: Kysely<Schema>,
  email: string,
  { addressHash, now }: { addressHash: string; now: number },
): Promise<ErasureReport> {
  const key = emailKey(email)
  return db.transaction().execute(async tx => {
    await deleteStrays(tx, key)
    const unfiled = await findUnfiled(tx, key)
    // Before the leads, in the same order as filing.
    await skipTasks(
      tx,
      unfiled.map(subject => ({ kind: 'refile', subject })),
      now,
    )
    const { leads, filed, entries } = await findFiled(tx, key)
    const submissions = [...new Set([...filed, ...unfiled])]
    if (submissions.length === 0) return NOTHING
    const messages: ErasedMessage[] = [
      ...submissions.flatMap(subject =>
        (['notify', 'receipt', 'account'] as const).map(kind => ({ kind, subject })),
      ),
      ...leads.flatMap(subject => (['step', 'resume'] as const).map(kind => ({ kind, subject }))),
      ...entries.flatMap(subject =>
        (['news', 'message'] as const).map(kind => ({ kind, subject })),
      ),
    ]
    await skipTasks(tx, messages, now)
    if (leads.length > 0) {
      await tx.deleteFrom('timeline').where('lead_id', 'in', leads).execute()
      await tx.deleteFrom('leads').where('id', 'in', leads).execute()
    }
    // The address may be the correction of one that they mistyped.
    const sent = await tx
      .selectFrom('submissions')
      .select('email')
      .where('id', 'in', submissions)
      .execute()
    const keys = [...new Set([key, ...sent.map(one => emailKey(one.email))])]
    await tx.deleteFrom('message_texts').where('email_key', 'in', keys).execute()
    await deleteSubmissions(tx, submissions)
    await suppress(tx, addressHash, 'unsubscribed', now)
    return { ...NOTHING, leads: leads.length, submissions: submissions.length, messages }
  })
}

const NOTHING: ErasureReport = { leads: 0, submissions: 0, messages: [], overwritten: true }

/** Mail of that address that waits to be forwarded. */
async function deleteStrays(tx: Transaction<Schema>, key: string): Promise<void> {
  const waiting = await tx.selectFrom('stray_mail').select(['id', 'sender']).execute()
  const ids = waiting.filter(({ sender }) => emailKey(sender) === key).map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('stray_mail').where('id', 'in', ids).execute()
}

async function findFiled(tx: Transaction<Schema>, key: string) {
  const locked = await tx
    .selectFrom('leads')
    .select('id')
    .where('email_key', '=', key)
    .orderBy('id')
    .forUpdate()
    .execute()
  const leads = locked.map(row => row.id)
  const entries =
    leads.length === 0
      ? []
      : await tx
          .selectFrom('timeline')
          .select(['id', 'kind', 'submission_id'])
          .where('lead_id', 'in', leads)
          .execute()
  const quarantined = await tx
    .selectFrom('quarantine')
    .select('submission_id')
    .where('email_key', '=', key)
    .execute()
  return {
    leads,
    filed: [...entries, ...quarantined].flatMap(row => row.submission_id ?? []),
    entries: entries
      .filter(({ kind }) => kind !== 'submission' && kind !== 'email')
      .map(row => row.id),
  }
}

/** The submissions of the address that were accepted but not filed yet. */
async function findUnfiled(tx: Transaction<Schema>, key: string): Promise<number[]> {
  const waiting = await tx
    .selectFrom('tasks as t')
    .innerJoin('submissions as s', join =>
      join.on(eb =>
        eb.between('s.id', eb.ref('t.subject'), eb.fn.coalesce('t.through', 't.subject')),
      ),
    )
    .select(['s.id', 's.email'])
    .where('t.lane', '=', 'filing')
    .where('t.state', '=', 'due')
    .execute()
  return waiting.filter(({ email }) => emailKey(email) === key).map(({ id }) => id)
}

/** Skips tasks, also those under way: when their claimants conclude them, nothing changes. */
async function skipTasks(tx: Transaction<Schema>, messages: ErasedMessage[], now: number) {
  for (const [kind, group] of Map.groupBy(messages, message => message.kind)) {
    await tx
      .updateTable('tasks')
      .set({
        state: 'skipped',
        note: 'the lead was erased',
        finished_at: now,
        ...NO_LEASE,
      })
      .where('kind', '=', kind)
      .where(
        'subject',
        'in',
        group.map(({ subject }) => subject),
      )
      .where('state', 'in', ['due', 'dead'])
      .execute()
  }
}
