/**
 * Gives new leads their owners: the counselor who looked after the person before, otherwise as
 * `follow-up/assignment.ts` says.
 */
import type { Transaction } from 'kysely'
import { assign, type Counselor } from '../follow-up/assignment.ts'
import { emailKey } from '../leads/email.ts'
import type { Schema } from './schema.ts'
import { addEntry } from './timeline.ts'

/** Who may be assigned leads, and on which day. */
export type Staffing = {
  counselors: readonly Counselor[]
  /** Who is away today according to the settings. The table of absences counts too. */
  away: readonly string[]
  /** Today as yyyy-mm-dd in the school's time zone. */
  today: string
}

/** A lead that has just been opened and needs an owner. */
export type UnassignedLead = { id: number; email: string; state: string | undefined }

/**
 * Assigns new leads: to the counselor who looked after the person before, or else to the one that
 * `assign` chooses. The turns stay locked until the transaction ends, so that all processes share them;
 * they are locked after all leads.
 */
export async function assignOwners(
  tx: Transaction<Schema>,
  leads: readonly UnassignedLead[],
  staffing: Staffing,
  now: number,
): Promise<void> {
  if (leads.length === 0 || staffing.counselors.length === 0) return
  const away = new Set([...staffing.away, ...(await readAway(tx, staffing.today))])
  const present = (id: string) => !away.has(id)
  const known = new Set(staffing.counselors.map(({ id }) => id))
  const turns = await lockTurns(tx, staffing.counselors)
  for (const lead of leads) {
    const before = await readEarlierOwner(tx, lead)
    const stays = before !== undefined && known.has(before) && present(before)
    const {
      counselor,
      reason,
      turns: after,
    } = stays
      ? { counselor: before, reason: 'looked after them before', turns: new Map<string, number>() }
      : assign({ ...staffing, state: lead.state ?? null, present, turns })
    for (const [key, credit] of after) turns.set(key, credit)
    if (counselor !== undefined) {
      await tx.updateTable('leads').set({ owner: counselor }).where('id', '=', lead.id).execute()
    }
    const detail = `${counselor ?? 'the team'}: ${reason}`
    await addEntry(tx, lead.id, { at: now, kind: 'assigned', detail })
  }
  await saveTurns(tx, turns)
}

async function readAway(tx: Transaction<Schema>, today: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('absences')
    .select('counselor')
    .where('first_day', '<=', today)
    .where('last_day', '>=', today)
    .execute()
  return rows.map(row => row.counselor)
}

/** Reads the credits of all pools. One row stands for all of them: transactions wait for its lock. */
async function lockTurns(
  tx: Transaction<Schema>,
  counselors: readonly Counselor[],
): Promise<Map<string, number>> {
  const gate = { pool: '', counselor: '', credit: 0 }
  await tx
    .insertInto('turns')
    .values(gate)
    .onConflict(oc => oc.columns(['pool', 'counselor']).doUpdateSet({ credit: 0 }))
    .execute()
  const rows = await tx
    .selectFrom('turns')
    .selectAll()
    .where(
      'counselor',
      'in',
      counselors.map(({ id }) => id),
    )
    .execute()
  return new Map(rows.map(({ pool, counselor, credit }) => [`${pool} ${counselor}`, credit]))
}

async function saveTurns(tx: Transaction<Schema>, turns: ReadonlyMap<string, number>) {
  for (const [key, credit] of turns) {
    const [pool = '', counselor = ''] = key.split(' ')
    await tx
      .insertInto('turns')
      .values({ pool, counselor, credit })
      .onConflict(oc => oc.columns(['pool', 'counselor']).doUpdateSet({ credit }))
      .execute()
  }
}

/** The owner of an earlier lead of the same person. */
async function readEarlierOwner(
  tx: Transaction<Schema>,
  lead: UnassignedLead,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('leads')
    .select('owner')
    .where('email_key', '=', emailKey(lead.email))
    .where('kind', '=', 'student')
    .where('id', '<', lead.id)
    .where('owner', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.owner ?? undefined
}
