/**
 * Leads that were merged into another of the same person. The row of such a lead stays, closed, and names
 * the other; its history stands with the other, each entry with the lead that it came from.
 */
import type { Kysely } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { MergeRecord, Was } from '../../leads/lead/timeline-entries.ts'
import type { Schema } from '../tables/schema.ts'
import { asLead, findLead } from './leads.ts'
import { addEntry, type Entry } from './timeline.ts'

/** A lead that was merged into another, and the entry that records it. */
export type MergedLead = {
  lead: Lead
  entry: number
  /** The lead into which it was merged: the one that is asked about, or another that was itself merged into that. */
  into: number
}

/** The leads that a lead stands for beside itself, in the order in which they were merged. */
export async function readMergedLeads(db: Kysely<Schema>, leadId: number): Promise<MergedLead[]> {
  const merges = await readMerges(db, leadId)
  if (merges.length === 0) return []
  const rows = await db
    .selectFrom('leads')
    .selectAll()
    .where(
      'id',
      'in',
      merges.map(({ record }) => record.lead),
    )
    .execute()
  const leads = new Map(rows.map(row => [row.id, asLead(row)]))
  return merges.flatMap(({ entry, into, record }) => {
    const lead = leads.get(record.lead)
    return lead === undefined ? [] : [{ lead, entry, into }]
  })
}

/** One merge that stands. */
export type Merge = { entry: number; at: number; into: number; record: MergeRecord }

/** The merges behind a lead that stand, oldest first. */
export async function readMerges(db: Kysely<Schema>, leadId: number): Promise<Merge[]> {
  const rows = await db
    .selectFrom('timeline')
    .select(['id', 'at', 'merged_from', 'was'])
    .where('lead_id', '=', leadId)
    .where('kind', '=', 'merged')
    .where('undone_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.flatMap(({ id, at, merged_from, was }) => {
    const { merge } = JSON.parse(was ?? '{}') as Was
    return merge ? [{ entry: id, at, into: merged_from ?? leadId, record: merge }] : []
  })
}

/** The ids of a lead and of those that were merged into it, or into one of these. */
export function withMerged(leadId: number, merges: readonly Merge[]): number[] {
  const children = merges.filter(({ into }) => into === leadId)
  return [leadId, ...children.flatMap(({ record }) => withMerged(record.lead, merges))]
}

/** Puts the leads into which they were merged in the place of leads, each once, newest first. */
export async function asKept(db: Kysely<Schema>, leads: readonly Lead[]): Promise<Lead[]> {
  const kept = new Map<number, Lead>()
  for (const lead of leads) {
    const one = lead.mergedInto === null ? lead : await findLead(db, lead.id)
    if (one !== undefined) kept.set(one.id, one)
  }
  return [...kept.values()].toSorted((one, other) => other.id - one.id)
}

type Writer = { kind: Lead['kind']; email: string }

/** Under which lead the address of a person was, and the lead that it was merged into, with its address. */
export type MergedAddress = { from: number; kept: number; email: string }

/**
 * Which of these people wrote under an address whose lead was merged into one that is open, by `writerKey`. An
 * open lead of the address itself comes first, unless it is one of `except`.
 */
export async function mergedAddresses(
  db: Kysely<Schema>,
  writers: readonly Writer[],
  except: readonly number[] = [],
): Promise<Map<string, MergedAddress>> {
  const found = new Map<string, MergedAddress>()
  if (writers.length === 0) return found
  const rows = await db
    .selectFrom('leads')
    .select(['id', 'kind', 'email_key', 'stage', 'merged_into'])
    .where('email_key', 'in', [...new Set(writers.map(({ email }) => emailKey(email)))])
    .orderBy('id')
    .execute()
  if (rows.every(({ merged_into }) => merged_into === null)) return found
  for (const { id, kind, email_key, merged_into } of rows) {
    const kept = merged_into === null ? undefined : await findLead(db, merged_into)
    if (kept !== undefined && kept.stage !== 'closed')
      found.set(writerKey({ kind, email: email_key }), { from: id, kept: kept.id, email: kept.email })
  }
  for (const { id, kind, email_key, stage } of rows)
    if (stage !== 'closed' && !except.includes(id)) found.delete(writerKey({ kind, email: email_key }))
  return found
}

export const writerKey = ({ kind, email }: Writer): string => `${kind} ${emailKey(email)}`

/** All addresses of the person who has a lead with this one: those of every lead that was merged with it. */
export async function addressesOfPerson(db: Kysely<Schema>, email: string): Promise<string[]> {
  const addresses = new Map([[emailKey(email), email]])
  // The set grows while it is gone through: each address may have leads of both kinds.
  for (const address of addresses.values())
    for (const lead of await leadsOfPerson(db, address))
      if (!addresses.has(emailKey(lead.email))) addresses.set(emailKey(lead.email), lead.email)
  return [...addresses.values()]
}

/** The leads with an address, and all that were merged with one of them. */
async function leadsOfPerson(db: Kysely<Schema>, email: string): Promise<Lead[]> {
  const rows = await db.selectFrom('leads').select('id').where('email_key', '=', emailKey(email)).execute()
  const all = new Map<number, Lead>()
  for (const { id } of rows) {
    const kept = await findLead(db, id)
    if (kept === undefined || all.has(kept.id)) continue
    for (const { lead } of await readMergedLeads(db, kept.id)) all.set(lead.id, lead)
    all.set(kept.id, kept)
  }
  return [...all.values()]
}

/** The addresses of a lead and of those merged into it. */
export async function addressesOfLead(db: Kysely<Schema>, lead: Lead): Promise<string[]> {
  const merged = lead.mergedInto === null ? await readMergedLeads(db, lead.id) : []
  return [lead.email, ...merged.map(one => one.lead.email)]
}

/** The id of the lead that a lead was merged into, in the end; its own if it was not merged. */
export async function keptId(db: Kysely<Schema>, { id, mergedInto }: Pick<Lead, 'id' | 'mergedInto'>): Promise<number> {
  if (mergedInto === null) return id
  const row = await db.selectFrom('leads').select('merged_into').where('id', '=', mergedInto).executeTakeFirst()
  return keptId(db, { id: mergedInto, mergedInto: row?.merged_into ?? null })
}

/** Adds an entry about a lead. If that was merged into another while a message was on its way, it stands there. */
export async function addEntryOf(
  db: Kysely<Schema>,
  { id, merged_into }: { id: number; merged_into: number | null },
  entry: Entry,
): Promise<void> {
  await addEntry(db, await keptId(db, { id, mergedInto: merged_into }), {
    ...entry,
    ...(merged_into !== null && { mergedFrom: id }),
  })
}
