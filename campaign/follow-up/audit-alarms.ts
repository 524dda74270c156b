/**
 * Checks that someone was told when no email went out for long, that it was over once emails went out, and of nothing
 * else.
 */
import { DAY, HOUR } from '../../src/platform/time.ts'
import { sql } from '../../test/support/engines.ts'
import type { Expect } from './facts.ts'
import type { World } from './world.ts'
import type { Outage } from './world-time.ts'

/** The causes of alarms about mail, and about destinations, which others judge. */
const MAIL = 'late mail'
const OF_DESTINATIONS = /^destination /

/**
 * As many steps after a message failed, someone must be told: it is tried again a few times, and replicas are killed.
 */
const TOLD_WITHIN = 12

/** A message is tried again within this time, in milliseconds; two looks after it went out, the alarm is over. */
const TRIED_AGAIN = 5 * HOUR
const LOOKS = 3

export async function auditAlarms(world: World, expect: Expect): Promise<void> {
  const { time, post, outages, storage } = world
  const rows = await sql(storage.database, `select id, cause, title, raised_at, ended_at from alarms order by id`)
  const alarms = rows.map(row => ({
    id: Number(row['id']),
    cause: String(row['cause']),
    title: String(row['title']),
    raised: time.ticksAt(Number(row['raised_at'])),
    ended: row['ended_at'] === null ? undefined : time.ticksAt(Number(row['ended_at'])),
  }))
  const isIn = ({ from, to }: Outage, tick: number) => {
    const elapsed = time.elapsedIn(tick)
    return from <= elapsed && elapsed < to
  }
  for (const { id, cause, title, raised, ended } of alarms) {
    expect(ended !== undefined, `the alarm "${title}" of day ${days(world, raised)} never ended`)
    if (OF_DESTINATIONS.test(cause)) continue
    expect(cause === MAIL, `there was an alarm: ${title}`)
    const outage = outages.find(one => raised.some(tick => isIn(one, tick)))
    expect(
      outage !== undefined,
      `the alarm "${title}" of day ${days(world, raised)} was raised although emails went out`,
    )
    if (outage === undefined || ended === undefined) continue
    // Once the clock is set back, what was sent in what is then the future counts as sent when that time comes again.
    const begun = time.tickWhere(0, elapsed => elapsed >= outage.from) ?? 0
    const early = ended.every(tick => time.elapsedIn(tick) < outage.to && time.setBack(begun, tick) === 0)
    expect(!early, `the alarm "${title}" of day ${days(world, raised)} was over before emails went out`)
    const tried = time.tickWhere(0, elapsed => elapsed >= outage.to + TRIED_AGAIN)
    const late = tried !== undefined && ended.every(tick => tick > tried + LOOKS)
    expect(!late, `the alarm "${title}" of day ${days(world, raised)} ended long after emails went out`)
    const told = [...post.byId.values()].some(({ kind, subject }) => kind.startsWith('alarm') && subject === id)
    expect(told, `no one was told of the alarm "${title}"`)
  }
  for (const outage of outages) {
    const failed = post.failures.find(tick => isIn(outage, tick))
    if (failed === undefined || !isIn(outage, failed + TOLD_WITHIN)) continue
    const told = alarms.some(({ cause, raised }) => cause === MAIL && raised.some(tick => isIn(outage, tick)))
    expect(told, `no alarm said that no email went out from day ${days(world, [failed])} on`)
  }
}

const days = ({ time }: World, [tick = 0]: number[]): string => (time.elapsedIn(tick) / DAY).toFixed(1)
