/** What the console's insight counts: facts of each lead, leads with each, how late emails are, how forms are seen. */
import type { Ddl } from '../migration.ts'

export const insightTables = ({ bigint, id, table, keyedTable }: Ddl): string[] => [
  `create table lead_facts (
    lead_id ${bigint} not null primary key,
    day text not null,
    kind text not null,
    counselor text not null,
    campaign text not null,
    source text not null,
    program text,
    form text not null,
    heard text,
    state text not null,
    entered integer not null check (entered in (0, 1)),
    stage integer not null,
    closed integer not null check (closed in (0, 1)),
    wall_time integer,
    working_time integer,
    emails text not null
  ) ${table}`,

  `create table insight_counts (
    dimension text not null,
    period text not null,
    kind text not null,
    value text not null,
    leads ${bigint} not null,
    counts text not null,
    constraint insight_counts_key primary key (dimension, period, kind, value)
  ) ${keyedTable}`,

  // A row for each change of a lead that is not counted yet. Not a foreign key, since the lead may be gone.
  `create table changed_leads (
    id ${id},
    lead_id ${bigint} not null
  ) ${table}`,

  `create table delivery_counts (
    hour ${bigint} not null,
    audience text not null check (audience in ('people', 'staff')),
    late ${bigint} not null,
    sent ${bigint} not null,
    retried ${bigint} not null,
    constraint delivery_counts_key primary key (hour, audience, late)
  ) ${keyedTable}`,

  `create table form_counts (
    form text not null,
    day text not null,
    seen ${bigint} not null,
    begun ${bigint} not null,
    sent ${bigint} not null,
    rest_begun ${bigint} not null,
    rest_sent ${bigint} not null,
    constraint form_counts_key primary key (form, day)
  ) ${keyedTable}`,
]
