/** Queries on the days that counselors are away. */
import type { Kysely } from 'kysely'
import { type AuditEntry, audited, changeAudited } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'

/** From the first day to the last, including both, as yyyy-mm-dd in the school's time zone. */
export type Absence = {
  id: number
  counselor: string
  firstDay: string
  lastDay: string
  /** Who recorded it in the console; null if it was recorded from the command line. */
  createdBy: string | null
}

export async function addAbsence(
  db: Kysely<Schema>,
  { counselor, firstDay, lastDay, createdBy = null, audit = [] }: NewAbsence,
): Promise<number> {
  return audited(db, audit, async tx => {
    const { id } = await tx
      .insertInto('absences')
      .values({ counselor, first_day: firstDay, last_day: lastDay, created_by: createdBy })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}

type NewAbsence = Omit<Absence, 'id' | 'createdBy'> & { createdBy?: string | null; audit?: readonly AuditEntry[] }

/** Removes an absence. Returns whether there was one; only then, the audit log says so. */
export async function removeAbsence(
  db: Kysely<Schema>,
  id: number,
  audit: readonly AuditEntry[] = [],
): Promise<boolean> {
  return changeAudited(db, audit, tx => tx.deleteFrom('absences').where('id', '=', id))
}

/** The absences that end on that day or later, in order of their first day. */
export const listAbsences = (db: Kysely<Schema>, day: string): Promise<Absence[]> =>
  db
    .selectFrom('absences')
    .select(['id', 'counselor', 'first_day as firstDay', 'last_day as lastDay', 'created_by as createdBy'])
    .where('last_day', '>=', day)
    .orderBy('first_day')
    .orderBy('id')
    .execute()
