/**
 * Queries on the labels of leads. Lists find leads by the id of a label, which is among the words of the lead, so that
 * a tag can be renamed however many leads have it.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Label, type LabelKind, labelDetail, labelKey } from '../../leads/lead/labels.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { labelWord, programWord } from '../../leads/words/search-words.ts'
import { addWords, removeWord } from '../leads/lead-words.ts'
import { addEntry } from '../leads/timeline.ts'
import { type AuditEntry, changeAudited, recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'

/** The console suggests and lists at most this many labels of each kind. */
const MOST_LISTED = 500

const MOST_OF_LEAD = 30

type Named = Pick<Label, 'kind' | 'name'>

/**
 * Adds a label to a lead. The label is created if none has that name. The audit log names the label by its number,
 * since its name may contain what someone typed. `before`: the lead has it already, or has too many.
 */
export async function addLabel(
  db: Kysely<Schema>,
  leadId: number,
  { kind, name, audit, ...by }: Named & ActionContext,
): Promise<Changed> {
  return changeLead(db, { id: leadId, ...by }, async (tx, { id }) => {
    const label = await getOrCreateLabel(tx, { kind, name })
    if (!(await giveLabel(tx, { leadId: id, label }))) return 'before'
    if (audit !== undefined) await recordAudit(tx, { ...audit, leadId: id, detail: `added label ${label.id}` })
    const { actor, now } = by
    return addEntry(tx, id, { at: now, kind: 'labeled', ...about(label), actor })
  })
}

/** Removes a label from a lead. The outcome is `before` if the lead does not have it. */
export async function removeLabel(
  db: Kysely<Schema>,
  leadId: number,
  { labelId, ...by }: { labelId: number } & ActionContext,
): Promise<Changed> {
  return changeLead(db, { id: leadId, ...by }, async (tx, { id }) => {
    const label = await findLabel(tx, labelId)
    if (label === undefined || !(await takeLabel(tx, { leadId: id, label }))) return 'before'
    const { actor, now } = by
    return addEntry(tx, id, { at: now, kind: 'unlabeled', ...about(label), actor })
  })
}

const about = (label: Label) => ({ detail: labelDetail(label), was: { label: label.id } })

/** Undoes what an entry records about a label. Returns whether that has changed the lead, which is locked. */
export async function takeBackLabel(
  tx: Transaction<Schema>,
  { leadId, kind, was }: Pick<TimelineEntry, 'kind' | 'was'> & { leadId: number },
): Promise<boolean> {
  const label = await findLabel(tx, was?.label ?? -1)
  if (label === undefined) return false
  const one = { leadId, label }
  return kind === 'labeled' ? takeLabel(tx, one) : giveLabel(tx, one)
}

/** Gives a locked lead the labels of the lead that is merged into it. Returns the ids of those that it did not have. */
export async function copyLabels(
  tx: Transaction<Schema>,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const given: number[] = []
  for (const label of (await readLabels(tx, [from])).get(from) ?? [])
    if (await giveLabel(tx, { leadId: to, label })) given.push(label.id)
  return given
}

/** Removes these labels from a locked lead, as far as it has them. */
export async function takeLabels(tx: Transaction<Schema>, leadId: number, labelIds: readonly number[]): Promise<void> {
  for (const labelId of labelIds) {
    const label = await findLabel(tx, labelId)
    if (label !== undefined) await takeLabel(tx, { leadId, label })
  }
}

/**
 * Adds to each lead the programs that its person named, or the tags of the imported list. The leads must be locked.
 * Returns the ids of the labels that are new to a lead, by the lead's id; the caller saves their words with the others.
 */
export async function addLabels(
  tx: Transaction<Schema>,
  leads: readonly { leadId: number; labels: readonly Named[] }[],
): Promise<Map<number, number[]>> {
  const given = new Map<number, number[]>()
  const naming = leads.filter(({ labels }) => labels.length > 0)
  const all = new Map(naming.flatMap(({ labels }) => labels.map(one => [labelDetail(one), one])))
  const ids = new Map<string, number>()
  for (const [detail, named] of [...all].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    ids.set(detail, (await getOrCreateLabel(tx, named)).id)
  const before = await readLabels(
    tx,
    naming.map(({ leadId }) => leadId),
  )
  for (const { leadId, labels } of naming) {
    const had = (before.get(leadId) ?? []).map(({ id }) => id)
    const named = new Set(labels.flatMap(one => ids.get(labelDetail(one)) ?? []))
    given.set(leadId, [...named.difference(new Set(had))].slice(0, MOST_OF_LEAD - had.length))
  }
  const rows = [...given].flatMap(([lead_id, its]) => its.map(label_id => ({ lead_id, label_id })))
  if (rows.length > 0) await tx.insertInto('lead_labels').values(rows).execute()
  return given
}

type OfLead = { leadId: number; label: Label }

/**
 * Adds a label to a locked lead. Returns false if the lead already has it, or cannot have more. The first program
 * becomes the program of the lead.
 */
async function giveLabel(
  tx: Transaction<Schema>,
  { leadId, label: { id: labelId, kind, name } }: OfLead,
): Promise<boolean> {
  const had = (await readLabels(tx, [leadId])).get(leadId) ?? []
  if (had.length >= MOST_OF_LEAD || had.some(({ id }) => id === labelId)) return false
  await tx.insertInto('lead_labels').values({ lead_id: leadId, label_id: labelId }).execute()
  await addWords(tx, { leadId, words: labelWord(labelId) })
  if (kind === 'program') await changeProgram(tx, leadId, { from: null, to: name })
  return true
}

/** Returns whether the lead had the label. If it was the lead's program, another of its programs takes that place. */
async function takeLabel(
  tx: Transaction<Schema>,
  { leadId, label: { id: labelId, kind, name } }: OfLead,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('lead_labels')
    .where('lead_id', '=', leadId)
    .where('label_id', '=', labelId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await removeWord(tx, { leadId, word: labelWord(labelId) })
  if (kind === 'program') {
    const others = (await readLabels(tx, [leadId])).get(leadId) ?? []
    const to = others.find(one => one.kind === 'program')?.name ?? null
    await changeProgram(tx, leadId, { from: name, to })
  }
  return true
}

/** If this is the program of the lead, replaces it with another, and has lists find the lead by that one. */
async function changeProgram(
  tx: Transaction<Schema>,
  leadId: number,
  { from, to }: { from: string | null; to: string | null },
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('leads')
    .set({ program: to })
    .where('id', '=', leadId)
    .where('program', 'is not distinct from', from)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  if (from !== null) await removeWord(tx, { leadId, word: programWord(from) })
  if (to !== null) await addWords(tx, { leadId, words: programWord(to) })
}

async function getOrCreateLabel(tx: Transaction<Schema>, { kind, name }: Named): Promise<Label> {
  const known = () =>
    tx
      .selectFrom('labels')
      .select(['id', 'kind', 'name'])
      .where('kind', '=', kind)
      .where('name_key', '=', labelKey(name))
      .executeTakeFirst()
  const found = await known()
  if (found !== undefined) return found
  await tx
    .insertInto('labels')
    .values({ kind, name, name_key: labelKey(name) })
    .onConflict(oc => oc.doNothing())
    .execute()
  const made = await known()
  if (made === undefined) throw new Error('A label was not stored')
  return made
}

/** The labels of some leads, by the id of the lead, in the order of their names. */
export async function readLabels(db: Kysely<Schema>, leadIds: readonly number[]): Promise<Map<number, Label[]>> {
  if (leadIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('lead_labels as g')
    .innerJoin('labels as l', 'l.id', 'g.label_id')
    .select(['g.lead_id', 'l.id', 'l.kind', 'l.name'])
    .where('g.lead_id', 'in', leadIds)
    .orderBy('l.name_key')
    .execute()
  return new Map(
    [...Map.groupBy(rows, row => row.lead_id)].map(([leadId, its]) => [
      leadId,
      its.map(({ id, kind, name }) => ({ id, kind, name })),
    ]),
  )
}

/** All labels of these kinds, grouped by kind, in the order of their names. */
export async function listLabels(db: Kysely<Schema>, ...kinds: LabelKind[]): Promise<Label[]> {
  const listed: Label[] = []
  for (const kind of kinds) {
    const some = db.selectFrom('labels').select(['id', 'kind', 'name']).where('kind', '=', kind)
    listed.push(...(await some.orderBy('name_key').limit(MOST_LISTED).execute()))
  }
  return listed
}

export async function findLabel(db: Kysely<Schema>, id: number): Promise<Label | undefined> {
  return db.selectFrom('labels').select(['id', 'kind', 'name']).where('id', '=', id).executeTakeFirst()
}

/** How many leads each of these labels has, counted up to `most`. */
export async function countLabeled(
  db: Kysely<Schema>,
  ids: readonly number[],
  most: number,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (const id of ids) {
    const some = db.selectFrom('lead_labels').select('lead_id').where('label_id', '=', id)
    const { n } = await db
      .selectFrom(some.limit(most).as('some'))
      .select(eb => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    counts.set(id, Number(n))
  }
  return counts
}

/** Renames a tag, for all leads. `taken`: another tag has that name. */
export async function renameTag(
  db: Kysely<Schema>,
  id: number,
  name: string,
  audit: readonly AuditEntry[] = [],
): Promise<'done' | 'taken' | 'gone'> {
  return db.transaction().execute(async tx => {
    const other = await tx
      .selectFrom('labels')
      .select('id')
      .where('kind', '=', 'tag')
      .where('name_key', '=', labelKey(name))
      .where('id', '<>', id)
      .executeTakeFirst()
    if (other !== undefined) return 'taken'
    const { numUpdatedRows } = await tx
      .updateTable('labels')
      .set({ name, name_key: labelKey(name) })
      .where('id', '=', id)
      .where('kind', '=', 'tag')
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return 'gone'
    await recordAudit(tx, audit)
    return 'done'
  })
}

/** Deletes a tag, for all leads. Its id is never used again, so no list finds leads by it. */
export async function deleteTag(db: Kysely<Schema>, id: number, audit: readonly AuditEntry[] = []): Promise<boolean> {
  return changeAudited(db, audit, tx => tx.deleteFrom('labels').where('id', '=', id).where('kind', '=', 'tag'))
}

/** Deletes the tags that no lead has: a tag that only an erased lead had may reveal something about that person. */
export async function deleteUnusedTags(tx: Transaction<Schema>): Promise<void> {
  await tx
    .deleteFrom('labels')
    .where('kind', '=', sql.lit('tag'))
    .where(eb =>
      eb.not(
        eb.exists(eb.selectFrom('lead_labels').select('lead_id').whereRef('lead_labels.label_id', '=', 'labels.id')),
      ),
    )
    .execute()
}
