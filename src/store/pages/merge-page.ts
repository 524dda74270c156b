/** What the page that merges two leads shows, read in one snapshot. */
import type { Kysely } from 'kysely'
import { type FollowUp, readFollowUp } from '../follow-up/steps.ts'
import { countHistory, type HistoryCounts } from '../lookup/history-counts.ts'
import type { Schema } from '../tables/schema.ts'
import { inSnapshot } from '../tables/snapshot.ts'
import { type Absence, listAbsences } from '../team/absences.ts'

export type MergeSide = HistoryCounts & { followUp: FollowUp | undefined }

/** `today`: the day at the school, yyyy-mm-dd. Includes the absences from that day on. */
export const readMergeSides = (
  db: Kysely<Schema>,
  { kept, other, today }: { kept: number; other: number; today: string },
): Promise<{ kept: MergeSide; other: MergeSide; absences: Absence[] }> =>
  inSnapshot(db, async tx => {
    const side = async (id: number) => ({ ...(await countHistory(tx, id)), followUp: await readFollowUp(tx, id) })
    return { kept: await side(kept), other: await side(other), absences: await listAbsences(tx, today) }
  })
