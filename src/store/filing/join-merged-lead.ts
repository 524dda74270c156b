/** A person who writes again under an address whose lead was merged joins the lead that it was merged into. */
import type { Kysely, Transaction } from 'kysely'
import { mergedAddresses, writerKey } from '../leads/merged-leads.ts'
import type { Schema } from '../tables/schema.ts'
import type { Filing, LeadFiling } from './filing-decision.ts'

/** Files those who wrote under an address of a merged lead under the address of the lead that is kept. */
export async function underKeptAddress(tx: Transaction<Schema>, filings: readonly Filing[]): Promise<Filing[]> {
  const writers = filings.map(({ submission: { kind }, email }) => ({ kind, email }))
  const merged = await mergedAddresses(tx, writers)
  if (merged.size === 0) return [...filings]
  return filings.map(filing => {
    const { submission, email } = filing
    const kept = merged.get(writerKey({ kind: submission.kind, email }))
    if (kept === undefined || !('person' in filing)) return filing
    return { ...filing, person: { ...filing.person, email: kept.email }, mergedFrom: kept.from }
  })
}

/** Their lead was merged into another while a submission was being filed: filing must begin again. */
class MergedMeanwhile extends Error {
  override name = 'MergedMeanwhile'
}

/** Files in a transaction, and begins again if a lead was merged meanwhile. */
export const filingIn = <T>(db: Kysely<Schema>, file: (tx: Transaction<Schema>) => Promise<T>) =>
  db
    .transaction()
    .execute(file)
    .catch(error => {
      if (error instanceof MergedMeanwhile) return db.transaction().execute(file)
      throw error
    })

/** Throws MergedMeanwhile if one of these has opened a lead, though that of their address was merged by now. */
export async function assertNotMerged(
  tx: Transaction<Schema>,
  joined: readonly (Filing & LeadFiling & { id: number; opened: boolean })[],
): Promise<void> {
  const opened = joined.filter(one => one.opened)
  const writers = opened.map(({ submission: { kind }, email }) => ({ kind, email }))
  const ids = opened.map(({ id }) => id)
  if ((await mergedAddresses(tx, writers, ids)).size > 0) throw new MergedMeanwhile()
}
