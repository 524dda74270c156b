/** What the database holds after a simulated month, each row beside what the world knows of it. */
import type { Kind } from '../../src/leads/submission.ts'
import type { TaskKind } from '../../src/store/schema.ts'
import { sql } from '../../test/support/engines.ts'
import type { AddressAct, LeadAct, Moment } from './ledger.ts'
import { type Person, readMark } from './people.ts'
import { keyOf, type Message } from './post-office.ts'
import type { World } from './world.ts'

export type TaskFact = {
  id: number
  kind: TaskKind
  subject: number
  step: number
  state: string
  note: string | null
  finishedAt: number
  attempts: number
  /** The messages that came of it: one at most, if all is well. */
  messages: Message[]
}

export type LeadFact = {
  id: number
  kind: Kind
  stage: string
  reason: string | null
  email: string
  person: Person
  /** From when on it is followed up, by the clocks. */
  since: number
  acts: LeadAct[]
  wishes: AddressAct[]
  steps: TaskFact[]
}

export type SubmissionFact = {
  id: number
  kind: Kind
  person: Person
  copy: number
  accepted: Moment | undefined
  /** The lead it is part of. */
  lead: number | undefined
}

export type Assigned = { lead: number; at: number; counselor: string; reason: string }

export type Facts = {
  leads: LeadFact[]
  submissions: SubmissionFact[]
  tasks: TaskFact[]
  /** By hand not among them. */
  assigned: Assigned[]
  /** How much there is to tell the staff about each lead. */
  news: Map<number, number>
  /** How often each lead began to wait for an answer: with each submission, and each answer. */
  waits: Map<number, number>
}

export async function readFacts(world: World): Promise<Facts> {
  const { place, people, ledger, post } = world
  const rows = (text: string) => sql(place.database, text)
  const messages = Map.groupBy(post.byId.values(), keyOf)
  const tasks = (
    await rows(`select id, kind, subject, step, state, note, finished_at, attempts from tasks`)
  ).map((row): TaskFact => {
    const key = {
      kind: row['kind'] as TaskKind,
      subject: Number(row['subject']),
      step: Number(row['step']),
    }
    return {
      id: Number(row['id']),
      ...key,
      state: String(row['state']),
      note: row['note'] as string | null,
      finishedAt: Number(row['finished_at']),
      attempts: Number(row['attempts']),
      messages: messages.get(keyOf(key)) ?? [],
    }
  })

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
  const leads = (
    await rows('select id, kind, stage, closed_reason, email from leads order by id')
  ).flatMap((row): LeadFact[] => {
    const id = Number(row['id'])
    const first = byId.get(id)
    if (first === undefined) return []
    return [
      {
        id,
        kind: row['kind'] as LeadFact['kind'],
        stage: String(row['stage']),
        reason: row['closed_reason'] as string | null,
        email: String(row['email']),
        person: first.person,
        since: ledger.released.get(id)?.at ?? first.accepted?.at ?? Number.NaN,
        acts: ledger.leads.get(id) ?? [],
        wishes: ledger.addresses.get(first.person.email) ?? [],
        steps: (steps.get(id) ?? []).sort((one, other) => one.step - other.step),
      },
    ]
  })

  const assigned = (
    await rows(`select lead_id, at, detail from timeline where kind = 'assigned' order by id`)
  ).flatMap((row): Assigned[] => {
    const [, counselor, reason] = /^([^:]+): (.*)$/.exec(String(row['detail'])) ?? []
    if (counselor === undefined || reason === undefined) return []
    return [{ lead: Number(row['lead_id']), at: Number(row['at']), counselor, reason }]
  })
  const news = await rows(
    `select lead_id, count(*) as n from timeline
     where kind in ('reply', 'bounce', 'complaint', 'unsubscribed', 'not-me') group by lead_id`,
  )
  const waits = await rows(
    `select lead_id, count(*) as n from timeline
     where kind in ('submission', 'reply') or (kind = 'stage' and detail like 'new%')
     group by lead_id`,
  )
  return {
    leads,
    submissions,
    tasks,
    assigned,
    news: countsOf(news),
    waits: countsOf(waits),
  }
}

const countsOf = (rows: Record<string, unknown>[]): Map<number, number> =>
  new Map(rows.map(row => [Number(row['lead_id']), Number(row['n'])]))

/**
 * From when on a lead counts as followed up in this step of time: the time of pauses does not count,
 * by the clocks, as long as these showed it.
 */
export function sinceOf({ since, acts }: LeadFact, tick: number): number {
  let paused: number | undefined
  let rested = 0
  for (const act of acts) {
    if (act.what === 'pause') paused = act.at
    if (act.what !== 'resume' || act.tick > tick || paused === undefined) continue
    rested += act.at - paused
    paused = undefined
  }
  return since + rested
}
