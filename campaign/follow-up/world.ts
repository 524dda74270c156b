/** Assembles a simulated month: the replicas, and the world around them. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { leadServices } from '../../src/cli/terminal/with-store.ts'
import { buildConfig } from '../../src/config/config.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type Engine, urlOf } from '../../test/support/engines.ts'
import { Random } from '../random.ts'
import type { CampaignStorage, Cleanup } from '../set-up.ts'
import { Agenda } from './agenda.ts'
import { Callers } from './callers.ts'
import { Desk } from './desk.ts'
import { Humans } from './humans.ts'
import { KillSchedule } from './kill-schedule.ts'
import { Ledger } from './ledger.ts'
import { Lists } from './lists.ts'
import { Notices } from './notices.ts'
import { Office } from './office.ts'
import { Pairs } from './pairs.ts'
import { type Arrival, makeArrivals, makePeople, type Person } from './people.ts'
import { PostOffice } from './post-office.ts'
import { Receivers } from './receivers.ts'
import { RetentionWatch } from './retention-watch.ts'
import { ScheduledEmails } from './scheduled-emails.ts'
import { environment, SETTINGS } from './school.ts'
import { Sweeps } from './sweeps.ts'
import { TodayWatch } from './today-watch.ts'
import { Web } from './web.ts'
import { type Outage, planOutages, SKEW, WorldTime } from './world-time.ts'

export type MonthOptions = {
  engine: Engine
  replicas: number
  leads: number
  seed: number
  kills: number
  /** How many times longer than usual the steps of time are. */
  pace: number
}

export type World = {
  options: MonthOptions
  folder: string
  storage: CampaignStorage
  time: WorldTime
  people: Person[]
  arrivals: Arrival[]
  desks: Desk[]
  post: PostOffice
  web: Web
  store: Store
  agenda: Agenda
  ledger: Ledger
  office: Office
  lists: Lists
  scheduled: ScheduledEmails
  pairs: Pairs
  retention: RetentionWatch
  receivers: Receivers
  notices: Notices
  outages: readonly Outage[]
  sweeps: Sweeps
  killSchedule: KillSchedule
  today: TodayWatch
}

/** Starts the replicas on an empty database, and everything around them. `t` ends them. */
export async function makeWorld(
  t: Cleanup,
  options: MonthOptions,
  { storage, folder }: { storage: CampaignStorage; folder: string },
): Promise<World> {
  const { seed, replicas, leads, kills, pace } = options
  mkdirSync(join(folder, 'logs'))
  const time = new WorldTime(seed, pace)
  const people = makePeople(seed, leads)
  const outages = planOutages(seed, time)
  const ledger = new Ledger(time)
  const agenda = new Agenda()
  let humans: Humans | undefined
  let retention: RetentionWatch | undefined
  let notices: Notices | undefined
  let scheduled: ScheduledEmails | undefined
  const arrived = (mail: Parameters<Humans['read']>[0]) => {
    retention?.read(mail)
    notices?.read(mail)
    scheduled?.read(mail)
    humans?.read(mail)
  }
  const post = new PostOffice({ seed, time, people, outages, arrived })
  const env = { ...environment, SMTP_URL: await post.open(t), DATABASE_URL: urlOf(storage.database), DATA_DIR: folder }
  const desks = Array.from(
    { length: replicas },
    (_, i) => new Desk(`desk-${i + 1}`, join(folder, 'logs'), { ...env, MONTH_SKEW: String(i % 2 ? SKEW : 0) }),
  )
  const killSchedule = new KillSchedule(desks, new Random(seed, 'strikes'), kills)
  t.after(async () => {
    await killSchedule.recovered().catch(() => {})
    await Promise.all(desks.map(desk => desk.kill()))
  })
  await Promise.all(desks.map(desk => desk.start(time.now)))
  const store = await openStore(storage.database, { clock: { now: () => time.now } })
  t.after(() => store.close())
  const web = new Web(desks, new Random(seed, 'web'))
  t.after(() => web.close())
  const services = await leadServices(store, buildConfig(env, checkSettings(SETTINGS)))
  const office = new Office({ seed, time, store, database: storage.database, ledger, agenda, services })
  await office.open()
  office.planAbsences()
  const { database } = storage
  const lists = new Lists({ seed, time, people, database, ledger, agenda, services, killedIn: post.killedIn })
  lists.plan()
  retention = new RetentionWatch({ database, ledger, lists })
  const receivers = new Receivers({ seed, time, ledger, agenda, store })
  await receivers.open(t)
  const callers = new Callers({ seed, time, agenda, ledger, services })
  const pairs = new Pairs({
    seed,
    time,
    ledger,
    agenda,
    services,
    office,
    callers,
    count: Math.max(4, Math.round(leads / 10)),
  })
  pairs.plan()
  scheduled = new ScheduledEmails({ seed, time, store, database, ledger, agenda, web, office })
  await scheduled.open()
  const isOthers = (lead: number) => lists.personOf(lead) !== undefined || pairs.pairOf(lead) !== undefined
  humans = new Humans({ seed, time, people, agenda, ledger, web, store, office, callers, scheduled, isOthers })
  const today = new TodayWatch({ seed, time, ledger, web, store, database: storage.database })
  await today.open()
  notices = new Notices({ seed, time, ledger, store, operators: today.operators })
  await notices.open(t)
  post.onCommand = () => killSchedule.heard('command')
  web.onRequest = () => killSchedule.heard('request')
  killSchedule.onKill = () => void post.killedIn.add(time.tick)
  const arrivals = makeArrivals(seed, people, time)
  return {
    options,
    folder,
    storage,
    time,
    people,
    arrivals,
    desks,
    post,
    web,
    store,
    agenda,
    ledger,
    office,
    lists,
    scheduled,
    pairs,
    retention,
    receivers,
    notices,
    outages,
    sweeps: new Sweeps(time),
    killSchedule,
    today,
  }
}
