/** Erasures: their register, the requests that a second person confirms, and what the retention rules will erase. */
import type { Ddl } from '../migration.ts'

export const privacyTables = ({ bigint, id, table, keyedTable }: Ddl): string[] => [
  // Nothing in it leads back to the person.
  `create table erasures (
    id ${id},
    at ${bigint} not null,
    asked_by text not null,
    confirmed_by text,
    reason text not null check (reason in ('asked', 'not needed', 'retention')),
    people ${bigint} not null,
    leads ${bigint} not null,
    submissions ${bigint} not null,
    messages ${bigint} not null
  ) ${table}`,

  // The person's address, or number, is kept only while the request waits.
  `create table erasure_requests (
    id ${id},
    person text,
    reason text not null check (reason in ('asked', 'not needed')),
    asked_by ${bigint} not null references operators (id),
    created_at ${bigint} not null,
    expires_at ${bigint} not null,
    outcome text check (outcome in ('erased', 'refused', 'withdrawn', 'expired')),
    decided_at ${bigint},
    decided_by text
  ) ${table}`,

  `create table lead_holds (
    lead_id ${bigint} not null primary key references leads (id) on delete cascade,
    reason text not null,
    until ${bigint},
    actor text not null,
    created_at ${bigint} not null
  ) ${keyedTable}`,

  `create table planned_erasures (
    lead_id ${bigint} not null primary key references leads (id) on delete cascade,
    erase_at ${bigint} not null,
    planned_at ${bigint} not null
  ) ${keyedTable}`,
  `create index planned_erasures_at on planned_erasures (erase_at, lead_id)`,
]
