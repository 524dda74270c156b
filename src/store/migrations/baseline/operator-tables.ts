/** The people who sign in: sessions, links that let them in, tokens, notices, saved views, drafts, the audit log. */
import type { Ddl } from '../migration.ts'

export const operatorTables = ({ bigint, id, table, keyedTable }: Ddl): string[] => [
  // When two people must agree to erase someone, neither may have invited the other (`invited_by`).
  `create table operators (
    id ${id},
    email text not null,
    email_key text not null unique,
    name text not null,
    role text not null check (role in ('admin', 'manager', 'counselor', 'viewer')),
    password text,
    totp_secret text,
    totp_step ${bigint},
    factor_asked_at ${bigint},
    shortcuts integer not null default 1,
    signature text not null default '',
    list_order text,
    list_columns text,
    created_at ${bigint} not null,
    disabled_at ${bigint},
    invited_by ${bigint} references operators (id)
  ) ${table}`,

  `create table sessions (
    token_hash text not null primary key,
    operator_id ${bigint} not null references operators (id),
    created_at ${bigint} not null,
    seen_at ${bigint} not null,
    network text not null,
    browser text not null
  ) ${keyedTable}`,
  `create index sessions_operator on sessions (operator_id)`,

  // A token lets a program at the school use the private API, as the operator that it acts for.
  `create table api_tokens (
    id ${id},
    name text not null,
    token_hash text not null unique,
    ending text not null,
    operator_id ${bigint} not null references operators (id),
    scopes text not null,
    created_by ${bigint} not null references operators (id),
    created_at ${bigint} not null,
    expires_at ${bigint},
    used_at ${bigint},
    revoked_at ${bigint}
  ) ${table}`,
  `create index api_tokens_operator on api_tokens (operator_id)`,

  `create table operator_links (
    id ${id},
    purpose text not null check (purpose in ('first', 'invitation', 'reset')),
    operator_id ${bigint} references operators (id),
    nonce text not null,
    created_at ${bigint} not null,
    expires_at ${bigint} not null,
    used_at ${bigint}
  ) ${table}`,

  `create table recovery_codes (
    operator_id ${bigint} not null references operators (id),
    code_hash text not null,
    constraint recovery_codes_key primary key (operator_id, code_hash)
  ) ${keyedTable}`,

  `create table passkeys (
    id text not null primary key,
    operator_id ${bigint} not null references operators (id),
    public_key text not null,
    counter ${bigint} not null,
    name text not null,
    created_at ${bigint} not null,
    used_at ${bigint}
  ) ${keyedTable}`,
  `create index passkeys_operator on passkeys (operator_id)`,

  `create table notice_choices (
    operator_id ${bigint} not null primary key references operators (id),
    email text not null check (email in ('at once', 'daily', 'browser')),
    unassigned integer not null,
    quiet_from integer not null,
    quiet_to integer not null
  ) ${keyedTable}`,

  `create table push_subscriptions (
    id ${id},
    operator_id ${bigint} not null references operators (id),
    endpoint text not null unique,
    browser text not null,
    created_at ${bigint} not null
  ) ${table}`,
  `create index push_subscriptions_of on push_subscriptions (operator_id)`,

  // The words of a notice come from the message of its task, so that no notice names an erased person.
  `create table notices (
    id ${id},
    operator_id ${bigint} not null references operators (id),
    task_id ${bigint} not null,
    at ${bigint} not null,
    daily integer not null,
    constraint notices_once unique (operator_id, task_id)
  ) ${table}`,

  // An alarm: admins are notified when it begins and when it is over.
  `create table alarms (
    id ${id},
    cause text not null,
    title text not null,
    text text not null,
    path text not null,
    since ${bigint} not null,
    raised_at ${bigint} not null,
    fine_since ${bigint},
    ended_at ${bigint}
  ) ${table}`,
  `create unique index alarms_open on alarms (cause) where ended_at is null`,

  `create table saved_views (
    id ${id},
    operator_id ${bigint} not null references operators (id),
    name text not null,
    filter text not null,
    shared integer not null check (shared in (0, 1)),
    created_at ${bigint} not null,
    constraint saved_views_once unique (operator_id, name)
  ) ${table}`,

  // What someone has typed about a lead, or about a new one, and not sent yet.
  `create table drafts (
    id ${id},
    operator_id ${bigint} not null references operators (id),
    lead_id ${bigint} references leads (id) on delete cascade,
    kind text not null check (kind in ('email', 'note', 'student', 'site')),
    fields text not null,
    began_at ${bigint} not null,
    saved_at ${bigint} not null,
    constraint drafts_about check ((lead_id is null) = (kind in ('student', 'site')))
  ) ${table}`,
  `create unique index drafts_once on drafts (operator_id, kind, coalesce(lead_id, 0))`,
  `create index drafts_lead on drafts (lead_id) where lead_id is not null`,

  `create table audit_log (
    id ${id},
    at ${bigint} not null,
    operator_id ${bigint},
    actor text not null,
    action text not null,
    lead_id ${bigint},
    detail text not null,
    network text not null
  ) ${table}`,
  `create index audit_log_at on audit_log (at)`,
  `create index audit_log_operator on audit_log (operator_id, id)`,
  `create index audit_log_lead on audit_log (lead_id, id)`,
]
