/**
 * Leads that were merged into another lead of the same person. The row of such a lead stays, closed, and names the
 * other. Its history moves to the other lead; each entry names the lead that it came from.
 */
import type { Kysely } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import { isAddress, personKey } from '../../leads/body/person-key.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { MergeRecord, Was } from '../../leads/lead/timeline-entries.ts'
import type { Schema } from '../tables/schema.ts'
import { asLead, findLead } from './leads.ts'
import { addEntry, type Entry } from './timeline.ts'

export type MergedLead = {
  lead: Lead
  entry: number
  /** The lead into which it was merged: the one asked for, or one that was itself merged into that one later. */
  into: number
}

/** The leads that were merged into a lead, in the order of the merges. */
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

/** A merge that was not undone. */
export type Merge = { entry: number; at: number; into: number; record: MergeRecord }

/** The merges into a lead that were not undone, oldest first. */
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

/** The ids of a lead, and of the leads that were merged into it, directly or through another lead. */
export function withMerged(leadId: number, merges: readonly Merge[]): number[] {
  const children = merges.filter(({ into }) => into === leadId)
  return [leadId, ...children.flatMap(({ record }) => withMerged(record.lead, merges))]
}

/** Replaces merged leads with the leads into which they were merged; returns each lead once, newest first. */
export async function asKept(db: Kysely<Schema>, leads: readonly Lead[]): Promise<Lead[]> {
  const kept = new Map<number, Lead>()
  for (const lead of leads) {
    const one = lead.mergedInto === null ? lead : await findLead(db, lead.id)
    if (one !== undefined) kept.set(one.id, one)
  }
  return [...kept.values()].toSorted((one, other) => other.id - one.id)
}

/** A person of a kind, by their key. */
type Writer = { kind: Lead['kind']; key: string }

/** The lead that a person had, and the lead that it was merged into, with its address and key. */
export type MergedPerson = { from: number; kept: number; email: string | null; key: string }

/**
 * Finds the people whose lead was merged into one that is open, by `writerKey`. Someone with an open lead of their own,
 * other than those in `except`, is left out.
 */
export async function mergedPeople(
  db: Kysely<Schema>,
  writers: readonly Writer[],
  except: readonly number[] = [],
): Promise<Map<string, MergedPerson>> {
  const found = new Map<string, MergedPerson>()
  if (writers.length === 0) return found
  const rows = await db
    .selectFrom('leads')
    .select(['id', 'kind', 'person_key', 'stage', 'merged_into'])
    .where('person_key', 'in', [...new Set(writers.map(({ key }) => key))])
    .orderBy('id')
    .execute()
  if (rows.every(({ merged_into }) => merged_into === null)) return found
  for (const { id, kind, person_key, merged_into } of rows) {
    const kept = merged_into === null ? undefined : await findLead(db, merged_into)
    if (kept !== undefined && kept.stage !== 'closed')
      found.set(writerKey({ kind, key: person_key }), { from: id, kept: kept.id, email: kept.email, key: keyOf(kept) })
  }
  for (const { id, kind, person_key, stage } of rows)
    if (stage !== 'closed' && !except.includes(id)) found.delete(writerKey({ kind, key: person_key }))
  return found
}

export const writerKey = ({ kind, key }: Writer): string => `${kind} ${key}`

export const keyOf = (lead: Lead): string => personKey(lead, lead.phoneE164)

/** All addresses of the person with this address or key, including those of every lead that was merged with theirs. */
export const addressesOfPerson = async (db: Kysely<Schema>, person: string): Promise<string[]> =>
  [...(await namesOf(db, person)).values()].filter(isAddress)

/** All keys of the person with this key, found as in `addressesOfPerson`. */
export const keysOfPerson = async (db: Kysely<Schema>, key: string): Promise<string[]> => [
  ...(await namesOf(db, key)).keys(),
]

/** Maps each key to the address as the person wrote it or, for a lead without an address, to the key itself. */
async function namesOf(db: Kysely<Schema>, person: string): Promise<Map<string, string>> {
  const known = new Map([[emailKey(person), person]])
  // The map grows during this loop: each key may have leads of both kinds.
  for (const key of known.keys())
    for (const lead of await leadsOfPerson(db, key))
      if (!known.has(keyOf(lead))) known.set(keyOf(lead), lead.email ?? keyOf(lead))
  return known
}

/** The leads with a key, and all that were merged with one of them. */
async function leadsOfPerson(db: Kysely<Schema>, key: string): Promise<Lead[]> {
  const rows = await db.selectFrom('leads').select('id').where('person_key', '=', key).execute()
  const all = new Map<number, Lead>()
  for (const { id } of rows) {
    const kept = await findLead(db, id)
    if (kept === undefined || all.has(kept.id)) continue
    for (const { lead } of await readMergedLeads(db, kept.id)) all.set(lead.id, lead)
    all.set(kept.id, kept)
  }
  return [...all.values()]
}

/** The keys of the people of a lead and of the leads that were merged into it. */
export async function keysOfLead(db: Kysely<Schema>, lead: Lead): Promise<string[]> {
  const merged = lead.mergedInto === null ? await readMergedLeads(db, lead.id) : []
  return [lead, ...merged.map(one => one.lead)].map(keyOf)
}

/** The id of the lead that a lead was finally merged into; its own id if it was not merged. */
export async function keptId(db: Kysely<Schema>, { id, mergedInto }: Pick<Lead, 'id' | 'mergedInto'>): Promise<number> {
  if (mergedInto === null) return id
  const row = await db.selectFrom('leads').select('merged_into').where('id', '=', mergedInto).executeTakeFirst()
  return keptId(db, { id: mergedInto, mergedInto: row?.merged_into ?? null })
}

/** Adds an entry about a lead; if it was merged meanwhile, to the timeline of the kept lead. */
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
