/**
 * The tables as the queries see them; the migrations create them. Times are Unix milliseconds. Not listed here:
 * `lead_search` (SQLite; the index of `lead_words`), `indexed_keys` (SQLite; up to which submission the keys are
 * indexed), `write_probe` (SQLite; a row that is written to find out whether writing works) and `limits` (PostgreSQL;
 * the windows of rate limits and lockouts).
 */
import type { Generated, GeneratedAlways } from 'kysely'
import type { SuppressionReason } from '../../follow-up/stop-conditions.ts'
import type { ConsentState } from '../../leads/body/consent.ts'
import type { LabelKind } from '../../leads/lead/labels.ts'
import type { TimelineKind } from '../../leads/lead/timeline-entries.ts'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import type { DayPart } from '../../platform/time.ts'
import type { AlarmTables } from './alarm-tables.ts'
import type { AttachmentTables } from './attachment-tables.ts'
import type { OperatorTables } from './console-tables.ts'
import type { InsightTables } from './count-tables.ts'
import type { DestinationTables } from './destination-tables.ts'
import type { PrivacyTables } from './erasure-tables.ts'
import type { HandOverTables } from './hand-over-tables.ts'
import type { ImportTables } from './import-tables.ts'
import type { MailboxTables } from './mailbox-tables.ts'
import type { NightlyTables } from './nightly-tables.ts'
import type { SourceTables } from './source-tables.ts'
import type { TaskKind } from './task-kinds.ts'

export type Schema = AlarmTables &
  AttachmentTables &
  DestinationTables &
  HandOverTables &
  ImportTables &
  InsightTables &
  MailboxTables &
  NightlyTables &
  OperatorTables &
  PrivacyTables &
  SourceTables &
  OtherTables

type OtherTables = {
  submissions: SubmissionsTable
  idempotency_keys: { key: string; submission_id: number }
  leads: LeadsTable
  callbacks: CallbacksTable
  timeline: TimelineTable
  tasks: TasksTable
  quarantine: QuarantineTable
  /** The key of the hashes of addresses. Unless SECRET_KEY is set, also the key that signs links and Message-IDs. */
  secrets: { name: string; value: string }
  /** Which text came from which address. Screening needs this. */
  message_texts: { digest: string; email_key: string; seen_at: number }
  cadences: CadencesTable
  /** The credits of the counselors who take turns: a weighted round robin. */
  turns: { pool: string; counselor: string; credit: number }
  /** Days as yyyy-mm-dd, the last one included. */
  absences: AbsencesTable
  edited_settings: EditedSettingsTable
  /** The logos that managers upload; the name is the digest of the content, with an extension. */
  school_files: { name: string; bytes: Uint8Array; created_at: number }
  /** Addresses that get no follow-up emails, as keyed hashes. */
  suppressions: { address_hash: string; reason: SuppressionReason; since: number }
  /** Addresses that have an account at the learning site, as keyed hashes. */
  accounts: { address_hash: string }
  /** The words that searches find a lead by (`leads/words/search-words.ts`), with spaces in between. */
  lead_words: { lead_id: number; words: string }
  /** The names of labels; `name_key` is the name without capitals and accents. */
  labels: { id: GeneratedAlways<number>; kind: LabelKind; name: string; name_key: string }
  lead_labels: { lead_id: number; label_id: number }
  /** The id that a pass over a table has reached. */
  progress: { name: string; through: number }
}

type AbsencesTable = {
  id: Generated<number>
  counselor: string
  first_day: string
  last_day: string
  /** The name of the operator who recorded it in the console; null if it was recorded from the command line. */
  created_by: Generated<string | null>
}

/** Append-only: the versions of each part of the settings that is edited in the console. The newest is in force. */
type EditedSettingsTable = {
  id: GeneratedAlways<number>
  part: string
  /** The id of the part's previous version; 0 for the first. */
  replaces: number
  /** The value of the part, as JSON; null if the value in the settings file applies. */
  value: string | null
  created_at: number
  created_by: string
  note: string
}

/** A version of a cadence, as it was in the settings when a lead began to follow it. Never changed. */
type CadencesTable = {
  id: Generated<number>
  kind: 'site' | 'student'
  digest: string
  /** The steps as JSON. */
  steps: string
  created_at: number
}

/** Append-only: one row for each submission that was stored. */
type SubmissionsTable = {
  id: Generated<number>
  kind: 'site' | 'student'
  received_at: number
  key: string
  fingerprint: string
  email: string | null
  /** The status of the response, and of every replay. */
  answer: number
  body: string
  /** What the form adds to the body, as JSON (`leads/body/form-details.ts`); null if no form of ours sent it. */
  form: Generated<string | null>
  client_address: string
  /** The id of the first submission of the same commit; null where a commit's ids are consecutive, as on SQLite. */
  batch: number | null
}

/** There is only one open lead for each person and kind. */
type LeadsTable = {
  /** The id of the lead's first submission. */
  id: number
  kind: 'site' | 'student'
  stage: string
  /** When the lead came into its stage; null if it is still in its first one. */
  stage_since: number | null
  closed_reason: string | null
  email: string | null
  /** The key that identifies the person (`personKey`). */
  person_key: string
  /** The key of the mailbox (`mailboxKey`); null if only this address leads to it. */
  mailbox_key: string | null
  first_name: string
  last_name: string
  phone: string | null
  phone_e164: string | null
  /** In E.164: the number in the latest submission that gave a number other than the first. */
  latest_phone: string | null
  /** The number that someone called and found to be the wrong number. */
  wrong_phone: string | null
  company: string | null
  state: string | null
  owner: string | null
  cadence_id: number | null
  /** The time from which the cadence counts; a pause postpones it. */
  follow_up_since: number | null
  first_attempt_at: number | null
  first_contact_at: number | null
  paused_at: number | null
  /** When the next of the lead's open callbacks is due; null if there is none. */
  callback_at: number | null
  /** Who, besides the lead's counselor, has promised an open callback: ids, with spaces in between; null for no one. */
  callback_for: string | null
  replied_at: number | null
  /** When the person wrote again or replied; null once someone has answered. */
  unanswered_since: number | null
  account: number
  /** When someone at the school last corrected the address or the phone number; null if no one did. */
  corrected_at: number | null
  /** The language of their last form, or what someone at the school has chosen since; null if neither is known. */
  language: string | null
  /** When that form was sent, or when someone chose the language; null if neither is known. */
  language_at: number | null
  /** The campaign and `came_from` are those of the first form that recorded them. */
  campaign: string | null
  came_from: string | null
  /** The program that they chose last or, without one, the first that they named or were given; null for none. */
  program: string | null
  /** The time to call that they chose last, in a form that asked; null for none. */
  best_time: DayPart | null
  campus: string | null
  /** The form of the school that they first wrote through, by its name. */
  form: string | null
  /** What they said about calls and texts in the latest form that asked, and when; null if no form asked. */
  consent: ConsentState | null
  consent_at: number | null
  /** When a lead that no one tried to reach will be closed; null until someone has been warned. */
  closing_at: number | null
  created_at: number
  updated_at: number
  /** The lead of the same person that this one was merged into; the stage of this one is then `closed`. */
  merged_into: number | null
  /** When something last happened with the person, and the timeline's entry about it (`leads/last-activity.ts`). */
  last_at: Generated<number>
  last_entry: Generated<number | null>
  /** Whether the person was imported, and nothing has happened with them since. Then the stage is `new`. */
  imported: Generated<number>
  /** How warm their answers are, from 0 to 100; -1 if that is not known. */
  heat: Generated<number>
}

/** Promises to call the person of a lead. */
type CallbacksTable = {
  id: GeneratedAlways<number>
  lead_id: number
  due_at: number
  /** Who calls: the id of a counselor, or `manager`; null for the counselor of the lead. */
  assignee: string | null
  /** What it is about; may be empty. */
  words: string
  /** Whether it has paused the follow-up. */
  pauses: number
  /** The timeline's entry that says that it was planned or moved. Emails about it name that entry as their subject. */
  entry_id: number
  /** When someone recorded the outcome; null until then. */
  ended_at: number | null
}

/** What happened to a lead, in order. */
type TimelineTable = {
  id: GeneratedAlways<number>
  lead_id: number
  at: number
  kind: TimelineKind
  submission_id: number | null
  /**
   * For a submission, its screening signals, separated by commas. For an email, the kind of its task or the name of its
   * step. For everything else, words for people.
   */
  detail: string
  /** Who did it: the id of a counselor, `manager`, or words such as `command line`; null if no one did. */
  actor: string | null
  /** The state before the action, as JSON, for undoing it; null if it cannot be undone. */
  was: string | null
  undone_at: number | null
  /** For an email that someone sent: more about it, as JSON. */
  mail: string | null
  /** The lead that the entry is about, if that lead is merged into the one whose timeline this is. */
  merged_from: number | null
}

/** Everything that still has to happen. The row is the queue. */
type TasksTable = {
  id: GeneratedAlways<number>
  lane: Lane
  kind: TaskKind
  /** What it is about: the id of a submission, a lead and so on, or a day (`task-kinds.ts`). */
  subject: number
  /**
   * The step of the cadence, from 0. For other tasks, it distinguishes messages about the same subject: for `news`, the
   * copy; for `digest` and `unattended`, the team; for `notify`, whether it is gathered (`mail-steps.ts`); for `daily`
   * and `erasure`, the operator who gets it; for `imported` and `hand-over`, the place in the list of recipients; for
   * all others 0.
   */
  step: Generated<number>
  /** For a `file` task, the last of the submissions that were accepted together; `subject` is the first. */
  through: number | null
  /** 0 means immediately, whatever the clock says. */
  due_at: number
  /** When `due_at` was set; null if it has not changed since the task was created. */
  scheduled_at: Generated<number | null>
  state: 'due' | 'done' | 'dead' | 'skipped'
  attempts: number
  lease_until: number | null
  lease_token: string | null
  /** Why it waits, failed or was left out, in words. For a message to the staff that was sent, who got it. */
  note: string | null
  created_at: number
  /** When the first attempt to send it began; null before that, and for kinds that never wait for an hour. */
  begun_at: number | null
  finished_at: number | null
  /** When someone acknowledged that a message was given up, so that it is no longer a warning. */
  acknowledged_at: Generated<number | null>
}

/** Lanes separate tasks, so that they do not delay each other. */
export type Lane =
  | 'filing'
  | 'mail'
  | 'follow-up'
  | 'letters'
  | 'messages'
  | 'imports'
  | 'reports'
  | 'scans'
  | 'deliveries'
  | 'exports'
/** Quarantined submissions, and the decision on each. */
type QuarantineTable = {
  submission_id: number
  reason: QuarantineReason
  email_key: string
  /** The signals, separated by commas. */
  signals: string
  state: 'held' | 'released' | 'dismissed'
  held_at: number
  decided_at: number | null
  /** Who decided, as in a timeline; null if it expired. */
  decided_by: string | null
}
