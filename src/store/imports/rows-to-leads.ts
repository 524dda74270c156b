/**
 * Turns the rows of an imported list into leads: stores each row as a submission, files it like any other, and counts
 * the outcomes. The transaction of each portion also records the progress, so nothing is done twice, even if a process
 * dies.
 */
import type { Kysely, Transaction } from 'kysely'
import type { Submission } from '../../leads/body/submission.ts'
import { type Filed, fileInGroups } from '../filing/file-group.ts'
import type { Filing, LeadFiling } from '../filing/filing-decision.ts'
import { filingIn } from '../filing/join-merged-lead.ts'
import type { Staffing } from '../filing/owner-assignment.ts'
import { addMails } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { isReady, type ReadyRow, type RejectedRow, storedKeys } from './check-rows.ts'
import { addToOwners, type ImportedFor, readOwners } from './imports.ts'
import { endPortion, lockRows, mayDo, type PortionDone, type RowResult, saveResults } from './portions.ts'

/** A row as a submission, with everything that its lead needs. */
export type FiledRow = ReadyRow &
  LeadFiling & { fingerprint: string; submission: Pick<Submission, 'kind' | 'answer' | 'body' | 'form'> }

/**
 * Turns rows into leads, quietly: see `FilingContext`. A row is left out if its words are already stored from the same
 * source. Returns false if the claim was lost.
 */
export async function fileImportRows(
  db: Kysely<Schema>,
  portion: PortionDone,
  rows: readonly (RejectedRow | FiledRow)[],
  staffing: Staffing,
): Promise<boolean> {
  const { importId, last, now } = portion
  return filingIn(db, async tx => {
    if (!(await mayDo(tx, portion))) return false
    const present = await lockRows(tx, importId, rows)
    const stored = await storedKeys(tx, present.filter(isReady))
    const fresh: FiledRow[] = []
    const results: RowResult[] = []
    for (const one of present) {
      if (!isReady(one)) results.push({ ...one, key: null, outcome: 'rejected' })
      else if (stored.has(one.key)) results.push({ ...resultOf(one), outcome: 'repeated' })
      else {
        stored.add(one.key)
        fresh.push(one)
      }
    }
    const filings = await addSubmissions(tx, fresh, now)
    const { leads } = await fileInGroups(tx, filings, { now, staffing, room: 0, quiet: true })
    const leadOf = new Map(leads.map(({ submissionId, leadId }) => [submissionId, leadId]))
    for (const [i, row] of fresh.entries()) {
      const submissionId = filings[i]?.submission.id as number
      const outcome = leadOf.get(submissionId) === submissionId ? 'opened' : 'joined'
      results.push({ ...resultOf(row), outcome, submissionId })
    }
    await saveResults(tx, importId, results)
    const owners = await countOwners(tx, importId, leads)
    await endPortion(tx, portion, { rows, results, owners })
    if (last) await addImportedMail(tx, importId, readOwners(owners), now)
    return true
  })
}

const resultOf = ({ row, sender, key, problems }: ReadyRow) => ({ row, sender, key, ...(problems && { problems }) })

/** Stores rows as submissions, with their keys. Returns each ready to be filed, in order, without screening. */
async function addSubmissions(tx: Transaction<Schema>, rows: readonly FiledRow[], now: number): Promise<Filing[]> {
  if (rows.length === 0) return []
  const stored = await tx
    .insertInto('submissions')
    .values(
      rows.map(({ key, fingerprint, submission: { kind, answer, body, form } }) => ({
        kind,
        received_at: now,
        key,
        fingerprint,
        email: body.email ?? null,
        answer,
        body: JSON.stringify(body),
        form: JSON.stringify(form),
        client_address: '',
        batch: null,
      })),
    )
    .returning(['id', 'key'])
    .execute()
  // Fails if another import takes the same key at this moment; then the portion is done again.
  await tx
    .insertInto('idempotency_keys')
    .values(stored.map(({ id, key }) => ({ key, submission_id: id })))
    .execute()
  const ids = new Map(stored.map(({ id, key }) => [key, id]))
  return rows.map(row => ({
    ...row,
    submission: { ...row.submission, id: ids.get(row.key) as number, receivedAt: now },
    released: false,
    signals: [],
    textDigest: undefined,
  }))
}

/** The counts by owner, including these rows. */
async function countOwners(tx: Transaction<Schema>, importId: number, leads: Filed['leads']): Promise<string> {
  const { owners } = await tx
    .selectFrom('imports')
    .select('owners')
    .where('id', '=', importId)
    .executeTakeFirstOrThrow()
  if (leads.length === 0) return owners
  const rows = await tx
    .selectFrom('leads')
    .select(['id', 'owner'])
    .where(
      'id',
      'in',
      leads.map(({ leadId }) => leadId),
    )
    .execute()
  const ownerOf = new Map(rows.map(({ id, owner }) => [id, owner]))
  const more = leads.map(({ submissionId, leadId }): ImportedFor => {
    const owner = ownerOf.get(leadId) ?? null
    return submissionId === leadId ? { owner, opened: 1, joined: 0 } : { owner, opened: 0, joined: 1 }
  })
  return addToOwners(owners, more)
}

/** One email for each owner, however many leads they got. The step of the task says which owner it is for. */
const addImportedMail = (tx: Transaction<Schema>, importId: number, owners: readonly ImportedFor[], now: number) =>
  addMails(
    tx,
    owners.map((_, step) => ({ kind: 'imported', subject: importId, step })),
    now,
  )
