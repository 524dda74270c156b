/** Queries on the register of erasures, in which nothing identifies a person. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { ErasureReason } from '../../leads/lead/erasure-reasons.ts'
import type { Schema } from '../tables/schema.ts'

/** Who erased, and why: `askedBy` and `confirmedBy` are names, or words such as `command line`. */
export type Erasing = { askedBy: string; confirmedBy?: string | null; reason: ErasureReason }

/** How many of each were erased. */
export type ErasureCounts = { people: number; leads: number; submissions: number; messages: number }

export async function registerErasure(
  tx: Transaction<Schema>,
  { askedBy, confirmedBy = null, reason }: Erasing,
  erased: ErasureCounts & { at: number },
): Promise<void> {
  // The retention rules erase many people at one moment; these people share a row.
  if (reason === 'retention') {
    const { at, ...counts } = erased
    const { numUpdatedRows } = await tx
      .updateTable('erasures')
      .set(eb => ({
        people: eb('people', '+', counts.people),
        leads: eb('leads', '+', counts.leads),
        submissions: eb('submissions', '+', counts.submissions),
        messages: eb('messages', '+', counts.messages),
      }))
      .where('reason', '=', reason)
      .where('at', '=', at)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) return
  }
  await tx
    .insertInto('erasures')
    .values({ asked_by: askedBy, confirmed_by: confirmedBy, reason, ...erased })
    .execute()
}

/** Rows of the register, the latest first; `before` is the id below which the list continues. */
export async function listErasures(
  db: Kysely<Schema>,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<Selectable<Schema['erasures']>[]> {
  return db
    .selectFrom('erasures')
    .selectAll()
    .$if(before !== undefined, query => query.where('id', '<', before as number))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Whether a person was erased at this moment because they asked: then, their address is suppressed. */
export async function wasErasureAsked(db: Kysely<Schema>, at: number): Promise<boolean> {
  const found = await db
    .selectFrom('erasures')
    .select('id')
    .where('at', '=', at)
    .where('reason', '=', 'asked')
    .executeTakeFirst()
  return found !== undefined
}
