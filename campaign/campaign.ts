/**
 * A campaign: replicas on one database, clients that send every submission many times at once, and
 * chaos meanwhile. In the end everything must have happened exactly once.
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
import { Mailbox } from './mailbox.ts'
import { copiesOf, makePlan, type Planned } from './plan.ts'
import { Random } from './random.ts'
import type { Replica } from './replica.ts'
import {
  type Cleanup,
  countDue,
  endLeases,
  keepTables,
  makePlace,
  makeReplicas,
  type Place,
} from './stage.ts'

export type CampaignOptions = {
  engine: Engine
  replicas: number
  keys: number
  copies: number
  seed: number
  /** Leases of the dead are moved into the past instead of being waited for. */
  quick: boolean
  /** Requests under way at once. */
  connections: number
  /** So many keys are begun in a second; absent for as many as are answered. */
  keysPerSecond?: number | undefined
  /** How long it is quiet between two blows on average, in milliseconds. */
  every: number
  /** How many blows there are at most; absent for as many as there is time for. */
  most?: number
}

export type Result = {
  violations: string[]
  /** What happened how often, and how long it took. */
  table: [what: string, figure: string | number][]
  /** Logs and tables, kept after a violation. */
  folder: string
}

/** Runs a campaign; `t` cleans up after it, `tell` hears now and then how far it is. */
export async function runCampaign(
  t: Cleanup,
  options: CampaignOptions,
  tell: (line: string) => void,
): Promise<Result> {
  const campaign = await prepare(t, options)
  const { place, folder } = campaign
  const progress = setInterval(() => tell(describeProgress(campaign)), PROGRESS_EVERY)
  const violations = await play(campaign).finally(() => clearInterval(progress))
  violations.push(...(await judge(campaign)))
  campaign.phaseEnds('audit')
  if (violations.length > 0) await keepTables(place, folder)
  else t.after(() => rmSync(folder, { recursive: true, force: true }))
  return { violations, folder, table: tableOf(campaign) }
}

const PROGRESS_EVERY = 5000

type Campaign = {
  options: CampaignOptions
  folder: string
  place: Place
  replicas: Replica[]
  plan: Planned[]
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
  const place = await makePlace(t, options.engine, folder)
  const mailbox = await Mailbox.open(t)
  const { database, server } = place
  const around = { database, folder, smtpUrl: mailbox.url }
  const replicas = await makeReplicas(t, options.replicas, around)
  await Promise.all(replicas.map(replica => replica.start()))
  phaseEnds('start')
  const plan = makePlan(options)
  const chaos = new Chaos({
    replicas,
    random: new Random(options.seed, 'chaos'),
    postgres: server && { server, database: urlOf(database) },
    every: options.every,
    most: options.most ?? Number.POSITIVE_INFINITY,
    patient: !options.quick,
  })
  const ledger = new Ledger(plan)
  return { options, folder, place, replicas, plan, ledger, mailbox, chaos, phases, phaseEnds }
}

/**
 * Chaos goes on until this share of the submissions is told, so that it hits what follows too; not
 * for ever, since what the dead had claimed waits. In milliseconds, also where no lease is waited for.
 */
const TOLD_AMID_CHAOS = 0.5
const FOLLOW_UP_AMID_CHAOS = 120_000
const QUICK_FOLLOW_UP_AMID_CHAOS = 3_000

/** Where leases are moved: how often at most, and after how long without progress, in milliseconds. */
const QUICK_ROUNDS = 5
const QUICK_PATIENCE = 8_000

/** From the load to the quiet after it. Returns what did not come to its end. */
async function play(campaign: Campaign): Promise<string[]> {
  const { options, place, replicas, plan, ledger, mailbox, chaos, phaseEnds } = campaign
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
  await finished('copies answered', () => ledger.finals, copiesIn(options))
  stuck.abort()
  await sending
  phaseEnds('load')

  const enough = Math.ceil(plan.length * TOLD_AMID_CHAOS)
  const end = performance.now() + (quick ? QUICK_FOLLOW_UP_AMID_CHAOS : FOLLOW_UP_AMID_CHAOS)
  while (mailbox.notified < enough && !chaos.over && performance.now() < end) await wait(100)
  await chaos.stop()
  phaseEnds('follow-up amid chaos')

  // On a busy machine what follows may fail once more, and be put off.
  for (let round = 0; quick && round < QUICK_ROUNDS; round++) {
    await endLeases(replicas, place.database)
    if ((await untilReached(() => countDue(place.database), 0, QUICK_PATIENCE)) === 0) break
  }
  await finished('tasks that wait', () => countDue(place.database), 0)
  await Promise.all(replicas.map(replica => replica.terminate()))
  phaseEnds('settling')
  return violations
}

const copiesIn = ({ keys, copies }: CampaignOptions): number => keys * copies

/** A figure that has not changed for so long never will, in milliseconds: leases and retries end sooner. */
const STUCK = 180_000

/** Waits until a figure reaches its goal; returns what it is when it does, or is stuck. */
async function untilReached(
  figures: () => number | Promise<number>,
  goal: number,
  patience = STUCK,
): Promise<number> {
  let since = performance.now()
  for (let before = await figures(); ; ) {
    const figure = await figures()
    if (figure === goal) return figure
    if (figure !== before) since = performance.now()
    if (performance.now() - since > patience) return figure
    before = figure
    await wait(200)
  }
}

/** So many messages are on their way at once in one replica. */
const MAIL_SLOTS = 5

/** How many messages may have been sent without its being noted: nobody could know that they were. */
function mayRepeat({ chaos, folder }: Campaign): number {
  const { kills, longFreezes } = chaos.counts
  return MAIL_SLOTS * (kills + longFreezes) + failedJobs(folder, 'mail')
}

async function judge(campaign: Campaign): Promise<string[]> {
  const { options, place, folder, replicas } = campaign
  const { database } = place
  const errors = readErrors(folder, { excused: options.engine === 'postgres' })
  return [
    ...replicas.flatMap(({ violations }) => violations),
    ...(await audit({
      ...campaign,
      database,
      mayRepeat: mayRepeat(campaign),
      uncounted: cutShort(folder) > 0,
    })),
    ...[...errors.others].map(([kind, count]) => `logged ${count} times: ${kind}`),
  ]
}

function describeProgress({ options, replicas, plan, ledger, mailbox, chaos }: Campaign): string {
  const up = replicas.filter(({ state }) => state === 'up').length
  const blows = Object.entries(chaos.counts).map(([what, count]) => `${count} ${what}`)
  return [
    `${ledger.finals} of ${copiesIn(options)} answered`,
    `${mailbox.notified} of ${plan.length} told`,
    `${up} of ${replicas.length} up`,
    ...blows,
  ].join(', ')
}

function tableOf(campaign: Campaign): Result['table'] {
  const { options, folder, ledger, mailbox, chaos, phases } = campaign
  const errors = readErrors(folder, { excused: options.engine === 'postgres' })
  const statuses = [...ledger.statuses].sort(([one], [other]) => one - other)
  return [
    ['keys', options.keys],
    ['copies', copiesIn(options)],
    ...statuses.map(([status, count]) => [`answered ${status}`, count] as [string, number]),
    ...prefixed('no answer: ', ledger.losses),
    ...prefixed('', chaos.counts),
    ['different messages', mailbox.byId.size],
    ['sent again', mailbox.repeated],
    ['at most', mayRepeat(campaign)],
    ...prefixed('logged, expected: ', Object.fromEntries(errors.expected)),
    ...[...phases].map(
      ([name, time]) => [`seconds: ${name}`, (time / 1000).toFixed(1)] as [string, string],
    ),
  ]
}

const prefixed = (prefix: string, counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).map(([what, count]) => [`${prefix}${what}`, count])
