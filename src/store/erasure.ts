/** Erasing a person: nothing that they sent, and nothing that was written down about them, stays. */
import type { Kysely, Transaction } from 'kysely'
import type { Schema, TaskKind } from './schema.ts'
import { lockLead } from './steps.ts'
import { suppress } from './suppressions.ts'

/** What of messages was about the person: their kinds and subjects. */
export type ErasedMessage = { kind: TaskKind; subject: number }

export type Erased = { leads: number; submissions: number; messages: ErasedMessage[] }

/**
 * Erases the person behind a lead: all their leads, of both kinds, with every submission, timeline
 * entry and quarantine entry of that address. What stays are ids, moments, and the hash of the
 * address, so that it is written to no more. Undefined where there is no such lead.
 *
 * Copies elsewhere are out of reach: e-mail that was sent, logs of the mail server, backups.
 */
export async function eraseLead(
  db: Kysely<Schema>,
  id: number,
  { addressHash, now }: { addressHash: string; now: number },
): Promise<Erased | undefined> {
  return db.transaction().execute(async tx => {
    const lead = await lockLead(tx, id)
    if (lead === undefined) return undefined
    const { leads, submissions, entries } = await findAll(tx, lead.email_key)
    const messages: ErasedMessage[] = [
      ...submissions.flatMap(subject =>
        (['notify', 'receipt', 'account', 'refile'] as const).map(kind => ({ kind, subject })),
      ),
      ...leads.map(subject => ({ kind: 'step' as const, subject })),
      ...entries.map(subject => ({ kind: 'news' as const, subject })),
    ]
    await skipTasks(tx, messages, now)
    await tx.deleteFrom('timeline').where('lead_id', 'in', leads).execute()
    await tx.deleteFrom('leads').where('id', 'in', leads).execute()
    await tx.deleteFrom('quarantine').where('submission_id', 'in', submissions).execute()
    await tx.deleteFrom('idempotency_keys').where('submission_id', 'in', submissions).execute()
    await tx.deleteFrom('message_texts').where('email_key', '=', lead.email_key).execute()
    await tx.deleteFrom('submissions').where('id', 'in', submissions).execute()
    await suppress(tx, addressHash, 'unsubscribed', now)
    return { leads: leads.length, submissions: submissions.length, messages }
  })
}

async function findAll(tx: Transaction<Schema>, emailKey: string) {
  const leads = await tx
    .selectFrom('leads')
    .select('id')
    .where('email_key', '=', emailKey)
    .orderBy('id')
    .forUpdate()
    .execute()
  const ids = leads.map(row => row.id)
  const entries = await tx
    .selectFrom('timeline')
    .select(['id', 'kind', 'submission_id'])
    .where('lead_id', 'in', ids)
    .execute()
  const held = await tx
    .selectFrom('quarantine')
    .select('submission_id')
    .where('email_key', '=', emailKey)
    .execute()
  const submissions = [...entries, ...held].flatMap(row => row.submission_id ?? [])
  return {
    leads: ids,
    submissions: [...new Set(submissions)],
    entries: entries
      .filter(({ kind }) => kind !== 'submission' && kind !== 'email')
      .map(row => row.id),
  }
}

/** Also those that are being done: what their claimants then conclude changes nothing. */
async function skipTasks(tx: Transaction<Schema>, messages: ErasedMessage[], now: number) {
  for (const [kind, group] of Map.groupBy(messages, message => message.kind)) {
    await tx
      .updateTable('tasks')
      .set({
        ...{ state: 'skipped', note: 'the lead was erased', finished_at: now },
        ...{ lease_until: null, lease_token: null },
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
