/** Erases by the retention rules of the settings: on the first day of a month, after a notice to the manager. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import {
  nextErasure,
  noticeAt,
  numberOfErasure,
  type RetentionRule,
  ruleFor,
} from '../follow-up/erasure-days.ts'
import { MANAGER } from '../leads/staff.ts'
import { removeCaptured } from '../mail/file-transport.ts'
import type { Content, Messages } from '../mail/messages.ts'
import { type Clock, DAY } from '../platform/time.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks.ts'
import type { Addressees } from './addressees.ts'

/** How many leads one call looks at, how many people one erases, and the pause after each, in milliseconds. */
const LEADS_AT_ONCE = 1000
const PEOPLE_AT_ONCE = 5
const PAUSE = 20

export type RetentionDependencies = {
  store: Store
  clock: Clock
  config: Pick<Config, 'settings' | 'dataDir' | 'consoleUrl'>
}

/** Plans the next erasure, and schedules its notice. Stops early when `signal` is aborted; safe to do twice. */
export async function planRetention(
  { store, clock, config: { settings } }: RetentionDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { privacy, school } = settings
  const eraseAt = nextErasure(clock.now(), privacy, school.timeZone)
  const rule = ruleFor(eraseAt, privacy, school.timeZone)
  await store.dropPlans(rule)
  if (rule.closedBefore === null && rule.enrolledBefore === null) return
  for (let after: number | undefined = 0; after !== undefined && !signal.aborted; ) {
    after = await store.planErasures(rule, { after, limit: LEADS_AT_ONCE, now: clock.now() })
    if (after !== undefined) await wait(PAUSE + store.backgroundDelay(), signal)
  }
  const planned = await store.countPlanned()
  if (!planned.some(one => one.eraseAt === eraseAt)) return
  const now = clock.now()
  // If the pass took until then, what it found late waits for the next month.
  if (nextErasure(now, privacy, school.timeZone) !== eraseAt) return
  const day = numberOfErasure(eraseAt, school.timeZone)
  await store.addRetentionNotice({ day, dueAt: noticeAt(eraseAt, privacy), now })
}

/** Erases what was planned and announced, once its moment has come. Returns how many calls it took. */
export async function eraseByRetention(
  { store, clock, config: { settings, dataDir } }: RetentionDependencies,
  signal: AbortSignal,
): Promise<number> {
  const { privacy, school } = settings
  let calls = 0
  for (const { eraseAt } of await store.countPlanned()) {
    const noticedAt = await store.readNoticeSent(numberOfErasure(eraseAt, school.timeZone))
    const mayErase = () =>
      noticedAt !== undefined &&
      clock.now() >= Math.max(eraseAt, noticedAt + privacy.eraseNoticeDays * DAY)
    const rule: RetentionRule = ruleFor(eraseAt, privacy, school.timeZone)
    while (noticedAt !== undefined && mayErase() && !signal.aborted) {
      const portion = { noticedAt, limit: PEOPLE_AT_ONCE, now: clock.now() }
      const erased = await store.erasePlanned(rule, portion)
      if (erased === undefined) break
      calls++
      await removeCaptured(join(dataDir, 'mail'), erased.messages)
      await wait(PAUSE + store.backgroundDelay(), signal)
    }
  }
  return calls
}

const wait = (time: number, signal: AbortSignal) =>
  sleep(time, undefined, { signal, ref: false }).catch(() => {})

/** How many leads the notice lists; the page behind it lists all. */
const MOST_LISTED = 50

/** The notice of an erasure, which its task names by the day. It waits for its moment, also if a wrong clock has made it due. */
export async function retentionContent(
  {
    store,
    clock,
    config: { settings, consoleUrl },
    addressees,
    messages,
  }: RetentionDependencies & { addressees: Addressees; messages: Pick<Messages, 'retention'> },
  { subject }: Task,
): Promise<Content | { skip: string } | { waitUntil: number; why: string }> {
  const { privacy, school } = settings
  const planned = (await store.countPlanned()).find(
    one => numberOfErasure(one.eraseAt, school.timeZone) === subject,
  )
  if (planned === undefined) return { skip: 'nothing will be erased on that day' }
  const { eraseAt } = planned
  const due = noticeAt(eraseAt, privacy)
  if (due > clock.now()) return { waitUntil: due, why: 'waits for the days of notice' }
  const listed = await store.listPlanned(eraseAt, { after: 0, limit: MOST_LISTED })
  const to = addressees.member(MANAGER, 'student')?.to ?? addressees.team('student')
  return messages.retention({
    to,
    eraseAt,
    total: planned.leads,
    leads: listed.map(lead => ({ lead, url: `${consoleUrl}/leads/${lead.id}` })),
    url: `${consoleUrl}/privacy/planned`,
  })
}
