/** Erases people by the retention rules: on the first day of a month, some days after the manager got a list. */
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { listAt, nextErasure, numberOfErasure, type RetentionRule, ruleFor } from '../follow-up/erasure-days.ts'
import type { Services } from '../lead-actions/services.ts'
import { listCaptured, removeCaptured } from '../mail/transport/files.ts'
import { DAY } from '../platform/time.ts'
import { inPortions } from './lanes/in-portions.ts'

/** How many leads one call looks at, how many people one call erases, and the pause after each, in milliseconds. */
const LEADS_AT_ONCE = 1000
const PEOPLE_AT_ONCE = 5
const PAUSE = 20

export type RetentionServices = Pick<Services, 'store' | 'clock'> & { config: Pick<Config, 'settings' | 'dataDir'> }

/** Plans the next erasure, and schedules the email that lists it. Stops early once `signal` is aborted; repeatable. */
export async function planRetention(
  { store, clock, config: { settings } }: RetentionServices,
  signal: AbortSignal,
): Promise<void> {
  const { privacy, school } = settings
  const eraseAt = nextErasure(clock.now(), privacy, school.timeZone)
  const rule = ruleFor(eraseAt, privacy, school.timeZone)
  await store.dropPlans(rule)
  if (rule.closedBefore === null && rule.enrolledBefore === null) return
  let after: number | undefined = 0
  const planNext = async () => {
    after = await store.planErasures(rule, { after: after ?? 0, limit: LEADS_AT_ONCE, now: clock.now() })
    return after !== undefined
  }
  await inPortions(planNext, { store, pause: PAUSE, signal })
  const planned = await store.countPlanned()
  if (!planned.some(one => one.eraseAt === eraseAt)) return
  const now = clock.now()
  // If this pass was not done when the list went out, the leads that it found late wait for the next month.
  if (nextErasure(now, privacy, school.timeZone) !== eraseAt) return
  const day = numberOfErasure(eraseAt, school.timeZone)
  await store.addRetentionMail({ day, dueAt: listAt(eraseAt, privacy), now })
}

/** Erases what was planned and was listed for the manager, once the moment has come. Returns how many calls it took. */
export async function eraseByRetention(
  { store, clock, config: { settings, dataDir } }: RetentionServices,
  signal: AbortSignal,
): Promise<number> {
  const { privacy, school } = settings
  let calls = 0
  for (const { eraseAt } of await store.countPlanned()) {
    const listedAt = await store.readRetentionMailSent(numberOfErasure(eraseAt, school.timeZone))
    if (listedAt === undefined) continue
    const earliest = Math.max(eraseAt, listedAt + privacy.eraseNoticeDays * DAY)
    const rule: RetentionRule = ruleFor(eraseAt, privacy, school.timeZone)
    const eraseNext = async () => {
      if (clock.now() < earliest) return false
      const erased = await store.erasePlanned(rule, { listedAt, limit: PEOPLE_AT_ONCE, now: clock.now() })
      if (erased === undefined) return false
      calls++
      await removeCaptured(join(dataDir, 'mail'), erased.messages)
      return true
    }
    await inPortions(eraseNext, { store, pause: PAUSE, signal })
  }
  return calls
}

/** How many messages one query looks for. */
const MESSAGES_AT_ONCE = 500

/** Removes files with messages about erased people that a process that died, or another replica, has left. */
export async function removeErasedMessages(
  { store, config: { dataDir } }: Pick<RetentionServices, 'store' | 'config'>,
  signal: AbortSignal,
): Promise<void> {
  const folder = join(dataDir, 'mail')
  const messages = await listCaptured(folder)
  const removeNext = async () => {
    const some = messages.splice(0, MESSAGES_AT_ONCE)
    const erased = some.length === 0 ? [] : await store.listErasedMessages(some)
    if (erased.length > 0) await removeCaptured(folder, erased)
    return messages.length > 0
  }
  await inPortions(removeNext, { store, pause: PAUSE, signal })
}
