/**
 * A campaign: replicas on one database, clients that send every submission many times at once, and
 * chaos at the same time. In the end everything must have happened exactly once.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Engine, urlOf } from '../test/support/engines.ts'
import { audit } from './audit.ts'
import { Chaos } from './chaos.ts'
import { sendAll } from './client.ts'
import { Ledger } from './ledger.ts'
import { cutShort, failedJobs, readErrors } from './logs.ts'
import { Mailbox } from './mail-server.ts'
import { copiesOf, makePlan, type PlannedSubmission } from './plan.ts'
import { Random } from './random.ts'
import type { Replica } from './replica.ts'
import {
  type CampaignStorage,
  type Cleanup,
  countDue,
  endLeases,
  keepTables,
  makeReplicas,
  makeStorage,
} from './set-up.ts'

export type CampaignOptions = {
  engine: Engine
  replicas: number
  keys: number
  copies: number
  seed: number
  /** Moves the leases of dead replicas into the past instead of waiting for them. */
  quick: boolean
  /** Concurrent requests. */
  connections: number
  /** How many keys clients start with per second. By default, as many as the replicas can handle. */
  keysPerSecond?: number | undefined
  /** The average time between two faults, in milliseconds. */
  faultInterval: number
  /** The maximum number of faults. By default, as many as there is time for. */
  maxFaults?: number
}

export type Result = {
  violations: string[]
  /** How often things happened, and how long they took. */
  table: [what: string, figure: string | number][]
  /** The folder with logs and tables, which stays after a violation. */
  folder: string
}

/** Runs a campaign. `t` cleans up after it; `report` gets a line of progress every few seconds. */
export async function runCampaign(
  t: Cleanup,
  options: CampaignOptions,
  report: (line: string) => void,
): Promise<Result> {
  const campaign = await prepare(t, options)
  const { storage, folder } = campaign
  const progress = setInterval(() => report(describeProgress(campaign)), PROGRESS_EVERY)
  const violations = await play(campaign).finally(() => clearInterval(progress))
  violations.push(...(await judge(campaign)))
  campaign.phaseEnds('audit')
  if (violations.length > 0) await keepTables(storage, folder)
  else t.after(() => rmSync(folder, { recursive: true, force: true }))
  return { violations, folder, table: tableOf(campaign) }
}

const PROGRESS_EVERY = 5000

type Campaign = {
  options: CampaignOptions
  folder: string
  storage: CampaignStorage
  replicas: Replica[]
  plan: PlannedSubmission[]
  ledger: Ledger
  mailbox: Mailbox
  chaos: Chaos
  phases: Map<string, number>
  phaseEnds: (name: string) => void
}

async function prepare(t: Cleanup, options: CampaignOptions): Promise<Campaign> {
  const phases = new Map<string, number>()
  let before = performance.now()
  const phaseEnds = (name: string) => {
    phases.set(name, performance.now() - before)
    before = performance.now()
  }
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-campaign-'))
  const storage = await makeStorage(t, options.engine, folder, { durable: true })
  const mailbox = await Mailbox.open(t)
  const { database, server } = storage
  const environment = { database, folder, smtpUrl: mailbox.url }
  const replicas = await makeReplicas(t, options.replicas, environment)
  await Promise.all(replicas.map(replica => replica.start()))
  phaseEnds('start')
  const plan = makePlan(options)
  const chaos = new Chaos({
    replicas,
    random: new Random(options.seed, 'chaos'),
    postgres: server && { server, database: urlOf(database) },
    faultInterval: options.faultInterval,
    maxFaults: options.maxFaults ?? Number.POSITIVE_INFINITY,
    freezePastLease: !options.quick,
  })
  const ledger = new Ledger(plan)
  return { options, folder, storage, replicas, plan, ledger, mailbox, chaos, phases, phaseEnds }
}

/**
 * Chaos continues until this share of the notifications is sent, so that it also hits the follow-up.
 * It has a limit, since the tasks that dead replicas had claimed must wait. The limits are in
 * milliseconds, also for campaigns that do not wait for leases.
 */
const NOTIFIED_DURING_CHAOS = 0.5
const FOLLOW_UP_DURING_CHAOS = 120_000
const QUICK_FOLLOW_UP_DURING_CHAOS = 3_000

/** How often leases are moved at most, and after how long without progress, in milliseconds. */
const QUICK_ROUNDS = 5
const QUICK_TIMEOUT = 8_000

/** Runs from the load to the quiet after it. Returns a violation for everything that did not finish. */
async function play(campaign: Campaign): Promise<string[]> {
  const { options, storage, replicas, plan, ledger, mailbox, chaos, phaseEnds } = campaign
  const { seed, connections, keysPerSecond, quick } = options
  const violations: string[] = []
  const finished = async (what: string, figures: () => number | Promise<number>, goal: number) => {
    const figure = await untilReached(figures, goal)
    if (figure !== goal) violations.push(`stuck: ${what} (${figure}, not ${goal})`)
  }

  chaos.start()
  const stuck = new AbortController()
  const ports = replicas.map(({ port }) => port)
  const random = new Random(seed, 'clients')
  const sending = sendAll(
    copiesOf(plan, Date.now() - 60_000),
    { ports, ledger, random, connections, keysPerSecond },
    stuck.signal,
  )
  await finished('copies with a final response', () => ledger.finals, copiesIn(options))
  stuck.abort()
  await sending
  phaseEnds('load')

  const enough = Math.ceil(plan.length * NOTIFIED_DURING_CHAOS)
  const end = performance.now() + (quick ? QUICK_FOLLOW_UP_DURING_CHAOS : FOLLOW_UP_DURING_CHAOS)
  while (mailbox.notified < enough && !chaos.over && performance.now() < end) await wait(100)
  await chaos.stop()
  phaseEnds('follow-up during chaos')

  // On a busy machine a task may fail once more, and be retried later.
  for (let round = 0; quick && round < QUICK_ROUNDS; round++) {
    await endLeases(replicas, storage.database)
    if ((await untilReached(() => countDue(storage.database), 0, QUICK_TIMEOUT)) === 0) break
  }
  await finished('tasks that are due', () => countDue(storage.database), 0)
  await Promise.all(replicas.map(replica => replica.terminate()))
  phaseEnds('settling')
  return violations
}

const copiesIn = ({ keys, copies }: CampaignOptions): number => keys * copies

/** A figure that has not changed for this long never will, in milliseconds: leases and retries end sooner. */
const STUCK = 180_000

/** Waits until a figure reaches its goal or has not changed for `timeout` milliseconds. Returns the figure. */
async function untilReached(figures: () => number | Promise<number>, goal: number, timeout = STUCK): Promise<number> {
  let since = performance.now()
  for (let before = await figures(); ; ) {
    const figure = await figures()
    if (figure === goal) return figure
    if (figure !== before) since = performance.now()
    if (performance.now() - since > timeout) return figure
    before = figure
    await wait(200)
  }
}

/** How many messages one replica sends at the same time. */
const MAIL_SLOTS = 5

/** How many messages may have been sent but not recorded, because no replica could know that they were. */
function mayRepeat({ chaos, folder }: Campaign): number {
  const { kills, longFreezes } = chaos.counts
  return MAIL_SLOTS * (kills + longFreezes) + failedJobs(folder, 'mail')
}

async function judge(campaign: Campaign): Promise<string[]> {
  const { options, storage, folder, replicas } = campaign
  const { database } = storage
  const errors = readErrors(folder, { excused: options.engine === 'postgres' })
  return [
    ...replicas.flatMap(({ violations }) => violations),
    ...(await audit({ ...campaign, database, mayRepeat: mayRepeat(campaign), uncounted: cutShort(folder) > 0 })),
    ...[...errors.others].map(([kind, count]) => `logged ${count} times: ${kind}`),
  ]
}

function describeProgress({ options, replicas, plan, ledger, mailbox, chaos }: Campaign): string {
  const up = replicas.filter(({ state }) => state === 'up').length
  const faults = Object.entries(chaos.counts).map(([what, count]) => `${count} ${what}`)
  return [
    `${ledger.finals} of ${copiesIn(options)} done`,
    `${mailbox.notified} of ${plan.length} notified`,
    `${up} of ${replicas.length} up`,
    ...faults,
  ].join(', ')
}

function tableOf(campaign: Campaign): Result['table'] {
  const { options, folder, ledger, mailbox, chaos, phases } = campaign
  const errors = readErrors(folder, { excused: options.engine === 'postgres' })
  const statuses = [...ledger.statuses].sort(([one], [other]) => one - other)
  return [
    ['keys', options.keys],
    ['copies', copiesIn(options)],
    ...statuses.map(([status, count]) => [`responses ${status}`, count] as [string, number]),
    ...prefixed('no response: ', ledger.losses),
    ...prefixed('', chaos.counts),
    ['different messages', mailbox.byId.size],
    ['sent again', mailbox.repeated],
    ['sent again, at most', mayRepeat(campaign)],
    ...prefixed('logged, expected: ', Object.fromEntries(errors.expected)),
    ...[...phases].map(([name, time]) => [`seconds: ${name}`, (time / 1000).toFixed(1)] as [string, string]),
  ]
}

const prefixed = (prefix: string, counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).map(([what, count]) => [`${prefix}${what}`, count])
