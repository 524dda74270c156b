/** Opening leads, many in one statement. */
import { sql, type Transaction } from 'kysely'
import type { Submission } from '../../leads/body/submission.ts'
import type { Schema } from '../tables/schema.ts'
import { addressColumns, type LockedLead, type Person } from './leads.ts'
import { originColumns, originOf } from './origins.ts'

type NewLead = {
  submission: Pick<Submission, 'id' | 'kind' | 'receivedAt' | 'form'>
  person: Person
  /** The version of the cadence that follows it up, and the time from which its steps count. */
  cadenceId: number | null
  followUpSince: number | null
  /** Whether the person has an account at the learning site. */
  account: boolean
  /** The programs that they named, the chosen one first. */
  programs: readonly string[]
  /** The heat as the column stores it. */
  heat: number
}

const openLead = [
  ...(['id', 'kind', 'person_key', 'stage', 'cadence_id', 'paused_at', 'unanswered_since'] as const),
  ...(['phone_e164', 'latest_phone'] as const),
  ...originColumns,
] as const

/** The part of an open lead that a further submission needs. */
export type OpenLead = Pick<LockedLead, (typeof openLead)[number]>

/**
 * Inserts leads of different people, except for people who have an open lead of that kind. Returns the row of each open
 * lead, in order, and locks it; a lead with the submission's id is new. With `quiet`, a lead that was open stays as it
 * is; otherwise, this marks it as updated now, and saves that the person has an account.
 */
export async function insertLeads(
  tx: Transaction<Schema>,
  leads: readonly NewLead[],
  { now, quiet }: { now: number; quiet: boolean },
): Promise<OpenLead[]> {
  if (leads.length === 0) return []
  const rows = await tx
    .insertInto('leads')
    .values(leads.map(lead => newRow(lead, now)))
    .onConflict(oc =>
      oc
        .columns(['person_key', 'kind'])
        .where('stage', '<>', sql.lit('closed'))
        .doUpdateSet(eb =>
          quiet ? { account: eb.ref('leads.account') } : { updated_at: now, account: eb.ref('excluded.account') },
        ),
    )
    .returning([...openLead])
    .execute()
  const byPerson = new Map(rows.map(row => [`${row.kind} ${row.person_key}`, row]))
  return leads.map(({ submission, person }) => {
    const row = byPerson.get(`${submission.kind} ${person.key}`)
    if (row === undefined) throw new Error('An open lead was not returned')
    return row
  })
}

const newRow = ({ submission, person, cadenceId, followUpSince, account, programs, heat }: NewLead, now: number) => ({
  id: submission.id,
  kind: submission.kind,
  stage: 'new',
  ...addressColumns({ ...person, phone_e164: person.phoneE164 ?? null }),
  person_key: person.key,
  first_name: person.firstName,
  last_name: person.lastName,
  phone: person.phone,
  phone_e164: person.phoneE164 ?? null,
  company: person.company ?? null,
  state: person.state ?? null,
  cadence_id: cadenceId,
  follow_up_since: followUpSince,
  created_at: submission.form?.entered?.since ?? submission.receivedAt,
  last_at: submission.receivedAt,
  heat,
  ...originOf(submission),
  program: programs[0] ?? null,
  updated_at: now,
  account: account ? 1 : 0,
})
