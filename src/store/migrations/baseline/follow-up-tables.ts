/** The follow-up's data about the team and about addresses: turns, absences, hand-overs, suppressions, mailboxes. */
import type { Ddl } from '../migration.ts'

export const followUpTables = ({ bigint, id, table, keyedTable }: Ddl): string[] => [
  `create table turns (
    pool text not null,
    counselor text not null,
    credit ${bigint} not null,
    constraint turns_key primary key (pool, counselor)
  ) ${keyedTable}`,

  `create table absences (
    id ${id},
    counselor text not null,
    first_day text not null,
    last_day text not null,
    created_by text,
    constraint absences_order check (first_day <= last_day)
  ) ${table}`,

  // Its version grows with every portion: if two processes do the same portion, only one succeeds.
  `create table hand_overs (
    id ${id},
    at ${bigint} not null,
    from_owner text not null,
    from_name text not null,
    actor text not null,
    plan text not null,
    state text not null check (state in ('running', 'done', 'undoing', 'undone')),
    version ${bigint} not null,
    turns text not null,
    recipients text not null,
    finished_at ${bigint},
    undone_by text
  ) ${table}`,
  `create unique index hand_overs_unfinished on hand_overs (from_owner) where state in ('running', 'undoing')`,
  `create table hand_over_leads (
    hand_over_id ${bigint} not null references hand_overs (id),
    lead_id ${bigint} not null references leads (id) on delete cascade,
    owner text,
    entry_id ${bigint} not null,
    restored integer,
    constraint hand_over_leads_key primary key (hand_over_id, lead_id)
  ) ${keyedTable}`,
  `create index hand_over_leads_lead on hand_over_leads (lead_id)`,

  `create table suppressions (
    address_hash text not null primary key,
    reason text not null check (reason in ('unsubscribed', 'bounced', 'complaint', 'not me')),
    since ${bigint} not null
  ) ${keyedTable}`,

  `create table accounts (
    address_hash text not null primary key
  ) ${keyedTable}`,

  // How far a watched mailbox has been read.
  `create table mailboxes (
    name text not null primary key,
    uid_validity text not null,
    last_uid ${bigint} not null,
    last_arrival ${bigint} not null
  ) ${keyedTable}`,

  // Mail to the watched mailbox that is not about a lead, until it is forwarded.
  `create table stray_mail (
    id ${id},
    received_at ${bigint} not null,
    sender text not null,
    subject text not null,
    text text not null,
    attachments text not null,
    listed_on ${bigint}
  ) ${table}`,
]
