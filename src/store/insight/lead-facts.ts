/**
 * The facts that are counted for a lead: a function of its current data and timeline, so that counting it again after
 * any change, even an undo, gives the same numbers.
 */
import type { Kysely, Selectable } from 'kysely'
import type { SchoolHours } from '../../follow-up/school-hours.ts'
import type { TimeZone } from '../../follow-up/time-zones.ts'
import { contactTime } from '../../follow-up/times-to-reach.ts'
import { readFormDetails } from '../../leads/body/form-details.ts'
import { notCounted, stages } from '../../leads/lead/stages.ts'
import { ownerIn } from '../../leads/lead/timeline-details.ts'
import type { TimelineKind } from '../../leads/lead/timeline-entries.ts'
import { DAY, utcDay } from '../../platform/time.ts'
import type { LockedLead } from '../leads/leads.ts'
import type { Schema } from '../tables/schema.ts'
import { emailPlaces, readEmailFacts } from './email-facts.ts'
import { readHeard } from './heard-of-us.ts'

export type LeadFacts = Selectable<Schema['lead_facts']>
export type Dimension = Schema['insight_counts']['dimension']

/** The school's time: its time zone and its hours. */
export type SchoolTime = { zone: TimeZone; school: SchoolHours }

type Change = { kind: TimelineKind; at: number; detail: string; undone_at: number | null }

/** The facts of leads, by id. Leads that do not count have none. */
export async function readFacts(
  db: Kysely<Schema>,
  leads: readonly LockedLead[],
  time: SchoolTime,
): Promise<Map<number, LeadFacts>> {
  const counted = leads.filter(lead => !notCounted.includes(lead.closed_reason ?? ''))
  const changes = await readChanges(db, counted)
  const emails = await readEmailFacts(db, counted, time.zone)
  const heard = await readHeard(db, counted)
  const entered = await readEntered(db, counted)
  return new Map(
    counted.map(lead => [
      lead.id,
      {
        ...factsOf(lead, changes.get(lead.id) ?? [], time),
        heard: lead.kind === 'site' ? null : oneName(heard.get(lead.id)),
        entered: entered.has(lead.id) ? 1 : 0,
        emails: emails.get(lead.id) ?? '',
      },
    ]),
  )
}

/** Which of these leads someone imported or entered by hand. The inquiry that opened a lead has its id. */
async function readEntered(db: Kysely<Schema>, leads: readonly { id: number }[]): Promise<Set<number>> {
  if (leads.length === 0) return new Set()
  const ids = leads.map(({ id }) => id)
  const rows = await db
    .selectFrom('submissions')
    .select(['id', 'form'])
    .where('id', 'in', ids)
    .where('form', 'is not', null)
    .execute()
  const entered = rows.filter(({ form }) => readFormDetails(form)?.entered !== undefined)
  return new Set(entered.map(({ id }) => id))
}

/** The stages and owners that leads had, oldest first. */
async function readChanges(db: Kysely<Schema>, leads: readonly LockedLead[]) {
  const ids = leads
    .filter(({ stage, first_contact_at: reached }) => stage === 'closed' || reached !== null)
    .map(({ id }) => id)
  if (ids.length === 0) return new Map<number, Change[]>()
  const rows = await db
    .selectFrom('timeline')
    .select(['lead_id', 'kind', 'at', 'detail', 'undone_at'])
    .where('lead_id', 'in', ids)
    .where('kind', 'in', ['stage', 'assigned', 'undone'])
    // Leaves out entries of a lead that was merged into this one: they say who had the other lead.
    .where('merged_from', 'is', null)
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, row => row.lead_id)
}

function factsOf(
  lead: LockedLead,
  changes: readonly Change[],
  time: SchoolTime,
): Omit<LeadFacts, 'heard' | 'entered' | 'emails'> {
  const { id, kind, created_at: created, first_contact_at: reached } = lead
  const took = reached === null ? undefined : contactTime(time, created, reached)
  return {
    lead_id: id,
    day: utcDay(time.zone.localTime(created).day * DAY),
    kind,
    counselor: counselorOf(lead, changes) ?? '',
    campaign: oneName(lead.campaign),
    source: oneName(lead.came_from),
    program: kind === 'site' ? null : (lead.program ?? ''),
    form: lead.form ?? '',
    state: lead.state ?? '',
    stage: Math.max(stageReached(lead, changes), reached === null ? 0 : 1),
    closed: lead.stage === 'closed' ? 1 : 0,
    wall_time: took?.wall ?? null,
    working_time: took?.working ?? null,
  }
}

/** Links to the same page differ in capitals. */
export const oneName = (text: string | null | undefined): string => text?.trim().toLowerCase() ?? ''

/** The index of its stage or, if it is closed, of the stage before. */
function stageReached({ kind, stage }: LockedLead, changes: readonly Change[]): number {
  const moves = changes.filter(change => change.kind === 'stage' && change.undone_at === null)
  const names = moves.map(({ detail }) => detail.split(':')[0] ?? '')
  const open = stage === 'closed' ? names.findLast(name => name !== 'closed') : stage
  const index = (stages[kind] as readonly string[]).indexOf(open ?? 'new')
  return Math.max(0, index)
}

/**
 * The owner when the person was reached, so that a later hand-over does not change how fast each counselor was. For a
 * person who is not reached yet, the current owner.
 */
function counselorOf(lead: LockedLead, changes: readonly Change[]): string | null {
  const reached = lead.first_contact_at
  if (reached === null) return lead.owner
  const before = changes.findLast(
    ({ kind, at, detail }) =>
      at <= reached && (kind === 'assigned' || (kind === 'undone' && detail.startsWith('assigned'))),
  )
  return before === undefined ? lead.owner : ownerIn(before.detail)
}

/** What is counted for a lead: `1` its stage, `w201` a wall time, `s201` a working time, `c` closed without contact. */
function codesOf({ stage, closed, wall_time: wall, working_time: working }: LeadFacts): string[] {
  return [
    `${stage}`,
    ...(stage === 0 && closed === 1 ? ['c'] : []),
    ...(wall === null ? [] : [`w${wall}`]),
    ...(working === null ? [] : [`s${working}`]),
  ]
}

type Place = { dimension: Dimension; period: string; value: string; codes: readonly string[] }

/** Where and how a lead is counted: in each dimension, for its day and its month. */
export function placesOf(facts: LeadFacts): Place[] {
  const codes = codesOf(facts)
  const { day, counselor, campaign, source, program, form, heard, state } = facts
  const values =
    facts.entered === 1
      ? { entered: source }
      : {
          all: '',
          counselor,
          campaign,
          source,
          form,
          state,
          ...(program !== null && { program }),
          ...(heard !== null && { heard }),
        }
  const places = Object.entries(values).flatMap(([dimension, value]) =>
    [day, day.slice(0, 7)].map(period => ({ dimension: dimension as Dimension, period, value, codes })),
  )
  return [...places, ...emailPlaces(facts.emails)]
}
