/** How filing changes the quarantine: which submissions go there, and which no longer need to stay. */
import { sql, type Transaction } from 'kysely'
import { supersedes } from '../../leads/body/superseded.ts'
import { COMPLETED } from '../../leads/lead/timeline-details.ts'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import { LOCKOUT } from '../acceptance/inquiry-lockout.ts'
import { leadsOfMailbox } from '../leads/leads-of-mailbox.ts'
import { asSubmission, submissionColumns } from '../leads/submission-row.ts'
import type { Schema } from '../tables/schema.ts'
import type { Filing } from './filing-decision.ts'

/** Adds submissions to the quarantine, each once. */
export async function addToQuarantine(
  tx: Transaction<Schema>,
  held: readonly { filing: Filing; reason: QuarantineReason }[],
  now: number,
): Promise<void> {
  if (held.length === 0) return
  await tx
    .insertInto('quarantine')
    .values(
      held.map(({ filing: { submission, sender, signals }, reason }) => ({
        submission_id: submission.id,
        reason,
        email_key: sender,
        signals: signals.join(','),
        state: 'held',
        held_at: now,
        decided_at: null,
      })),
    )
    .onConflict(oc => oc.doNothing())
    .execute()
}

/**
 * Whether this site inquiry waits for the digest, because too many inquiries of the same mailbox became part of leads
 * within an hour. Otherwise, anyone could flood the team with notifications. For students, the lockout prevents that.
 */
export async function isOneOfMany(tx: Transaction<Schema>, filing: Filing): Promise<boolean> {
  const { kind, receivedAt, form } = filing.submission
  if (kind !== 'site' || filing.released || form?.entered) return false
  const recent = await tx
    .selectFrom('timeline')
    .select('id')
    .where('lead_id', 'in', leadsOfMailbox(tx, { key: filing.sender, kind }))
    .where('kind', '=', sql.lit('submission'))
    .where('at', '>', receivedAt - LOCKOUT.duration)
    .where('detail', 'not like', `${COMPLETED}%`)
    .limit(LOCKOUT.points)
    .execute()
  return recent.length === LOCKOUT.points
}

/** Keeps only the submissions whose addresses have something in quarantine that `dismissRepeated` may dismiss. */
export async function withQuarantined<F extends Filing>(tx: Transaction<Schema>, filings: readonly F[]): Promise<F[]> {
  if (filings.length === 0) return []
  const held = await tx
    .selectFrom('quarantine')
    .select('email_key')
    .where(
      'email_key',
      'in',
      filings.map(({ sender }) => sender),
    )
    .where('state', '=', sql.lit('held'))
    .where('reason', 'in', NOT_ACCEPTED)
    .execute()
  const keys = new Set(held.map(({ email_key }) => email_key))
  return filings.filter(({ sender }) => keys.has(sender))
}

const NOT_ACCEPTED = ['honeypot', 'lockout'] as const

/** How many quarantined submissions of one address are compared with one that was accepted. */
const MOST_COMPARED = 100

/**
 * Dismisses rejected submissions of a person if the same inquiry has now been accepted, so that no one has to look at
 * them anymore. A submission that got 200 stays in quarantine, and so does one that says anything different: the
 * address alone does not prove that it is the same person.
 */
export async function dismissRepeated(
  tx: Transaction<Schema>,
  { submission, sender }: Filing,
  now: number,
): Promise<void> {
  const rows = await tx
    .selectFrom('quarantine as q')
    .innerJoin('submissions as s', 's.id', 'q.submission_id')
    .select(submissionColumns)
    .where('q.email_key', '=', sender)
    .where('q.state', '=', sql.lit('held'))
    .where('q.reason', 'in', NOT_ACCEPTED)
    .where('q.submission_id', '<', submission.id)
    .where('s.answer', 'in', [400, 429])
    .orderBy('q.submission_id', 'desc')
    .limit(MOST_COMPARED)
    .execute()
  const repeated = rows.filter(
    row => row.kind === submission.kind && supersedes(submission.body, asSubmission(row).body),
  )
  if (repeated.length === 0) return
  await tx
    .updateTable('quarantine')
    .set({ state: 'dismissed', decided_at: now })
    .where(
      'submission_id',
      'in',
      repeated.map(({ id }) => id),
    )
    .execute()
}
