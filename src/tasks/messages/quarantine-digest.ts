/** The daily digests of the quarantine, one for each team: when the next one is due, and what it lists. */
import type { Config } from '../../config/config.ts'
import type { Settings } from '../../config/settings.ts'
import { timeZone as zoneOf } from '../../follow-up/time-zones.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { quarantineNotes } from '../../leads/words/quarantine-reasons.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import { teamOf } from '../../mail/staff-addressees.ts'
import { type Clock, DAY, HOUR, MINUTE, utcDay } from '../../platform/time.ts'
import { kindOfTeamMail } from '../../store/outbox/mail-steps.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'

export type DigestServices = {
  store: Pick<Store, 'expireQuarantine' | 'listQuarantine' | 'readForDigest' | 'addDigest'>
  clock: Clock
  config: Pick<Config, 'settings' | 'admissionsEmail' | 'partnershipsEmail'>
  messages: Pick<Messages, 'quarantineDigest'>
}

const MOST_LISTED = 50

/** The digest of one kind of submission, for the team that follows up this kind. */
export async function digestContent(
  { store, clock, config, messages }: DigestServices,
  kind: Kind,
): Promise<Content | { skip: string }> {
  const now = clock.now()
  const { settings } = config
  await store.expireQuarantine(now, settings.quarantine)
  const { entries, total } = await store.readForDigest(kind, MOST_LISTED)
  if (total === 0) return { skip: 'nothing is quarantined' }
  const held = entries.map(({ submission, reason, signals, heldAt }) => ({
    submission,
    reason,
    notes: quarantineNotes(reason, signals),
    heldAt,
  }))
  const date = new Date(now).toLocaleDateString(`en-${settings.school.country}`, {
    timeZone: settings.school.timeZone,
    dateStyle: 'long',
  })
  const to = teamOf(kind, config)
  return messages.quarantineDigest({ to, held, more: total - held.length, date, now })
}

/**
 * Schedules the digest after the one of the day `day` (yyyymmdd). There is a digest every day while something is
 * quarantined; the first quarantined submission begins the series. Called before a digest is concluded, so that a crash
 * in between does not end the series.
 */
export async function continueDigests(
  { store, clock, config: { settings } }: DigestServices,
  { subject: day, step }: Pick<Task, 'subject' | 'step'>,
): Promise<void> {
  const now = clock.now()
  const kind = kindOfTeamMail('digest', step)
  const quarantined = await store.listQuarantine({ state: 'held', kind, limit: 1 })
  if (quarantined.length === 0) return
  const { timeZone } = settings.school
  const { digestHour } = settings.quarantine
  const next = nextDigest(now, timeZone, digestHour)
  // A digest that was sent early, on request, counts as the digest of its day.
  const following = next.day === day ? nextDigest(next.dueAt, timeZone, digestHour) : next
  await store.addDigest({ ...following, kind, now })
}

/** After the settings change, a digest that waits for the old hour waits for the new one. */
export async function keepDigestHour(
  store: Pick<Store, 'clock' | 'readWaitingDigests' | 'rescheduleDigest'>,
  { quarantine, school }: Pick<Settings, 'quarantine' | 'school'>,
): Promise<void> {
  for (const digest of await store.readWaitingDigests()) {
    const { day, dueAt } = digest
    const at = digestOf(day, school.timeZone, quarantine.digestHour)
    // 0 means that someone asked to send it now. If it is due on another day, a wrong clock was corrected.
    const isOnItsDay = dayOf(dueAt, school.timeZone) === day
    if (isOnItsDay && dueAt !== at) await store.rescheduleDigest({ ...digest, dueAt: at, now: store.clock.now() })
  }
}

/** The day of a moment in the time zone, as yyyymmdd. */
const dayOf = (moment: number, timeZone: string): number => dateOf(zoneOf(timeZone).localTime(moment).day)

/** The moment at which it is `hour` o'clock in the time zone on the day `day` (yyyymmdd). */
function digestOf(day: number, timeZone: string, hour: number): number {
  const date = String(day).replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')
  return zoneOf(timeZone).momentOf({ day: Date.parse(date) / DAY, time: hour * HOUR })
}

/**
 * The next moment after `now` at which it is `hour` o'clock in the time zone, and the day there as yyyymmdd. If a clock
 * change skips that hour on a day, the digest waits for the next day; if a change repeats it, the first time counts.
 */
export function nextDigest(now: number, timeZone: string, hour: number): { day: number; dueAt: number } {
  const zone = zoneOf(timeZone)
  const time = hour * 60 * MINUTE
  for (let { day } = zone.localTime(now); ; day++) {
    const dueAt = zone.momentOf({ day, time })
    if (dueAt <= now) continue
    const there = zone.localTime(dueAt)
    if (there.day === day && there.time === time) return { day: dateOf(day), dueAt }
  }
}

const dateOf = (day: number): number => Number(utcDay(day * DAY).replaceAll('-', ''))
