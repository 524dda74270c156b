/** The daily digest of the quarantine: when the next one is due, and what it lists. */
import type { Settings } from '../config/settings.ts'
import { timeZone as zoneOf } from '../follow-up/time-zones.ts'
import { signalNote } from '../leads/screening.ts'
import type { Content, Messages } from '../mail/render-messages.ts'
import { type Clock, DAY, HOUR, MINUTE } from '../platform/time.ts'
import type { Store } from '../store/store.ts'

export type DigestDependencies = {
  store: Pick<Store, 'expireQuarantine' | 'listQuarantine' | 'addDigest'>
  clock: Clock
  config: { settings: Pick<Settings, 'quarantine' | 'school'> }
  messages: Pick<Messages, 'quarantineDigest'>
}

/** How many quarantined submissions one digest lists. */
const MOST_LISTED = 50

export async function digestContent({
  store,
  clock,
  config: { settings },
  messages,
}: DigestDependencies): Promise<Content | { skip: string }> {
  const now = clock.now()
  await store.expireQuarantine(now, settings.quarantine)
  const entries = await store.listQuarantine({ state: 'held', limit: 1000 })
  if (entries.length === 0) return { skip: 'nothing is quarantined' }
  const held = entries.slice(0, MOST_LISTED).map(({ submission, reason, signals, heldAt }) => ({
    submission,
    reason,
    notes: signals.map(signalNote),
    heldAt,
  }))
  const date = new Date(now).toLocaleDateString(`en-${settings.school.country}`, {
    timeZone: settings.school.timeZone,
    dateStyle: 'long',
  })
  return messages.quarantineDigest({ held, more: entries.length - held.length, date, now })
}

/**
 * Schedules the digest after that of the day `day` (yyyymmdd). There is a digest every day while
 * something is quarantined; the first quarantined submission begins the series. Called before a
 * digest is concluded, so that a crash in between does not end the series.
 */
export async function continueDigests(
  { store, clock, config: { settings } }: DigestDependencies,
  day: number,
): Promise<void> {
  const now = clock.now()
  const quarantined = await store.listQuarantine({ state: 'held', limit: 1 })
  if (quarantined.length === 0) return
  const { timeZone } = settings.school
  const { digestHour } = settings.quarantine
  const next = nextDigest(now, timeZone, digestHour)
  // A digest that was sent early, on request, counts as the digest of its day.
  const following = next.day === day ? nextDigest(next.dueAt, timeZone, digestHour) : next
  await store.addDigest({ ...following, now })
}

/** After a change of the settings, a digest that waits for its hour waits for the new one. */
export async function keepDigestHour(
  store: Pick<Store, 'readWaitingDigests' | 'rescheduleDigest'>,
  { quarantine, school }: Pick<Settings, 'quarantine' | 'school'>,
): Promise<void> {
  for (const { day, dueAt } of await store.readWaitingDigests()) {
    const at = digestOf(day, school.timeZone, quarantine.digestHour)
    // 0 is a request to send it now.
    if (dueAt > 0 && dueAt !== at) await store.rescheduleDigest({ day, dueAt: at })
  }
}

/** The moment at which it is `hour` o'clock in the time zone on the day `day` (yyyymmdd). */
function digestOf(day: number, timeZone: string, hour: number): number {
  const date = String(day).replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')
  return zoneOf(timeZone).momentOf({ day: Date.parse(date) / DAY, time: hour * HOUR })
}

/**
 * The next moment after `now` at which it is `hour` o'clock in the time zone, and the day there as
 * yyyymmdd. On the day on which a clock change skips that hour, the digest waits for the next day;
 * if a change repeats it, the first time counts.
 */
export function nextDigest(
  now: number,
  timeZone: string,
  hour: number,
): { day: number; dueAt: number } {
  const zone = zoneOf(timeZone)
  const time = hour * 60 * MINUTE
  for (let { day } = zone.localTime(now); ; day++) {
    const dueAt = zone.momentOf({ day, time })
    if (dueAt <= now) continue
    const there = zone.localTime(dueAt)
    if (there.day === day && there.time === time) return { day: dateOf(day), dueAt }
  }
}

const dateOf = (day: number): number =>
  Number(new Date(day * DAY).toISOString().slice(0, 10).replaceAll('-', ''))
