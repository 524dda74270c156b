/** A store to which one person writes from several addresses, to merge their leads. */
import { equal } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { defaultSettings } from '../../src/config/settings.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { type Engine, sql } from '../support/engines.ts'
import { someForm } from '../support/form-details.ts'
import { aFiling, anArrival, noStaff, someDigest, startStore } from '../support/store.ts'

type Written = {
  email?: string | undefined
  phone?: string
  lastName?: string
  consent?: boolean
  /** False for someone who was entered and asked for nothing, like people on an imported list. */
  followedUp?: boolean
}

/** The addresses of the person. */
export const EMAILS = ['ana@work.example', 'ruiz@home.example', 'third@mail.example']

/** A store in which people write in: each inquiry is filed with the cadence of a new lead. */
export async function mergeDesk(t: TestContext, engine: Engine) {
  const started = await startStore(t, { engine })
  const { store, clock } = started
  const cadenceId = await store.getOrCreateCadence('student', defaultSettings.followUp.student, clock.now())
  let submissions = 0
  async function write({ email = EMAILS[0] ?? '', ...said }: Written = {}): Promise<number> {
    const id = ++submissions
    const { phone = '+15125550100', lastName = 'Ruiz', consent, followedUp = true } = said
    const now = clock.now()
    const person = { email, firstName: 'Ana', lastName, phone, phoneE164: phone, state: 'TX' }
    const { idempotencyKey: _, ...student } = aStudent()
    const body = { ...student, firstName: 'Ana', lastName, email, phone, message: `no ${id}` }
    const form = consent === undefined ? null : someForm({ consent: { given: consent, at: now } })
    await store.accept(
      anArrival({ email, receivedAt: now, body: JSON.stringify(body), form: form && JSON.stringify(form) }),
    )
    const tasks = await store.claimTasks({ lane: 'filing', now, token: `F${id}`, limit: 1 })
    const firstSteps = [
      { step: 0, track: 'staff', dueAt: now + HOUR },
      { step: 3, track: 'student', dueAt: now + DAY },
    ] as const
    const filing = aFiling(id, {
      person,
      cadenceStart: followedUp ? { cadenceId, since: now, firstSteps } : null,
      submission: { id, kind: 'student', receivedAt: now, body, form } as never,
    })
    const terms = { now, quarantine: { days: 30, capacity: 10 }, digest: someDigest, staffing: noStaff }
    equal(await store.fileSubmissions(tasks, [filing], terms), true)
    await store.finishTasks(tasks, now)
    return id
  }
  const by = (actor = 'maria') => ({ actor, now: clock.now() })
  const merge = async (kept: number, other: number, over = {}) =>
    (await store.mergeLeads(kept, { other, ...by(), ...over })).outcome
  const unmerge = async (id: number) => {
    const result = await store.unmergeLead(id, by())
    return result.outcome === 'refused' ? `${result.why} ${result.by}` : result.outcome
  }
  const entries = async (id: number) =>
    ((await store.readLead(id))?.timeline ?? []).map(({ kind, detail }) => `${kind} ${detail}`.trim())
  const list = async () => (await store.listLeads({ limit: 10 })).map(({ id }) => id)
  /** Two inquiries of one person, from two addresses. */
  const twoLeads = async (first: Written = {}) => {
    await write(first)
    clock.advance(HOUR)
    await write({ email: EMAILS[1], phone: '+15125550199' })
  }
  const due = async (subject: number) => {
    const rows = await sql(
      started.database,
      `select kind, step from tasks where subject = ${subject} and state = 'due' order by kind, step`,
    )
    return rows.map(({ kind, step }) => `${kind} ${step}`)
  }
  return { ...started, cadenceId, write, by, merge, unmerge, entries, list, twoLeads, due }
}
