/** Sources, which post leads with a key; and what each source of leads cost in a month. */
import type { Ddl } from '../migration.ts'

export const sourceTables = ({ bigint, id, table, keyedTable }: Ddl): string[] => [
  `create table sources (
    id ${id},
    name text not null,
    kind text not null check (kind in ('google', 'post')),
    lead_kind text not null check (lead_kind in ('site', 'student')),
    language text not null,
    may_write integer not null check (may_write in (0, 1)),
    mapping text not null,
    key_hash text not null unique,
    former_key_hash text unique,
    former_key_until ${bigint},
    created_at ${bigint} not null,
    off_at ${bigint},
    rejected_at ${bigint},
    rejected_why text
  ) ${table}`,

  `create table source_costs (
    source text not null,
    month text not null,
    cents ${bigint} not null,
    constraint source_costs_key primary key (month, source)
  ) ${keyedTable}`,
]
