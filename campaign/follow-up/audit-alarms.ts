/**
 * Checks that someone was told when no email went out for long, that it was over once emails went out, and of nothing
 * else.
 */
import { DAY } from '../../src/platform/time.ts'
import { sql } from '../../test/support/engines.ts'
import type { Expect } from './facts.ts'
import { triedKeys } from './post-office.ts'
import type { World } from './world.ts'
import type { Outage } from './world-time.ts'

/** The causes of alarms about mail, and about destinations, which others judge. */
const MAIL = 'late mail'
const OF_DESTINATIONS = /^(destination |late deliveries$)/

/**
 * As many steps after a message failed, someone must be told: it is tried again a few times, and replicas are killed.
 */
const TOLD_WITHIN = 12

/** So many steps after an email went out, at the second look, the alarm is over. */
const OVER_WITHIN = 1

/** A replica that is killed then may hold that up by as many steps. */
const HELD_UP = 2

/** `since`: when the last email had gone out. `since`, `raised`, `ended`: the steps in which that may have been. */
type Alarm = {
  id: number
  cause: string
  title: string
  since: number[]
  raised: number[]
  ended: number[] | undefined
}

type Known = Pick<World, 'time' | 'post' | 'outages'>

export async function auditAlarms(world: World, expect: Expect): Promise<void> {
  const { time, storage } = world
  const rows = await sql(
    storage.database,
    `select id, cause, title, since, raised_at, ended_at from alarms order by id`,
  )
  const alarms = rows.map(row => ({
    id: Number(row['id']),
    cause: String(row['cause']),
    title: String(row['title']),
    since: time.ticksAt(Number(row['since'])),
    raised: time.ticksAt(Number(row['raised_at'])),
    ended: row['ended_at'] === null ? undefined : time.ticksAt(Number(row['ended_at'])),
  }))
  judgeAlarms(world, alarms, expect)
}

/** Judges each alarm, and each outage. */
export function judgeAlarms(known: Known, alarms: Alarm[], expect: Expect): void {
  const { time, post, outages } = known
  const isIn = ({ from, to }: Outage, tick: number) => {
    const elapsed = time.elapsedIn(tick)
    return from <= elapsed && elapsed < to
  }
  for (const alarm of alarms) {
    const { id, cause, title, raised, ended } = alarm
    expect(ended !== undefined, `the alarm "${title}" of day ${days(known, raised)} never ended`)
    if (OF_DESTINATIONS.test(cause)) continue
    expect(cause === MAIL, `there was an alarm: ${title}`)
    const outage = outages.find(one => raised.some(tick => isIn(one, tick)))
    expect(
      outage !== undefined || isRejectedAlone(known, alarm) || isHeldByKilled(known, alarm),
      `the alarm "${title}" of day ${days(known, raised)} was raised although emails went out`,
    )
    if (outage === undefined || ended === undefined) continue
    // Once the clock is set back, what was sent in what is then the future counts as sent when that time comes again.
    const begun = time.tickWhere(0, elapsed => elapsed >= outage.from) ?? 0
    const early = ended.every(tick => time.elapsedIn(tick) < outage.to && time.setBack(begun, tick) === 0)
    expect(!early, `the alarm "${title}" of day ${days(known, raised)} was over before emails went out`)
    const over = mustBeOver(known, outage)
    const late = over !== undefined && ended.every(tick => tick > over)
    expect(!late, `the alarm "${title}" of day ${days(known, raised)} went on although emails went out`)
    const about = new RegExp(`^alarm(-over)?\\.${id}\\.`)
    // An alarm that is over before its email could go out is told by the other one. The mail server may reject it.
    const told = triedKeys(post).some(key => about.test(key))
    expect(told, `no one was told of the alarm "${title}"`)
  }
  for (const outage of outages) {
    const failed = post.failures.find(tick => isIn(outage, tick))
    if (failed === undefined || !isIn(outage, failed + TOLD_WITHIN)) continue
    if (seemsSent(known, failed, failed + TOLD_WITHIN)) continue
    const told = alarms.some(({ cause, raised }) => cause === MAIL && raised.some(tick => isIn(outage, tick)))
    expect(told, `no alarm said that no email went out from day ${days(known, [failed])} on`)
  }
}

/**
 * Whether the clock is set back between these steps, and something was sent before whose time comes again until the last
 * of them: it seems to be sent then.
 */
function seemsSent({ time, post }: Known, from: number, until: number): boolean {
  const shown = (tick: number) => time.shownAfter(time.elapsedIn(tick))
  const back = Array.from({ length: until - from }, (_, i) => from + i + 1).find(tick => time.setBack(from, tick) > 0)
  if (back === undefined) return false
  const deliveries = [...post.byId.values()].flatMap(message => message.deliveries)
  return deliveries.some(({ tick }) => tick < back && shown(tick) >= shown(back) && shown(tick) <= shown(until))
}

/**
 * Whether the only messages that were tried since the last email went out were rejected: then no one can know that
 * others would go out.
 */
function isRejectedAlone({ post }: Known, { since, raised }: Alarm): boolean {
  const accepted = [...post.byId.values()].flatMap(({ deliveries }) => deliveries.filter(one => !post.mayBeLost(one)))
  const isBetween = (from: number, to: number) => (tick: number) => from < tick && tick <= to
  return since.some(from =>
    raised.some(to => {
      const between = isBetween(from, to)
      return post.rejections.some(between) && !accepted.some(({ tick }) => between(tick) && tick < to)
    }),
  )
}

/**
 * Whether replicas were killed in the step of both looks. A step lasts for hours, so what a replica held when it was
 * killed looks late at the end of it.
 */
const isHeldByKilled = ({ post }: Known, { raised }: Alarm): boolean =>
  raised.some(tick => post.killedIn.has(tick) && post.killedIn.has(tick - 1))

/** The step in which an alarm must be over; undefined if no email went out, or the mail server failed again. */
function mustBeOver({ time, post, outages }: Known, { to }: Outage): number | undefined {
  const known = [...post.byId.values()].flatMap(({ deliveries }) => deliveries.filter(one => !post.mayBeLost(one)))
  const after = known.flatMap(({ tick }) => (time.elapsedIn(tick) >= to ? tick : []))
  if (after.length === 0) return undefined
  const sent = after.reduce((first, tick) => Math.min(first, tick))
  const killed = Array.from({ length: OVER_WITHIN + 1 }, (_, i) => sent + i).some(tick => post.killedIn.has(tick))
  const over = sent + OVER_WITHIN + (killed ? HELD_UP : 0)
  const [from, until] = [time.elapsedIn(sent), time.elapsedIn(over)]
  return outages.some(one => one.from <= until && from < one.to) ? undefined : over
}

const days = ({ time }: Known, [tick = 0]: number[]): string => (time.elapsedIn(tick) / DAY).toFixed(1)
