/**
 * Makes leads of the rows of an imported list. Each portion is one transaction that also records the progress, so
 * nothing is done twice, whenever a process dies.
 */
import type { Kysely, Transaction } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import type { FormDetails } from '../../leads/body/form-details.ts'
import type { Body, Kind } from '../../leads/body/submission.ts'
import { IMPORTED, THE_TEAM } from '../../leads/lead/timeline-details.ts'
import { indexedWords } from '../../leads/words/search-words.ts'
import { filingIn, lockJoined } from '../filing/join-merged-lead.ts'
import type { CadenceStart } from '../filing/join-or-open-lead.ts'
import { assignOwners, type Staffing } from '../filing/owner-assignment.ts'
import { addStepsOf } from '../follow-up/steps.ts'
import type { Person } from '../leads/leads.ts'
import { mergedAddresses, writerKey } from '../leads/merged-leads.ts'
import { insertLeads } from '../leads/new-leads.ts'
import { addEntries } from '../leads/timeline.ts'
import { addWords, saveWords } from '../leads/words.ts'
import { addMails } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { isReady, peopleWithLeads, type ReadyRow, type RejectedRow, storedKeys } from './check.ts'
import { addToOwners, type ImportedFor, readOwners } from './imports.ts'
import { endPortion, lockRows, mayDo, type PortionDone, type RowResult, saveResults } from './rows.ts'

/** A row with everything that a lead needs. */
export type FiledRow = ReadyRow & {
  fingerprint: string
  body: Body[Kind]
  person: Person
  cadenceStart: CadenceStart | null
  /** The lead of the person's address, if it was merged into the one that the row joins. */
  mergedFrom?: number
}

/** The email key under which a row is filed: the address of the lead that the person's lead was merged into, or their own. */
const personKey = ({ person }: FiledRow): string => emailKey(person.email)

export type ImportFiling = {
  kind: Kind
  /** What is stored beside the body of each inquiry: who imported it, and who it is assigned to. */
  form: FormDetails
  staffing: Staffing
}

/**
 * Makes leads of rows. The row of a person with an open lead is added to the timeline of that lead, and changes nothing
 * else about it. Returns false if the claim was lost.
 */
export async function fileImportRows(
  db: Kysely<Schema>,
  portion: PortionDone,
  rows: readonly (RejectedRow | FiledRow)[],
  filing: ImportFiling,
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
    const filed: Filed[] = []
    const rowsToFile = await underKeptAddress(tx, filing.kind, fresh)
    for (const group of withoutRepeatedPeople(rowsToFile)) filed.push(...(await fileGroup(tx, group, filing, now)))
    for (const { row, id, leadId } of filed)
      results.push({ ...resultOf(row), outcome: id === leadId ? 'opened' : 'joined', submissionId: id })
    await saveResults(tx, importId, results)
    const owners = await countOwners(tx, importId, filed)
    await endPortion(tx, portion, { rows, results, owners })
    if (last) await addImportedMail(tx, importId, readOwners(owners), now)
    return true
  })
}

const resultOf = ({ row, emailKey, key }: ReadyRow) => ({ row, emailKey, key })

/** The rows, with the address of the lead that is kept where the person's lead was merged into another. */
async function underKeptAddress(tx: Transaction<Schema>, kind: Kind, rows: readonly FiledRow[]): Promise<FiledRow[]> {
  const writers = rows.map(({ emailKey: email }) => ({ kind, email }))
  const merged = await mergedAddresses(tx, writers)
  return rows.map(row => {
    const kept = merged.get(writerKey({ kind, email: row.emailKey }))
    if (kept === undefined) return row
    return { ...row, person: { ...row.person, email: kept.email }, mergedFrom: kept.from }
  })
}

/** Groups in which each person has one row, so that what becomes of a row does not depend on another. */
function withoutRepeatedPeople(rows: readonly FiledRow[]): FiledRow[][] {
  const groups: FiledRow[][] = []
  const rowsOf = new Map<string, number>()
  for (const row of rows) {
    const before = rowsOf.get(personKey(row)) ?? 0
    rowsOf.set(personKey(row), before + 1)
    const group = groups[before]
    if (group === undefined) groups.push([row])
    else group.push(row)
  }
  // Every process locks the leads of people in one order.
  return groups.map(group => group.toSorted((one, other) => (personKey(one) < personKey(other) ? -1 : 1)))
}

/** `id` is the submission's: a lead that it opened has the same. */
type Filed = { row: FiledRow; id: number; leadId: number }

async function fileGroup(
  tx: Transaction<Schema>,
  group: readonly FiledRow[],
  { kind, form, staffing }: ImportFiling,
  now: number,
): Promise<Filed[]> {
  const ids = await addSubmissions(tx, group, { kind, form, now })
  const open = await peopleWithLeads(
    tx,
    kind,
    group.map(row => ({ emailKey: personKey(row) })),
  )
  await lockJoined(tx, new Set(open.values()))
  const numbered = group.map(row => ({ row, id: ids.get(row.key) as number }))
  const opening = numbered.filter(({ row }) => !open.has(personKey(row)))
  const leads = await insertLeads(
    tx,
    opening.map(({ row: { person, cadenceStart }, id }) => ({
      submission: { id, kind, receivedAt: now, form },
      person,
      account: false,
      cadenceId: cadenceStart?.cadenceId ?? null,
      followUpSince: cadenceStart?.since ?? null,
    })),
    now,
  )
  for (const [i, { row }] of opening.entries()) open.set(personKey(row), leads[i]?.id as number)
  const filed = numbered.map(({ row, id }) => ({ row, id, leadId: open.get(personKey(row)) as number }))
  const opened = filed.filter(({ id, leadId }) => id === leadId)
  const steps = opened.flatMap(({ row, id }) =>
    (row.cadenceStart?.firstSteps ?? []).map(step => ({ leadId: id, ...step })),
  )
  await addStepsOf(tx, steps, now)
  const actor = form.entered?.by ?? null
  await addEntries(
    tx,
    filed.map(({ row: { mergedFrom }, id, leadId }) => ({
      ...(mergedFrom !== undefined && { mergedFrom }),
      leadId,
      at: now,
      kind: 'submission',
      submissionId: id,
      detail: IMPORTED,
      actor,
    })),
  )
  await giveOwners(tx, opened, { kind, form, staffing }, now)
  await indexRows(tx, filed, form)
  return filed
}

/** Stores rows as inquiries, with their keys. Returns the id of each by its key. */
async function addSubmissions(
  tx: Transaction<Schema>,
  rows: readonly FiledRow[],
  { kind, form, now }: { kind: Kind; form: FormDetails; now: number },
): Promise<Map<string, number>> {
  const details = JSON.stringify(form)
  const stored = await tx
    .insertInto('submissions')
    .values(
      rows.map(({ key, fingerprint, body }) => ({
        kind,
        received_at: now,
        key,
        fingerprint,
        email: body.email,
        answer: 200,
        body: JSON.stringify(body),
        form: details,
        client_address: '',
        batch: null,
      })),
    )
    .returning(['id', 'key'])
    .execute()
  // Fails if another import takes the same key at this moment; the portion is then done again.
  await tx
    .insertInto('idempotency_keys')
    .values(stored.map(({ id, key }) => ({ key, submission_id: id })))
    .execute()
  return new Map(stored.map(({ id, key }) => [key, id]))
}

async function giveOwners(
  tx: Transaction<Schema>,
  opened: readonly Filed[],
  { kind, form, staffing }: ImportFiling,
  now: number,
): Promise<void> {
  const entered = form.entered
  if (opened.length === 0) return
  if (entered?.owner !== undefined) {
    const { owner, by: actor } = entered
    const ids = opened.map(({ id }) => id)
    await tx.updateTable('leads').set({ owner }).where('id', 'in', ids).execute()
    const detail = owner ?? THE_TEAM
    await addEntries(
      tx,
      ids.map(leadId => ({ leadId, at: now, kind: 'assigned', detail, actor })),
    )
  } else if (kind === 'student') {
    const unowned = opened.map(({ id, row: { person } }) => ({
      id,
      email: person.email,
      state: person.state,
      language: form.language,
    }))
    await assignOwners(tx, unowned, staffing, now)
  }
}

async function indexRows(tx: Transaction<Schema>, filed: readonly Filed[], form: FormDetails): Promise<void> {
  const all = filed.map(({ row: { person, body }, id, leadId }) => {
    const opened = id === leadId
    // An open lead keeps its language.
    const language = opened ? form.language : null
    const words = indexedWords({ ...person, consent: null, language }, [{ body, form }])
    return { leadId, opened, words }
  })
  await saveWords(
    tx,
    all.filter(({ opened }) => opened),
  )
  for (const one of all.filter(({ opened }) => !opened)) await addWords(tx, one)
}

/** The counts by owner, with those of these rows. */
async function countOwners(tx: Transaction<Schema>, importId: number, filed: readonly Filed[]): Promise<string> {
  const { owners } = await tx
    .selectFrom('imports')
    .select('owners')
    .where('id', '=', importId)
    .executeTakeFirstOrThrow()
  if (filed.length === 0) return owners
  const rows = await tx
    .selectFrom('leads')
    .select(['id', 'owner'])
    .where(
      'id',
      'in',
      filed.map(({ leadId }) => leadId),
    )
    .execute()
  const ownerOf = new Map(rows.map(({ id, owner }) => [id, owner]))
  const more = filed.map(({ id, leadId }): ImportedFor => {
    const owner = ownerOf.get(leadId) ?? null
    return id === leadId ? { owner, opened: 1, joined: 0 } : { owner, opened: 0, joined: 1 }
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
