/** A person who writes again under an address whose lead was merged joins the lead that it was merged into. */
import type { Kysely, Transaction } from 'kysely'
import { mergedPeople, writerKey } from '../leads/merged-leads.ts'
import type { Schema } from '../tables/schema.ts'
import type { Filing, LeadFiling } from './filing-decision.ts'

/** Files people who wrote from the address of a merged lead under the address of the kept lead. */
export async function underKeptAddress(tx: Transaction<Schema>, filings: readonly Filing[]): Promise<Filing[]> {
  const writers = filings.map(({ submission: { kind }, sender }) => ({ kind, key: sender }))
  const merged = await mergedPeople(tx, writers)
  if (merged.size === 0) return [...filings]
  return filings.map(filing => {
    const { submission, sender } = filing
    const kept = merged.get(writerKey({ kind: submission.kind, key: sender }))
    if (kept === undefined || !('person' in filing)) return filing
    const person = { ...filing.person, email: kept.email, key: kept.key }
    return { ...filing, person, mergedFrom: kept.from }
  })
}

/** A lead was merged into another while a submission to it was being filed, so filing must start over. */
class MergedMeanwhile extends Error {
  override name = 'MergedMeanwhile'
}

/** Files in a transaction, and starts over if a lead was merged meanwhile. */
export const filingIn = <T>(db: Kysely<Schema>, file: (tx: Transaction<Schema>) => Promise<T>) =>
  db
    .transaction()
    .execute(file)
    .catch(error => {
      if (error instanceof MergedMeanwhile) return db.transaction().execute(file)
      throw error
    })

/** Throws MergedMeanwhile if a lead was opened for an address whose lead was merged into another meanwhile. */
export async function assertNotMerged(
  tx: Transaction<Schema>,
  joined: readonly (Filing & LeadFiling & { id: number; opened: boolean })[],
): Promise<void> {
  const opened = joined.filter(one => one.opened)
  const writers = opened.map(({ submission: { kind }, sender }) => ({ kind, key: sender }))
  const ids = opened.map(({ id }) => id)
  if ((await mergedPeople(tx, writers, ids)).size > 0) throw new MergedMeanwhile()
}
