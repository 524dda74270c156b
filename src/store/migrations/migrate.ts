/**
 * The schema, step by step. A step that has been released is never edited; a change is a new step.
 * The schema states the rules: what a column may hold and what may exist once.
 */
import { type Kysely, sql } from 'kysely'
import { baseline } from './baseline.ts'
import type { Ddl, Migration } from './migration.ts'

/**
 * The version of the baseline. Earlier versions belong to development, and no release can read them. Until 0.1.0 is
 * released, each change of the baseline raises the number, so that a number always means the same schema.
 */
const FIRST = 50

/** From the baseline on, without gaps. */
export const migrations: readonly Migration[] = [baseline]

const versionAfter = (steps: readonly Migration[]): number => FIRST - 1 + steps.length

/** The schema version that this program makes. */
export const schemaVersion = versionAfter(migrations)

/**
 * Brings the schema up to date inside one transaction, which the caller has opened so that a second process waits for
 * it. Safe to call at every start. Returns whether there was anything to do. Throws when the program cannot use the
 * database. Tests give `steps` of their own.
 */
export async function migrate(
  db: Kysely<unknown>,
  ddl: Ddl,
  { now, steps = migrations }: { now: number; steps?: readonly Migration[] | undefined },
): Promise<boolean> {
  await sql
    .raw(`create table if not exists schema_versions (
      version integer not null primary key,
      applied_at ${ddl.bigint} not null
    ) ${ddl.table}`)
    .execute(db)
  const versions = db as Kysely<{ schema_versions: { version: number; applied_at: number } }>
  const found = await versions
    .selectFrom('schema_versions')
    .select(eb => eb.fn.max('version').as('version'))
    .executeTakeFirst()
  const done = found?.version ?? FIRST - 1
  if (found?.version) requireKnownVersion(found.version, versionAfter(steps))
  for (const [index, migration] of steps.entries()) {
    const version = FIRST + index
    if (version <= done) continue
    await migration(db, ddl)
    await versions.insertInto('schema_versions').values({ version, applied_at: now }).execute()
  }
  return done < versionAfter(steps)
}

/** Throws with what to do when no release, or only a newer one, can read a database of this version. */
export function requireKnownVersion(version: number, newest = schemaVersion): void {
  if (version < FIRST) {
    throw new Error(
      `it has schema version ${version}, from a development version before 0.1.0, which this program cannot ` +
        'read. Start with an empty database. To keep the leads, export them with the version that made it ' +
        '(npx frontdesk leads export), and import the file',
    )
  }
  if (version > newest) {
    throw new Error(
      `it has schema version ${version}, and this program knows ${newest}: install the version of Frontdesk that made ` +
        'it, or a newer one, or restore a backup from before the upgrade',
    )
  }
}
