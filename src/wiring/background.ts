/** Wires what happens after the response: the worker files submissions, sends emails and follows up. */
import type { AccountDirectory } from '../accounts/directory.ts'
import { createDeliverer } from '../destinations/deliver.ts'
import { createMessageIds, type MessageIds } from '../mail/message-id.ts'
import type { Messages } from '../mail/messages.ts'
import { type Addressees, createAddressees } from '../mail/staff-addressees.ts'
import type { Mailer } from '../mail/transport/mailer.ts'
import { createPush, type Push } from '../push/push.ts'
import { shutdown } from '../shutdown.ts'
import type { Lane } from '../store/tables/schema.ts'
import type { CadenceVersions } from '../tasks/cadence-start.ts'
import { keepCountingLeads } from '../tasks/counting-leads.ts'
import { keepDeletingWhatIsOld } from '../tasks/expiry-of-data.ts'
import { createHandOvers, type HandOverRunner } from '../tasks/hand-overs.ts'
import { watchInbox } from '../tasks/inbound/watched-mailbox.ts'
import { keepWatchingLateWork } from '../tasks/late-work-watch.ts'
import { sendBySftp } from '../tasks/sftp-command.ts'
import { keepTakingStatusFiles } from '../tasks/status-folder.ts'
import { keepSchedulingWeeklyMail } from '../tasks/weekly-mail.ts'
import { createLanes, createWorker, type Worker } from '../tasks/worker.ts'
import type { Common } from './common.ts'

type BackgroundServices = Common & {
  /** The secret that signs links. */
  secretKey: string
  cadences: CadenceVersions
  directory: AccountDirectory | undefined
  messages: Messages
  mailer: Mailer
}

export type Background = {
  worker: Worker
  addressees: Addressees
  handOvers: HandOverRunner
  identity: MessageIds
  push: Push
  /** Wakes up these lanes (default: all), in the worker here or, if there is none, in other processes. */
  wake(lanes?: readonly Lane[]): void
  /** To be called after leads have changed: also updates the pages of the console that are open. */
  changed(lanes?: readonly Lane[]): void
  /** Why the mailbox that this process watches cannot be watched; undefined if it can, or if there is none. */
  mailboxTrouble(): string | undefined
  /** Starts everything. What runs beside the worker ends when `closing` is aborted. */
  start(closing: AbortSignal): void
  /** Finishes or releases the work under way. */
  stop(): Promise<unknown>
}

export async function wireBackground(deps: BackgroundServices): Promise<Background> {
  const { store, clock, config, log } = deps
  const identity = createMessageIds(deps.secretKey, config.mailFrom)
  const push = createPush(deps)
  const stopping = new AbortController()
  const worker: Worker = createWorker(
    createLanes({
      ...deps,
      stopping: stopping.signal,
      deliverer: createDeliverer({ ...deps, wake: () => worker.nudge(['deliveries']) }),
      push,
      identity,
      sendFile: sendBySftp,
      viewAsCsv: async function* (...of) {
        const { viewAsCsv } = await import('../console/export/view-as-csv.ts')
        yield* viewAsCsv(deps, ...of)
      },
      wake: lanes => {
        worker.nudge(lanes)
        store.announceLeads()
      },
    }),
    { store, clock, log },
  )
  let working = false
  const wake: Background['wake'] = lanes => (working ? worker.nudge(lanes) : store.announce())
  const changed: Background['changed'] = lanes => {
    wake(lanes)
    store.announceLeads()
  }
  const addressees = createAddressees(deps)
  const handOvers = createHandOvers({ ...deps, addressees, changed: () => changed() })
  const inbox =
    config.imapUrl === undefined
      ? undefined
      : await watchInbox({
          ...deps,
          addressees,
          url: config.imapUrl,
          identity,
          changed: () => changed(['mail', 'deliveries']),
        })
  return {
    worker,
    addressees,
    handOvers,
    identity,
    push,
    wake,
    changed,
    mailboxTrouble: () => (working ? inbox?.trouble() : undefined),
    start: closing => {
      working = true
      startBeside(deps, closing)
      keepWatchingLateWork({ ...deps, wakeBrowser: push.wake, changed: () => changed(['reports']) }, closing)
      handOvers.keepRunning(closing)
      keepTakingStatusFiles({ ...deps, changed }, closing)
      startWorker(worker, deps, closing)
      inbox?.start()
      store.onAnnouncement(() => worker.nudge())
    },
    stop: () => {
      stopping.abort()
      return Promise.allSettled([worker.stop(shutdown.tasks), inbox?.stop()])
    },
  }
}

/** Starts everything that checks from time to time whether there is something to do. */
function startBeside(common: Common, closing: AbortSignal): void {
  keepSchedulingWeeklyMail(common, closing)
  keepCountingLeads(common, closing)
  keepDeletingWhatIsOld(common, closing)
}

function startWorker(worker: Worker, { store, log }: Common, closing: AbortSignal): void {
  store
    .beginWork()
    .catch(error => log.warn({ err: error }, 'claims of processes that have ended hold until their lease ends'))
    .then(() => {
      if (!closing.aborted) worker.start()
    })
}
