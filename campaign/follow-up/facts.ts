/** Reads the database after a simulated month, and adds to each row what the world knows about it. */
import type { Kind } from '../../src/leads/body/submission.ts'
import type { TaskKind } from '../../src/store/tables/task-kinds.ts'
import { sql } from '../../test/support/engines.ts'
import type { AddressAct, LeadAct } from './ledger.ts'
import { type Person, readMark } from './people.ts'
import { keyOf, type Message } from './post-office.ts'
import type { World } from './world.ts'
import type { Moment, WorldTime } from './world-time.ts'

/** Takes down the sentence `otherwise` as a violation, unless it holds. */
export type Expect = (holds: boolean, otherwise: string) => void

export type TaskFact = {
  id: number
  kind: TaskKind
  subject: number
  step: number
  state: string
  note: string | null
  finishedAt: number
  attempts: number
  /** The messages that were sent for it: at most one, if everything is right. */
  messages: Message[]
}

export type LeadFact = {
  id: number
  kind: Kind
  stage: string
  reason: string | null
  email: string
  person: Person
  /** The time on the clocks at which its follow-up began, and its step of time. */
  since: number
  sinceTick: number
  /** The times on the clocks at which we said that it would be closed, since no one had tried. */
  warned: number[]
  acts: LeadAct[]
  /** When the person wrote again. */
  inquiries: Moment[]
  /** Whether they wait for an answer in the end. */
  unanswered: boolean
  wishes: AddressAct[]
  steps: TaskFact[]
}

export type SubmissionFact = {
  id: number
  kind: Kind
  person: Person
  copy: number
  accepted: Moment | undefined
  /** The lead that it belongs to. */
  lead: number | undefined
}

export type Assignment = { lead: number; at: number; counselor: string; reason: string }

export type Facts = {
  leads: LeadFact[]
  submissions: SubmissionFact[]
  tasks: TaskFact[]
  /** Automatic assignments only. */
  assigned: Assignment[]
  /** Who got the lead with each assignment by a person, by the entry of the timeline. */
  handedOver: Map<number, string>
  /** How many things the staff must be notified of, by lead. */
  news: Map<number, number>
  /** The callbacks that are open in the end, by the entry of the timeline that their emails are about. */
  callbacks: Map<number, { lead: number; dueAt: number }>
  /** Everyone who ever had a lead, null for the team. */
  owners: Map<number, Set<string | null>>
  /** How often each lead started to wait: with each submission, each reply and each new counselor. */
  waits: Map<number, number>
}

export async function readFacts(world: World): Promise<Facts> {
  const { storage, people, ledger, post } = world
  const rows = (text: string) => sql(storage.database, text)
  const messages = Map.groupBy(post.byId.values(), keyOf)
  const tasks = (await rows(`select id, kind, subject, step, state, note, finished_at, attempts from tasks`)).map(
    (row): TaskFact => {
      const key = { kind: row['kind'] as TaskKind, subject: Number(row['subject']), step: Number(row['step']) }
      return {
        id: Number(row['id']),
        ...key,
        state: String(row['state']),
        note: row['note'] as string | null,
        finishedAt: Number(row['finished_at']),
        attempts: Number(row['attempts']),
        messages: messages.get(keyOf(key)) ?? [],
      }
    },
  )

  const submissions = (
    await rows(
      `select s.id, s.kind, s.body, t.lead_id from submissions s
       left join timeline t on t.submission_id = s.id and t.kind = 'submission' order by s.id`,
    )
  ).flatMap((row): SubmissionFact[] => {
    const mark = readMark(String(row['body']))
    const person = people[mark?.n ?? -1]
    if (mark === undefined || person === undefined) return []
    return [
      {
        id: Number(row['id']),
        kind: row['kind'] as Kind,
        person,
        copy: mark.copy,
        accepted: ledger.accepted.get(`${mark.n}x${mark.copy}`),
        lead: row['lead_id'] === null ? undefined : Number(row['lead_id']),
      },
    ]
  })
  const byId = new Map(submissions.map(one => [one.id, one]))
  const steps = Map.groupBy(
    tasks.filter(({ kind }) => kind === 'step'),
    ({ subject }) => subject,
  )
  const closing = await rows(`select lead_id, at from timeline where kind = 'closing' order by id`)
  const warnings = new Map<number, number[]>()
  for (const row of closing) {
    const lead = Number(row['lead_id'])
    warnings.set(lead, [...(warnings.get(lead) ?? []), Number(row['at'])])
  }
  const leads = (
    await rows('select id, kind, stage, closed_reason, email, unanswered_since from leads order by id')
  ).flatMap((row): LeadFact[] => {
    const id = Number(row['id'])
    const first = byId.get(id)
    if (first === undefined) return []
    const began = ledger.released.get(id) ?? first.accepted
    return [
      {
        id,
        kind: row['kind'] as LeadFact['kind'],
        stage: String(row['stage']),
        reason: row['closed_reason'] as string | null,
        email: String(row['email']),
        person: first.person,
        since: began?.at ?? Number.NaN,
        sinceTick: began?.tick ?? 0,
        warned: warnings.get(id) ?? [],
        acts: ledger.leads.get(id) ?? [],
        inquiries: submissions
          .flatMap(one => (one.lead === id && one.id !== id ? [ledger.released.get(one.id) ?? one.accepted ?? []] : []))
          .flat(),
        unanswered: row['unanswered_since'] !== null,
        wishes: ledger.addresses.get(first.person.email) ?? [],
        steps: (steps.get(id) ?? []).sort((one, other) => one.step - other.step),
      },
    ]
  })

  const assignments = await rows(
    `select id, coalesce(merged_from, lead_id) as lead_id, at, detail, actor from timeline where kind = 'assigned' order by id`,
  )
  const assigned = assignments.flatMap((row): Assignment[] => {
    const [, counselor, reason] = /^([^:]+): (.*)$/.exec(String(row['detail'])) ?? []
    if (counselor === undefined || reason === undefined) return []
    return [{ lead: Number(row['lead_id']), at: Number(row['at']), counselor, reason }]
  })
  const handedOver = assignments.filter(row => row['actor'] !== null)
  const news = await rows(
    `select lead_id, count(*) as n from timeline
     where kind in ('reply', 'bounce', 'complaint', 'unsubscribed', 'not-me') group by lead_id`,
  )
  const waits = await rows(
    `select lead_id, count(*) as n from timeline
     where kind in ('submission', 'reply', 'merged', 'unmerged') or (kind = 'stage' and detail like 'new%')
       or (kind = 'assigned' and actor is not null)
     group by lead_id`,
  )
  const callbacks = await rows('select entry_id, lead_id, due_at from callbacks where ended_at is null')
  const owners = new Map<number, Set<string | null>>(leads.map(({ id }) => [id, new Set()]))
  const had = (lead: number, owner: string | null) => owners.set(lead, (owners.get(lead) ?? new Set()).add(owner))
  for (const { lead, counselor } of assigned) had(lead, counselor === 'the team' ? null : counselor)
  for (const row of handedOver) had(Number(row['lead_id']), String(row['detail']))
  for (const all of owners.values()) if (all.size === 0) all.add(null)
  return {
    leads,
    submissions,
    tasks,
    assigned,
    callbacks: new Map(
      callbacks.map(row => [Number(row['entry_id']), { lead: Number(row['lead_id']), dueAt: Number(row['due_at']) }]),
    ),
    owners,
    handedOver: new Map(handedOver.map(row => [Number(row['id']), String(row['detail'])])),
    news: countsOf(news),
    waits: countsOf(waits),
  }
}

const countsOf = (rows: Record<string, unknown>[]): Map<number, number> =>
  new Map(rows.map(row => [Number(row['lead_id']), Number(row['n'])]))

/**
 * The earliest start of a lead's follow-up that may count in this step of time: pauses move it, by as much
 * time as passed on the clocks, and so does a clock that is set back, since what it had scheduled keeps its
 * intervals.
 */
export function sinceOf({ since, sinceTick, acts }: LeadFact, tick: number, time: Pick<WorldTime, 'setBack'>): number {
  let paused: number | undefined
  let pausedFor = 0
  for (const act of acts) {
    if (act.what === 'pause') paused = act.at
    if (act.what !== 'resume' || act.tick > tick || paused === undefined) continue
    pausedFor += act.at - paused
    paused = undefined
  }
  return since + pausedFor - time.setBack(sinceTick, tick)
}
