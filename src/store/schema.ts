/** The tables as the queries see them; `migrations.ts` makes them. Moments are Unix milliseconds. */
import type { Generated, GeneratedAlways } from 'kysely'

export type Schema = {
  submissions: SubmissionsTable
  idempotency_keys: { key: string; submission_id: number }
  leads: LeadsTable
  timeline: TimelineTable
  tasks: TasksTable
  quarantine: QuarantineTable
  secrets: { name: string; value: string }
  message_texts: { digest: string; email_key: string; seen_at: number }
}

/** Append-only: what was sent, one row for each request that was kept. */
type SubmissionsTable = {
  id: Generated<number>
  kind: 'site' | 'student'
  received_at: number
  key: string
  fingerprint: string
  email: string
  /** The status the sender was answered with, and will be answered with on a replay. */
  answer: number
  body: string
  client_address: string
  /**
   * The id of the first submission that was committed together with this one. Null where the ids
   * of one commit follow one another, as on SQLite.
   */
  batch: number | null
}

type LeadsTable = {
  /** The id of the lead's first submission. */
  id: number
  kind: 'site' | 'student'
  stage: string
  closed_reason: string | null
  email: string
  email_key: string
  first_name: string
  last_name: string
  phone: string
  phone_e164: string | null
  company: string | null
  state: string | null
  created_at: number
  updated_at: number
}

/** What happened to a lead, in order. */
type TimelineTable = {
  id: GeneratedAlways<number>
  lead_id: number
  at: number
  kind: 'submission' | 'email'
  submission_id: number | null
  /** Of a submission its screening signals, comma-separated; of an e-mail the kind of its task. */
  detail: string
}

/** Everything that happens later. The row is the queue. */
type TasksTable = {
  id: GeneratedAlways<number>
  lane: Lane
  kind: TaskKind
  /** What it is about: a submission's id, or the day (yyyymmdd) of a digest. */
  subject: number
  /** Of a `file` task, the last of the submissions that were accepted together; `subject` is the first. */
  through: number | null
  /** 0 means at once, whatever the clock says. */
  due_at: number
  state: 'due' | 'done' | 'dead' | 'skipped'
  attempts: number
  lease_until: number | null
  lease_token: string | null
  note: string | null
  created_at: number
  finished_at: number | null
}

/** Lanes keep apart what must not delay each other. */
export type Lane = 'filing' | 'mail'
/** `file` comes with acceptance, one for each commit; `refile` is about one submission. */
export type TaskKind = 'file' | 'refile' | 'notify' | 'receipt' | 'digest'

type QuarantineTable = {
  submission_id: number
  reason: 'honeypot' | 'screening'
  email_key: string
  /** Comma-separated signals. */
  signals: string
  state: 'held' | 'released' | 'dismissed'
  held_at: number
  decided_at: number | null
}
