/** Gives new leads their owners: the person's counselor before, otherwise as `follow-up/assignment.ts` says. */
import type { Transaction } from 'kysely'
import { assign, type Counselor } from '../../follow-up/assignment.ts'
import { languageName } from '../../leads/body/languages.ts'
import { addEntries } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'

/** Who can be assigned leads, and on which day. */
export type Staffing = {
  counselors: readonly Counselor[]
  /** Who does not work on leads, or is away today according to the settings. The table of absences also counts. */
  away: readonly string[]
  /** Today as yyyy-mm-dd in the school's time zone. */
  today: string
}

export type UnassignedLead = {
  id: number
  key: string
  state: string | undefined
  /** The program that they chose or, without a choice, the first that they named. */
  program: string | null
  campus: string | null
  /** The language of the form through which they wrote. */
  language: string | null
}

/**
 * Assigns each new lead to the counselor who looked after the person before or, if there is none, to the one that
 * `assign` chooses. The turns stay locked until the transaction ends, so that all processes share them. They are locked
 * after all leads.
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
  const earlier = await readEarlierOwners(tx, leads)
  const assigned = leads.map(lead => {
    const before = earlier(lead)
    const stays = before !== undefined && known.has(before) && present(before)
    if (stays) {
      const detail = `${before}: looked after them before`
      return { leadId: lead.id, counselor: before, detail }
    }
    const { language, program, campus, state = null } = lead
    const chosen = assign({ ...staffing, state, program, campus, language, present, turns })
    for (const [key, credit] of chosen.turns) turns.set(key, credit)
    const { counselor, reason } = chosen
    const speaks = chosen.speaks && language ? `, speaks ${languageName(language)}` : ''
    const there = chosen.atCampus ? `, at ${campus}` : ''
    return { leadId: lead.id, counselor, detail: `${counselor ?? 'the team'}: ${reason}${there}${speaks}` }
  })
  for (const [counselor, theirs] of Map.groupBy(assigned, one => one.counselor)) {
    if (counselor === undefined) continue
    const ids = theirs.map(({ leadId }) => leadId)
    await tx.updateTable('leads').set({ owner: counselor }).where('id', 'in', ids).execute()
  }
  await addEntries(
    tx,
    assigned.map(({ leadId, detail }) => ({ leadId, at: now, kind: 'assigned', detail })),
  )
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

/** Reads the credits of all pools. Transactions wait for the lock on one row, which locks all pools. */
async function lockTurns(tx: Transaction<Schema>, counselors: readonly Counselor[]): Promise<Map<string, number>> {
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
  const rows = Array.from(turns, ([key, credit]) => {
    const [pool = '', counselor = ''] = key.split(' ')
    return { pool, counselor, credit }
  })
  if (rows.length === 0) return
  await tx
    .insertInto('turns')
    .values(rows)
    .onConflict(oc => oc.columns(['pool', 'counselor']).doUpdateSet(eb => ({ credit: eb.ref('excluded.credit') })))
    .execute()
}

/** Finds the owner of the latest earlier lead of each person. */
async function readEarlierOwners(
  tx: Transaction<Schema>,
  leads: readonly UnassignedLead[],
): Promise<(lead: UnassignedLead) => string | undefined> {
  const rows = await tx
    .selectFrom('leads')
    .select(['id', 'person_key', 'owner'])
    .where(
      'person_key',
      'in',
      leads.map(({ key }) => key),
    )
    .where('kind', '=', 'student')
    .where('owner', 'is not', null)
    .execute()
  const owned = Map.groupBy(rows, row => row.person_key)
  return ({ id, key }) => {
    const earlier = (owned.get(key) ?? []).filter(row => row.id < id)
    return earlier.sort((one, other) => other.id - one.id)[0]?.owner ?? undefined
  }
}
