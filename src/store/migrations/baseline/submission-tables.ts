/** Submissions, tasks, what is quarantined, uploaded lists, and what processes share. */
import type { Ddl } from '../migration.ts'

export const submissionTables = ({ bigint, bytes, id, table, keyedTable }: Ddl): string[] => [
  `create table submissions (
    id ${id},
    kind text not null check (kind in ('site', 'student')),
    received_at ${bigint} not null,
    key text not null,
    fingerprint text not null,
    email text,
    answer integer not null check (answer in (200, 400, 409, 429)),
    body text not null,
    form text,
    client_address text not null,
    batch ${bigint}
  ) ${table}`,
  `create index submissions_refused on submissions (received_at) where answer = 400`,

  `create table idempotency_keys (
    key text not null primary key,
    submission_id ${bigint} not null
  ) ${keyedTable}`,

  `create table message_texts (
    digest text not null,
    email_key text not null,
    seen_at ${bigint} not null,
    constraint message_texts_key primary key (digest, email_key)
  ) ${keyedTable}`,
  `create index message_texts_seen on message_texts (seen_at)`,

  `create table tasks (
    id ${id},
    lane text not null check (lane in ('filing', 'mail', 'follow-up', 'letters', 'messages', 'imports',
      'reports', 'scans', 'deliveries', 'exports')),
    kind text not null check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
      'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report', 'import', 'imported',
      'erasure', 'retention', 'daily', 'hand-over', 'scan', 'deliver', 'alarm', 'alarm-over', 'export',
      'security')),
    subject ${bigint} not null,
    step integer not null default 0,
    through ${bigint},
    due_at ${bigint} not null,
    scheduled_at ${bigint},
    state text not null check (state in ('due', 'done', 'dead', 'skipped')),
    attempts integer not null,
    lease_until ${bigint},
    lease_token text,
    note text,
    created_at ${bigint} not null,
    begun_at ${bigint},
    finished_at ${bigint},
    acknowledged_at ${bigint},
    constraint tasks_range check ((kind = 'file') = (through is not null)),
    constraint tasks_once unique (kind, subject, step)
  ) ${table}`,
  `create index tasks_due on tasks (lane, due_at, id) where state = 'due'`,
  `create index tasks_dead on tasks (lane, id) where state = 'dead'`,
  `create index tasks_skipped on tasks (lane, id) where state = 'skipped'`,
  // For sent messages, in the order in which they were sent.
  `create index tasks_sent on tasks (finished_at, id)
    where state = 'done' and lane in ('mail', 'messages', 'reports', 'follow-up', 'letters')`,
  // For the follow-up emails that were begun, among the many steps that are due some day.
  `create index tasks_begun on tasks (lane, state, id) where begun_at is not null`,

  `create table quarantine (
    submission_id ${bigint} not null primary key references submissions (id),
    reason text not null check (reason in ('honeypot', 'screening', 'lockout', 'many')),
    email_key text not null,
    signals text not null,
    state text not null check (state in ('held', 'released', 'dismissed')),
    held_at ${bigint} not null,
    decided_at ${bigint},
    decided_by text
  ) ${table}`,
  `create index quarantine_state on quarantine (state, held_at)`,
  `create index quarantine_listed on quarantine (state, submission_id)`,
  `create index quarantine_held_email on quarantine (email_key) where state = 'held'`,
  // For deleting quarantined submissions that have expired.
  `create index quarantine_locked_out on quarantine (held_at) where reason = 'lockout'`,

  `create table imports (
    id ${id},
    created_at ${bigint} not null,
    created_by text not null,
    file_name text not null,
    purpose text not null default 'people' check (purpose in ('people', 'status')),
    file_key text constraint imports_file unique,
    headers text not null,
    headers_digest text not null,
    plan text,
    state text not null,
    row_count integer not null default 0,
    through integer not null default 0,
    done integer not null default 0,
    opened integer not null default 0,
    joined integer not null default 0,
    repeated integer not null default 0,
    rejected integer not null default 0,
    kept integer not null default 0,
    moved integer not null default 0,
    left_out integer not null default 0,
    owners text not null default '{}',
    finished_at ${bigint},
    has_rows integer not null default 1
  ) ${table}`,
  `create index imports_headers on imports (headers_digest, id)`,

  `create table import_rows (
    import_id ${bigint} not null references imports (id),
    row_number integer not null,
    cells text not null,
    person_key text,
    key text,
    outcome text,
    problems text,
    submission_id ${bigint},
    lead_id ${bigint},
    entry_id ${bigint},
    constraint import_rows_key primary key (import_id, row_number)
  ) ${keyedTable}`,
  `create index import_rows_email on import_rows (import_id, person_key)`,
  `create index import_rows_outcome on import_rows (import_id, outcome, row_number)`,

  `create table secrets (
    name text not null primary key,
    value text not null
  ) ${keyedTable}`,

  // The progress of passes over tables.
  `create table progress (
    name text not null primary key,
    through ${bigint} not null
  ) ${keyedTable}`,

  // Append-only: every version of a part that was ever in force. The newest is. `replaces` has the id of the version
  // before it, or 0: of two edits of the same version, only one is saved.
  `create table edited_settings (
    id ${id},
    part text not null,
    replaces ${bigint} not null,
    value text,
    created_at ${bigint} not null,
    created_by text not null,
    note text not null,
    constraint edited_settings_once unique (part, replaces)
  ) ${table}`,

  // The files that versions of the settings name: logos.
  `create table school_files (
    name text not null primary key,
    bytes ${bytes} not null,
    created_at ${bigint} not null
  ) ${table}`,
]
