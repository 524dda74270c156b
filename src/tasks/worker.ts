/** The worker: carries out everything that happens after the response, in lanes that never wait for each other. */
import type { Logger } from 'pino'
import { DELIVERIES_AT_ONCE, DELIVERY_SLOTS, type Deliverer } from '../destinations/deliver.ts'
import { createAddressees } from '../mail/staff-addressees.ts'
import type { Mailer } from '../mail/transport/mailer.ts'
import { type Clock, SECOND } from '../platform/time.ts'
import type { Push } from '../push/push.ts'
import { Batcher } from '../store/acceptance/batcher.ts'
import { StoreUnavailable } from '../store/acceptance/store-unavailable.ts'
import type { SentMail } from '../store/mail/record-sent.ts'
import type { Store } from '../store/store.ts'
import type { Lane as LaneName } from '../store/tables/schema.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { createNotices } from './browser-notices.ts'
import { type FilingServices, fileTasks } from './filing-tasks.ts'
import { continueImport } from './importing.ts'
import type { Wait } from './lanes/in-portions.ts'
import { Lane, type LaneOptions } from './lanes/lane.ts'
import { OutageLog } from './lanes/outage-log.ts'
import { type ExportServices, writeNightlyExport } from './nightly-exports.ts'
import { type MailServices, sendFromOutbox } from './outbox.ts'
import { type ScanServices, scanAttachments } from './scanning/scanning.ts'
import { takeStep } from './stepping.ts'

/** A message that takes longer than this, in milliseconds, counts as hanging; meanwhile, others are sent. */
const HANGS_AFTER = 3 * SECOND

/** What was sent is recorded within this time, in milliseconds: well before its lease ends. */
const RECORDED_WITHIN = 10_000

export type Worker = {
  start(): void
  /** Says that work may be due in these lanes (default: all), which then look without waiting for the next poll. */
  nudge(lanes?: readonly LaneName[]): void
  /** Lets running jobs finish, for up to `timeout` milliseconds, then releases the claims of the others. */
  stop(timeout: number): Promise<void>
  /** Carries out everything that is due now, without having been started: for tests and simulations. */
  drain(): Promise<void>
}

/** The lanes of the service, with what each of them does. */
export function createLanes(
  deps: FilingServices &
    Omit<MailServices, 'addressees'> &
    ExportServices &
    Pick<ScanServices, 'stopping'> & {
      push: Pick<Push, 'wake'>
      /** Sends events to destinations. */
      deliverer: Deliverer
    },
): LaneOptions[] {
  const sent = new Batcher<SentMail, boolean | Error>(messages => recordSent(deps, messages), {
    timeout: RECORDED_WITHIN,
    turns: 0,
  })
  const notices = createNotices({ ...deps, wakeBrowser: deps.push.wake })
  const mail = { ...deps, addressees: createAddressees(deps), sent, notices }
  // Pages that show a lead also follow what happens automatically.
  const shown = (run: (task: Task) => Promise<void>) =>
    each(async task => {
      await run(task)
      deps.store.announceLeads()
    })
  // Destinations must hear about these without waiting for the next poll.
  const told = (run: (task: Task) => Promise<void>) =>
    each(async task => {
      await run(task)
      deps.wake(['deliveries'])
    })
  const send = shown(task => sendFromOutbox(mail, task))
  const urgently: Mailer = { ...deps.mailer, send: message => deps.mailer.send(message, { urgent: true }) }
  const sendFresh = shown(task => sendFromOutbox({ ...mail, mailer: urgently }, task))
  const file = async (tasks: Task[]) => {
    // Their messages come next.
    void deps.messages.prepare()
    await fileTasks(deps, tasks)
  }
  const hangsAfter = HANGS_AFTER
  const outbox = { name: 'mail', tasksPerJob: 1, hangsAfter, run: send } as const
  return [
    { name: 'filing', slots: 1, tasksPerJob: 50, run: file },
    { ...outbox, slots: 10, ahead: true },
    // This lane takes the same tasks from the other end, so that many waiting messages do not delay the notification
    // about a new lead.
    { ...outbox, slots: 4, fresh: true, run: sendFresh },
    { name: 'messages', slots: 3, tasksPerJob: 1, hangsAfter, run: send },
    { name: 'reports', slots: 1, tasksPerJob: 1, run: told(task => sendFromOutbox(mail, task)) },
    { name: 'imports', slots: 1, tasksPerJob: 1, run: each(task => continueImport(deps, task)) },
    { name: 'scans', slots: 1, tasksPerJob: 1, run: shown(task => scanAttachments(deps, task)) },
    { name: 'follow-up', slots: 3, tasksPerJob: 1, hangsAfter, run: told(task => takeStep(mail, task)) },
    {
      name: 'deliveries',
      slots: DELIVERY_SLOTS,
      tasksPerJob: 1,
      claims: DELIVERIES_AT_ONCE,
      passOver: deps.deliverer.crowded,
      run: each(deps.deliverer.deliver),
    },
    { name: 'exports', slots: 1, tasksPerJob: 1, run: each(task => writeNightlyExport(deps, task)) },
    // When the quiet hours end, thousands of emails to students may be due; nothing else must wait for them.
    { name: 'letters', slots: 3, tasksPerJob: 1, hangsAfter, run: told(task => takeStep(mail, task)) },
  ]
}

/** Records a batch. If one message cannot be recorded, the others still are; the result for that one is the error. */
async function recordSent({ store }: Pick<MailServices, 'store'>, messages: SentMail[]): Promise<(boolean | Error)[]> {
  try {
    return await store.recordSent(messages)
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    if (messages.length === 1) return [error as Error]
    const recorded: (boolean | Error)[] = []
    for (const message of messages) recorded.push(...(await recordSent({ store }, [message])))
    return recorded
  }
}

const each = (run: (task: Task) => Promise<void>) => async (tasks: Task[]) => {
  for (const task of tasks) await run(task)
}

export function createWorker(
  options: LaneOptions[],
  deps: { store: Store; clock: Clock; log: Logger; wait?: Wait },
): Worker {
  const outages = new OutageLog(deps)
  const lanes = options.map(one => new Lane(one, { ...deps, outages }))
  return {
    start: () => lanes.forEach(lane => void lane.start()),
    nudge: names => {
      for (const lane of lanes) if (names === undefined || names.includes(lane.name)) lane.nudge()
    },
    stop: async timeout => {
      await Promise.all(lanes.map(lane => lane.stop(timeout)))
    },
    drain: async () => {
      const { store, clock } = deps
      const names = [...new Set(lanes.map(lane => lane.name))]
      for (const lane of lanes) await lane.watchClock(clock.now())
      for (let started = 1; started > 0; ) {
        started = 0
        // A simulation drains at a thousand moments, and at most one of the lanes has something to do each time.
        const due = await store.listDueLanes({ lanes: names, now: clock.now() })
        // One lane after the other: at the same time, each would need a connection to the database.
        for (const lane of lanes) if (due.includes(lane.name)) started += await lane.drain()
      }
    },
  }
}
