/** Queries on the parts of the settings that are edited in the console: every version of each, the newest in force. */
import type { Kysely, Selectable } from 'kysely'
import type { Role } from '../../leads/lead/roles.ts'
import { type AuditEntry, recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'
import { addSchoolFiles, type SchoolFile } from './school-files.ts'

export type SettingsVersion = {
  id: number
  part: string
  /** The value of the part, as parsed JSON; null if the value in the settings file applies. */
  value: unknown
  createdAt: number
  /** The name of the person who saved it. */
  createdBy: string
  /** What that person wrote about the change. */
  note: string
}

/** A version to save. `replaces` is the id of the version that the person saw in force; 0 if there was none. */
export type NewVersion = Pick<SettingsVersion, 'part' | 'value' | 'note'> & {
  replaces: number
  by: string
  now: number
  audit?: AuditEntry | undefined
  /** New files that the value names. */
  files?: readonly SchoolFile[]
}

/**
 * Saves a version, which is then in force, with its files and its entry of the audit log. `before`: another version has replaced the
 * one that the person saw, and nothing is saved.
 */
export async function saveEditedSettings(
  db: Kysely<Schema>,
  { part, value: given, replaces, by, note, now, audit, files = [] }: NewVersion,
): Promise<{ id: number } | 'before'> {
  return db.transaction().execute(async tx => {
    const [newest] = await listEditedSettings(tx, part, { limit: 1 })
    if ((newest?.id ?? 0) !== replaces) return 'before'
    const value = given === null ? null : JSON.stringify(given)
    const saved = await tx
      .insertInto('edited_settings')
      .values({ part, replaces, note, created_at: now, created_by: by, value })
      .onConflict(oc => oc.columns(['part', 'replaces']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (saved !== undefined) await addSchoolFiles(tx, files, { value, now })
    if (saved !== undefined && audit !== undefined) await recordAudit(tx, audit)
    return saved ?? 'before'
  })
}

/** The versions of a part, the newest first; `before` continues after the last one of an earlier list. */
export async function listEditedSettings(
  db: Kysely<Schema>,
  part: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<SettingsVersion[]> {
  let query = db.selectFrom('edited_settings').selectAll().where('part', '=', part)
  if (before !== undefined) query = query.where('id', '<', before)
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(asVersion)
}

/** What an operator may do, by the key of their address. */
export type OperatorAccess = { key: string; role: Role; disabled: boolean }

/**
 * The newest version of each part that was ever edited, and what operators may do. Together, they decide who on the
 * team gets leads, and what the links in their emails do.
 */
export async function currentEditedSettings(
  db: Kysely<Schema>,
): Promise<{ versions: SettingsVersion[]; operators: OperatorAccess[] }> {
  const rows = await db
    .selectFrom('edited_settings')
    .selectAll()
    .where('id', 'in', eb =>
      eb
        .selectFrom('edited_settings')
        .select(of => of.fn.max('id').as('id'))
        .groupBy('part'),
    )
    .execute()
  const operators = await db.selectFrom('operators').select(['email_key', 'role', 'disabled_at']).execute()
  return {
    versions: rows.map(asVersion),
    operators: operators.map(({ email_key: key, role, disabled_at: at }) => ({ key, role, disabled: at !== null })),
  }
}

const asVersion = ({ id, part, value, note, ...row }: Selectable<Schema['edited_settings']>): SettingsVersion => ({
  id,
  part,
  note,
  value: value === null ? null : JSON.parse(value),
  createdAt: row.created_at,
  createdBy: row.created_by,
})
