/** Plans what a campaign sends. The plan depends only on its seed and its size. */
import type { Kind } from '../src/leads/body/submission.ts'
import { post } from '../test/process/raw-client.ts'
import { aSite, aStudent } from '../test/support/bodies.ts'
import { Random } from './random.ts'

/** One submission, which must be stored once, no matter how often it is sent. */
export type PlannedSubmission = {
  n: number
  kind: Kind
  /** Undefined for operation A, which is identified by its body. */
  key: string | undefined
  email: string
  /** The body of each copy: usually 0, occasionally 1, which is a different body with the same key. */
  bodies: number[]
}

/** The teams that get notifications. Every other recipient gets a receipt. */
export const TEAMS = { site: 'partnerships@school.example', student: 'admissions@school.example' }

export type Size = { seed: number; keys: number; copies: number }

const SITE_SHARE = 0.2
const OTHER_BODY_SHARE = 0.01

/** The share of keys that start a group with one address, and the most that the lockout lets pass. */
const SHARED_ADDRESSES = 0.05
const MOST_TOGETHER = 5

export function makePlan({ seed, keys, copies }: Size): PlannedSubmission[] {
  const random = new Random(seed, 'plan')
  const groupBegins = SHARED_ADDRESSES / ((2 + MOST_TOGETHER) / 2)
  const plan: PlannedSubmission[] = []
  let group = { name: 0, left: 0 }
  for (let n = 0; n < keys; n++) {
    if (group.left === 0) {
      const left = random.chance(groupBegins) ? Math.floor(random.between(2, MOST_TOGETHER + 1)) : 1
      group = { name: n, left }
    }
    group.left--
    const kind = random.chance(SITE_SHARE) ? 'site' : 'student'
    // Both spellings are one address.
    const email = `${random.chance(0.2) ? 'Person' : 'person'}.${group.name}@campaign.example`
    const bodies = Array.from({ length: copies }, () => (kind === 'student' && random.chance(OTHER_BODY_SHARE) ? 1 : 0))
    const key = kind === 'student' ? `campaign-${seed}-${n}` : undefined
    plan.push({ n, kind, key, email, bodies })
  }
  return plan
}

/** One copy of a planned submission, and its request as bytes. */
export type Copy = { planned: PlannedSubmission; body: number; bytes: Buffer }

/** All copies, ordered by key. `begun` is when the forms were opened. */
export function* copiesOf(plan: PlannedSubmission[], begun: number): Generator<Copy, void> {
  for (const planned of plan) {
    const bytes = planned.bodies.includes(1) ? [0, 1] : [0]
    const written = bytes.map(body => Buffer.from(requestOf(planned, body, begun)))
    for (const body of planned.bodies) {
      yield { planned, body, bytes: written[body] as Buffer }
    }
  }
}

export const SITE_HOST = 'site.campaign.example'
export const LEARN_HOST = 'learn.campaign.example'

function requestOf({ n, kind, key, email }: PlannedSubmission, body: number, begun: number): string {
  const message = `This is ${markOf(n, body)}, said once.`
  if (kind === 'site') {
    return post('/api/site-interest', aSite({ email, message }, begun), { Host: SITE_HOST })
  }
  const { idempotencyKey: _, ...student } = aStudent({ email, message })
  const headers = { Host: LEARN_HOST, 'X-Idempotency-Key': String(key) }
  return post('/api/admissions/interest', student, headers)
}

/** Identifies a body, and every message about it. */
const markOf = (n: number, body: number) => `campaignkey${n}body${body}end`

/** The planned submission and the body that a text is about. */
export function readMark(text: string): { n: number; body: number } | undefined {
  const [, n, body] = /campaignkey(\d+)body(\d)end/.exec(text) ?? []
  return n === undefined ? undefined : { n: Number(n), body: Number(body) }
}
