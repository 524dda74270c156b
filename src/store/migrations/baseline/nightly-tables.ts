/** The table of nightly exports. */
import type { Ddl } from '../migration.ts'

export const nightlyTables = ({ bigint, id, table }: Ddl): string[] => [
  `create table nightly_exports (
    id ${id},
    name text not null unique,
    filter text not null,
    hour integer not null check (hour between 0 and 23),
    keep_days integer not null check (keep_days between 1 and 365),
    created_at ${bigint} not null,
    created_by text not null,
    written_at ${bigint},
    file text,
    leads ${bigint},
    failed_at ${bigint},
    failed_since ${bigint},
    failed_why text,
    constraint nightly_exports_failed check ((failed_at is null) = (failed_why is null)
      and (failed_at is null) = (failed_since is null))
  ) ${table}`,
]
