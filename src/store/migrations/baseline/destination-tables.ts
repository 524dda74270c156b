/** Destinations, the events for them, and each attempt to send one. */
import type { Ddl } from '../migration.ts'

export const destinationTables = ({ bigint, id, table }: Ddl): string[] => [
  `create table destinations (
    id ${id},
    ref text not null unique,
    kind text not null,
    name text not null,
    host text not null,
    sealed text not null,
    filter text not null,
    events text not null,
    fields text not null,
    created_at ${bigint} not null,
    token_id ${bigint} references api_tokens (id),
    off_at ${bigint},
    off_reason text check (off_reason in ('switched off', 'gone', 'given up')),
    failures integer not null default 0,
    failing_since ${bigint},
    retry_at ${bigint},
    held_at ${bigint},
    asked_until ${bigint},
    rejects_since ${bigint},
    constraint destinations_off check ((off_at is null) = (off_reason is null))
  ) ${table}`,

  // Not a foreign key: an event that says that the lead was erased must stay.
  `create table deliveries (
    id ${id},
    destination_id ${bigint} not null references destinations (id) on delete cascade,
    lead_id ${bigint},
    event_id text not null,
    type text not null,
    at ${bigint} not null,
    facts text not null,
    settled_at ${bigint}
  ) ${table}`,
  `create index deliveries_waiting on deliveries (destination_id, settled_at, lead_id, id) where settled_at is null`,
  `create index deliveries_destination on deliveries (destination_id, id)`,
  `create index deliveries_lead on deliveries (lead_id) where lead_id is not null`,
  `create index deliveries_settled on deliveries (settled_at) where settled_at is not null`,

  `create table delivery_attempts (
    id ${id},
    delivery_id ${bigint} not null references deliveries (id) on delete cascade,
    at ${bigint} not null,
    duration ${bigint} not null,
    status integer,
    response text not null,
    note text not null
  ) ${table}`,
  `create index delivery_attempts_delivery on delivery_attempts (delivery_id)`,
]
