/**
 * A simulated month: replicas of the whole service on one database, whose clocks we set, and a world
 * around them that writes in, reads mail, uses links, kills replicas and lets the mail server fail. In
 * the end everything that was due must have happened exactly once, and nothing else.
 */
import { DAY } from '../../src/platform/time.ts'
import { sql } from '../../test/support/engines.ts'
import { Random } from '../random.ts'
import { type CampaignStorage, keepTables } from '../set-up.ts'
import { ALWAYS_DUE, audit } from './audit.ts'
import { type Arrival, bodyOf } from './people.ts'
import { type MonthOptions, makeWorld, type World } from './world.ts'
import { WHOLE } from './world-time.ts'

export type Result = {
  violations: string[]
  /** How often things happened, and how long they took. */
  table: [what: string, figure: string | number][]
}

/** Runs a month on an empty database. `report` gets a line of progress every few seconds. */
export async function runMonth(
  options: MonthOptions,
  { storage, folder }: { storage: CampaignStorage; folder: string },
  report: (line: string) => void,
): Promise<Result> {
  const begun = performance.now()
  const cleanups: (() => unknown)[] = []
  try {
    const world = await makeWorld({ after: work => void cleanups.push(work as never) }, options, { storage, folder })
    const progress = setInterval(() => report(describe(world)), PROGRESS_EVERY)
    await play(world).finally(() => clearInterval(progress))
    const played = performance.now()
    const violations = await audit(world)
    const table = tableOf(world, [played - begun, performance.now() - played])
    if (violations.length > 0) await keepTables(storage, folder)
    return { violations, table }
  } finally {
    // The replicas end before the mail server.
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

const PROGRESS_EVERY = 10_000

/** The simulation ends after this time even if tasks are still due. */
const LONGEST = WHOLE + 40 * DAY

/** The share of plans that are carried out while the replicas work, not before. */
const DURING = 0.2

async function play(world: World): Promise<void> {
  const { options, time, arrivals, office } = world
  const random = new Random(options.seed, 'play')
  let next = 0
  let cleared = false
  while (time.elapsed < LONGEST) {
    time.step()
    const due = arrivals.slice(next)
    const count = due.findIndex(({ elapsed }) => elapsed > time.elapsed)
    const coming = count === -1 ? due : due.slice(0, count)
    next += coming.length
    await step(world, coming, random)
    if (time.elapsed < WHOLE) continue
    if (!cleared) await office.clearQuarantine()
    cleared = true
    if (await isOver(world)) return
  }
  world.ledger.violations.push('stuck: something is still due')
}

async function isOver({ agenda, storage: { database } }: World): Promise<boolean> {
  if (agenda.size > 0) return false
  const [row] = await sql(
    database,
    `select count(*) as n from tasks where state = 'due' and kind not in (${ALWAYS_DUE})`,
  )
  return Number(row?.['n']) === 0
}

/** People write in and carry out their plans: most of them first, some while the replicas work. */
async function step(world: World, coming: Arrival[], random: Random): Promise<void> {
  const { time, desks, killSchedule, agenda, ledger, today, retention, scheduled } = world
  const { now } = time
  await Promise.all(desks.map(desk => desk.order({ now })))
  killSchedule.begin(time.elapsed, now)
  ledger.during = false
  const plans = agenda.take(time.elapsed).map(one => ({ ...one, early: one.early || !random.chance(DURING) }))
  await inParallel(coming, arrival => submit(world, arrival))
  // One after the other, because the order of actions on the same lead must be known.
  for (const { plan, early } of plans) if (early) await plan()
  await today.look()
  await killSchedule.recovered()
  ledger.during = true
  const sweep = world.sweeps.isDue()
  const work = Promise.all(desks.map(desk => desk.order({ now, drain: true, sweep })))
  killSchedule.working(work)
  for (const { plan, early } of plans) if (!early) await plan()
  await work
  await killSchedule.recovered()
  ledger.during = false
  // While a replica works, what another one has not come to yet would look late: a step is longer than a minute.
  await Promise.all(desks.map(desk => desk.order({ now, look: true })))
  if (!sweep) return
  world.pairs.learn(await retention.look())
  await scheduled.look()
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>) {
  const left = items[Symbol.iterator]()
  const one = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: 8 }, one))
}

async function submit({ web, ledger, time, office }: World, arrival: Arrival): Promise<void> {
  const { person, copy, looks } = arrival
  if (person.phoneOnly) {
    ledger.count('people with a phone number alone')
    if (await office.enter(arrival)) ledger.accepted.set(`${person.n}x${copy}`, ledger.moment())
    else ledger.violations.push(`person ${person.n} could not be entered`)
    return
  }
  if (person.bestTime !== undefined) {
    ledger.count('people with a best time to call')
    if (await office.receiveForm(arrival)) ledger.accepted.set(`${person.n}x${copy}`, ledger.moment())
    else ledger.violations.push(`the form of person ${person.n} was not accepted`)
    return
  }
  const [host, path] =
    person.kind === 'site'
      ? (['site', '/api/site-interest'] as const)
      : (['learn', '/api/admissions/interest'] as const)
  const body = JSON.stringify(bodyOf(arrival, time.now))
  const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body } as const
  const status = await web.request(host, path, options)
  ledger.count(`submissions: status ${status}`)
  if (status === (looks === 'trapped' ? 400 : 200)) ledger.accepted.set(`${person.n}x${copy}`, ledger.moment())
  else ledger.violations.push(`submission ${person.n}x${copy} got ${status}`)
}

const days = (elapsed: number) => (elapsed / DAY).toFixed(1)

function describe({ time, ledger, post, killSchedule, agenda }: World): string {
  return [
    `day ${days(time.elapsed)} (${new Date(time.now).toISOString().slice(0, 16)})`,
    `${ledger.accepted.size} submissions`,
    `${post.byId.size} messages`,
    `${killSchedule.kills} kills`,
    `${agenda.size} plans`,
  ].join(', ')
}

function tableOf(world: World, [played = 0, judged = 0]: number[]): Result['table'] {
  const { time, ledger, post, killSchedule, web } = world
  const repeats = [...post.byId.values()].reduce((sum, one) => sum + one.deliveries.length - 1, 0)
  const kinds = Map.groupBy(post.byId.values(), ({ kind }) => kind)
  return [
    ['days', days(time.elapsed)],
    ['steps of time', time.tick],
    ...time.jumps.map(({ at, by }) => [`clock set by ${by / DAY} days on day`, days(at)] as [string, string]),
    ['kills', killSchedule.kills],
    ['requests without a response', web.retries],
    ...[...ledger.counts].sort(),
    ['different messages', post.byId.size],
    ...[...kinds].map(([kind, all]) => [`messages: ${kind}`, all.length] as [string, number]),
    ['messages that came again', repeats],
    ...Object.entries(post.counts).map(([what, count]) => [`mail server: ${what}`, count] as [string, number]),
    ['seconds: month', (played / 1000).toFixed(1)],
    ['seconds: audit', (judged / 1000).toFixed(1)],
  ]
}
