/** Leads, their timelines, attachments and labels, the cadences that they follow, and the words that find them. */
import type { Ddl } from '../migration.ts'

export const leadTables = ({ bigint, bytes, id, table, keyedTable }: Ddl): string[] => [
  // The steps that the settings had when leads began to follow this version.
  `create table cadences (
    id ${id},
    kind text not null check (kind in ('site', 'student')),
    digest text not null,
    steps text not null,
    created_at ${bigint} not null,
    constraint cadences_once unique (kind, digest)
  ) ${table}`,

  `create table leads (
    id ${bigint} not null primary key references submissions (id),
    kind text not null check (kind in ('site', 'student')),
    stage text not null check (case kind
      when 'site' then stage in ('new', 'contacted', 'meeting', 'agreement', 'active', 'closed')
      else stage in ('new', 'contacted', 'qualified', 'applied', 'enrolled', 'closed') end),
    stage_since ${bigint},
    closed_reason text check (closed_reason in ('no reply', 'never contacted', 'not interested', 'not eligible',
      'unreachable', 'duplicate', 'unsubscribed', 'not a lead', 'spam')),
    email text,
    person_key text not null,
    mailbox_key text,
    first_name text not null,
    last_name text not null,
    phone text,
    phone_e164 text,
    latest_phone text,
    wrong_phone text,
    company text,
    state text,
    owner text,
    cadence_id ${bigint} references cadences (id),
    follow_up_since ${bigint},
    first_attempt_at ${bigint},
    first_contact_at ${bigint},
    paused_at ${bigint},
    callback_at ${bigint},
    callback_for text,
    replied_at ${bigint},
    unanswered_since ${bigint},
    account integer not null default 0 check (account in (0, 1)),
    corrected_at ${bigint},
    language text,
    language_at ${bigint},
    campaign text,
    came_from text,
    program text,
    best_time text check (best_time in ('morning', 'afternoon', 'evening')),
    campus text,
    form text,
    consent text,
    consent_at ${bigint},
    closing_at ${bigint},
    created_at ${bigint} not null,
    updated_at ${bigint} not null,
    merged_into ${bigint},
    last_at ${bigint} not null default 0,
    last_entry ${bigint},
    imported integer not null default 0 check (imported in (0, 1)),
    heat integer not null default -1,
    constraint leads_reachable check (coalesce(email, phone) is not null),
    constraint leads_closed check ((stage = 'closed') = (closed_reason is not null))
  ) ${table}`,
  ...leadIndexes,

  `create table callbacks (
    id ${id},
    lead_id ${bigint} not null references leads (id) on delete cascade,
    due_at ${bigint} not null,
    assignee text,
    words text not null,
    pauses integer not null check (pauses in (0, 1)),
    entry_id ${bigint} not null,
    ended_at ${bigint}
  ) ${table}`,
  `create index callbacks_lead on callbacks (lead_id)`,
  `create index callbacks_due on callbacks (due_at) where ended_at is null`,

  `create table timeline (
    id ${id},
    lead_id ${bigint} not null references leads (id),
    at ${bigint} not null,
    kind text not null check (kind in ('submission', 'email', 'stage', 'assigned', 'attempt', 'note', 'paused',
      'resumed', 'undone', 'fresh-link', 'reply', 'auto-reply', 'bounce', 'complaint', 'unsubscribed', 'not-me',
      'closing', 'copy', 'claim', 'staff-mail', 'message', 'skipped', 'corrected', 'withdrawn', 'merged', 'unmerged',
      'labeled', 'unlabeled', 'callback', 'callback-ended', 'no-answer-needed')),
    submission_id ${bigint} references submissions (id),
    detail text not null,
    actor text,
    was text,
    undone_at ${bigint},
    mail text,
    merged_from ${bigint}
  ) ${table}`,
  `create index timeline_lead on timeline (lead_id, id)`,
  `create unique index timeline_submission on timeline (submission_id) where kind = 'submission'`,
  // Used whenever a submission is deleted, to make sure that no entry is about it.
  `create index timeline_about on timeline (submission_id) where submission_id is not null`,

  // Until it is filed with an entry, it belongs to a lead: it is incomplete, or its email is not recorded yet.
  `create table attachments (
    id ${id},
    lead_id ${bigint} references leads (id) on delete cascade,
    entry_id ${bigint} references timeline (id) on delete cascade,
    operator_id ${bigint},
    name text not null,
    type text not null,
    size ${bigint},
    sha256 text,
    state text not null check (state in ('arriving', 'stored', 'unchecked', 'too large', 'too many', 'no room',
      'unreadable', 'empty', 'infected', 'program', 'web page', 'archive', 'macros', 'email', 'other')),
    created_at ${bigint} not null,
    constraint attachments_filed check ((lead_id is null) <> (entry_id is null))
  ) ${table}`,
  `create index attachments_entry on attachments (entry_id) where entry_id is not null`,
  `create index attachments_unfiled on attachments (lead_id) where lead_id is not null`,
  `create table attachment_parts (
    attachment_id ${bigint} not null references attachments (id) on delete cascade,
    number integer not null,
    bytes ${bytes} not null,
    constraint attachment_parts_key primary key (attachment_id, number)
  ) ${table}`,

  `create table labels (
    id ${id},
    kind text not null check (kind in ('tag', 'program')),
    name text not null,
    name_key text not null,
    constraint labels_once unique (kind, name_key)
  ) ${table}`,
  `create table lead_labels (
    lead_id ${bigint} not null references leads (id) on delete cascade,
    label_id ${bigint} not null references labels (id) on delete cascade,
    constraint lead_labels_once primary key (lead_id, label_id)
  ) ${keyedTable}`,
  `create index lead_labels_label on lead_labels (label_id, lead_id)`,

  `create table lead_words (
    lead_id ${bigint} not null primary key references leads (id) on delete cascade,
    words text not null
  ) ${table}`,
]

/** These indexes keep each query as quick with millions of leads as with none. */
const leadIndexes: string[] = [
  `create unique index leads_one_open on leads (person_key, kind) where stage <> 'closed'`,
  // Without statistics, SQLite would find a person by leads_kind rather than by the address, if this index had the
  // address alone.
  `create index leads_person on leads (person_key, kind)`,
  `create index leads_mailbox on leads (mailbox_key, kind) where mailbox_key is not null`,
  `create index leads_phone_e164 on leads (phone_e164) where phone_e164 is not null`,
  `create index leads_latest_phone on leads (latest_phone) where latest_phone is not null`,
  `create index leads_recent on leads (created_at, id)`,
  `create index leads_stage on leads (stage, created_at, id)`,
  `create index leads_kind on leads (kind, created_at, id)`,
  `create index leads_owner on leads (owner, created_at, id)`,
  // For the daily email about unattended leads.
  `create index leads_closing on leads (closing_at) where closing_at is not null`,
  `create index leads_never_contacted on leads (updated_at) where closed_reason = 'never contacted'`,
  // Few people wait for an answer, and most leads are closed some day: these indexes stay small.
  `create index leads_unanswered on leads (unanswered_since, id) where unanswered_since is not null`,
  // After an import, most of the newest leads are people that no one has done anything about: lists leave them out.
  `create index leads_open on leads (imported, created_at, id) where stage <> 'closed'`,
  `create index leads_open_owner on leads (owner, stage, imported, created_at, id) where stage <> 'closed'`,
  `create index leads_new on leads (imported, created_at, id) where stage = 'new'`,
  `create index leads_active on leads (imported, last_at, id) where stage <> 'closed'`,
  `create index leads_active_owner on leads (owner, imported, last_at, id) where stage <> 'closed'`,
  `create index leads_hot on leads (imported, heat, id) where stage <> 'closed'`,
  `create index leads_hot_owner on leads (owner, imported, heat, id) where stage <> 'closed'`,
  ...[
    ['leads_board', ''],
    // The team's leads have no owner, and SQLite would read everyone's leads rather than look up null.
    ['leads_board_owner', `coalesce(owner, ''), `],
  ].map(
    ([name, first]) => `create index ${name} on leads (${first}kind, stage,
      (case when stage = 'new' then created_at
        else coalesce(stage_since, created_at) end), id, imported)
      where stage <> 'closed' and imported = 0`,
  ),
]
