/** Deletes, in the background, data that is older than the settings allow (`privacy`). */
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { removeReplaced } from '../config/replaced-databases.ts'
import type { Settings } from '../config/settings.ts'
import { IMPORT_UNDO_TIME } from '../leads/lead/undo-window.ts'
import { removeOldCaptured } from '../mail/transport/files.ts'
import { type Clock, DAY, HOUR } from '../platform/time.ts'
import type { Store } from '../store/store.ts'
import { attempt, inPortions, keepLooking } from './lanes/in-portions.ts'
import { eraseByRetention, planRetention, type RetentionServices, removeErasedMessages } from './retention-erasing.ts'

/** How many rows one transaction looks at, and the pause between two transactions, in milliseconds. */
const AT_ONCE = 500
const PAUSE = 10

const EVERY = 1 * HOUR
const ROUNDS_A_DAY = 24

type ExpiryServices = {
  store: Pick<
    Store,
    | 'forgetClientAddresses'
    | 'expireAudit'
    | 'expireDrafts'
    | 'expireErasureRequests'
    | 'expireImports'
    | 'expireAttachments'
    | 'expireDeliveries'
    | 'expireAlarms'
    | 'expireLinks'
    | 'expireTasks'
    | 'backgroundDelay'
  >
  clock: Clock
  settings: Pick<Settings, 'privacy'>
}

type SweepServices = RetentionServices &
  ExpiryServices & {
    store: Pick<Store, 'overwriteDeleted' | 'trustsClock'>
    config: Pick<Config, 'database'>
    log: Pick<Logger, 'warn'>
  }

/** Looks once an hour, until `signal` is aborted. */
export async function keepDeletingWhatIsOld(deps: SweepServices, signal: AbortSignal): Promise<void> {
  let round = 0
  await keepLooking(() => deleteWhatIsOld(deps, signal, { daily: round++ % ROUNDS_A_DAY === 0 }), {
    ...failing(deps, signal),
    every: EVERY,
  })
}

/**
 * Deletes data that is too old (unless the clock may be wrong), and remains of people who were erased. `daily`: also
 * does the work that reads whole tables, for which once a day is enough.
 */
export async function deleteWhatIsOld(
  deps: SweepServices,
  signal: AbortSignal,
  { daily }: { daily: boolean },
): Promise<void> {
  const { store, clock, log } = deps
  const trusted = await store.trustsClock(clock.now())
  if (!trusted)
    log.warn(
      'the clock is days ahead of where it was, so nothing is deleted for its age until it has gone on for a day',
    )
  const byAge = [
    forgetClientAddresses,
    expireAudit,
    expireErasureRequests,
    expireImports,
    expireDrafts,
    expireAttachments,
    expireDeliveries,
    expireAlarms,
    expireLinks,
    ...(daily ? [planRetention, expireTasks, removeOldFiles] : []),
    eraseByRetention,
  ]
  for (const remove of [...(trusted ? byAge : []), ...(daily ? [removeErasedMessages] : []), overwriteDeleted])
    await attempt(() => remove(deps, signal), failing(deps, signal))
}

const failing = ({ log }: SweepServices, signal: AbortSignal) => ({
  log,
  failed: 'what is too old could not be deleted',
  signal,
})

type Sweep = (services: ExpiryServices, signal: AbortSignal) => Promise<void>

/** Deletes what is older than some days, in portions, until `signal` is aborted. With 0 days, deletes nothing. */
const deletesAfter =
  (
    days: number | ((privacy: Settings['privacy']) => number),
    deleteNext: (
      store: ExpiryServices['store'],
      portion: { before: number; now: number; limit: number },
    ) => Promise<boolean>,
  ): Sweep =>
  async ({ store, clock, settings }, signal) => {
    const lifetime = (typeof days === 'number' ? days : days(settings.privacy)) * DAY
    const next = () => {
      const now = clock.now()
      return deleteNext(store, { before: now - lifetime, now, limit: AT_ONCE })
    }
    if (lifetime > 0) await inPortions(next, { store, pause: PAUSE, signal })
  }

/** A draft is deleted after this many days without a change. */
export const DRAFT_DAYS = 30
const DAYS_UNFILED = 1
const DAYS_OF_DELIVERIES = 30
const DAYS_OF_ALARMS = 365
const DAYS_OF_LINKS = 30

export const forgetClientAddresses = deletesAfter(
  ({ clientAddressDays }) => clientAddressDays,
  (store, portion) => store.forgetClientAddresses(portion),
)

/** The entries of the audit log. */
export const expireAudit = deletesAfter(
  ({ auditLogDays }) => auditLogDays,
  (store, portion) => store.expireAudit(portion),
)

/** The rows of imported lists that can no longer be undone, and of lists that were never imported. */
const expireImports = deletesAfter(IMPORT_UNDO_TIME / DAY, (store, portion) => store.expireImports(portion))

/** The drafts that no one has continued. */
export const expireDrafts = deletesAfter(DRAFT_DAYS, (store, portion) => store.expireDrafts(portion))

/** Attachments of emails that were never recorded: a process died meanwhile, or someone did not send a form. */
export const expireAttachments = deletesAfter(DAYS_UNFILED, (store, portion) => store.expireAttachments(portion))

/** Old events in the logs of destinations. */
export const expireDeliveries = deletesAfter(DAYS_OF_DELIVERIES, (store, portion) => store.expireDeliveries(portion))

/** Alarms that ended long ago. */
const expireAlarms = deletesAfter(DAYS_OF_ALARMS, (store, portion) => store.expireAlarms(portion))

/** Links with which an operator could choose a password. */
const expireLinks = deletesAfter(DAYS_OF_LINKS, (store, portion) => store.expireLinks(portion))

/** Ends requests to erase someone that no one has answered; the people who asked get an email. */
async function expireErasureRequests({ store, clock }: ExpiryServices): Promise<void> {
  await store.expireErasureRequests(clock.now())
}

/** Deletes finished tasks whose subject is no longer stored. Each commit of acceptance adds a filing task. */
export async function expireTasks({ store, clock }: ExpiryServices, signal: AbortSignal): Promise<void> {
  let after: number | undefined = 0
  const removeNext = async () => {
    const now = clock.now()
    const ages = { filedBefore: now - DAYS_OF_FILING * DAY, before: now - DAYS_OF_TASKS * DAY }
    after = await store.expireTasks({ after: after ?? 0, ...ages, limit: AT_ONCE })
    return after !== undefined
  }
  await inPortions(removeNext, { store, pause: PAUSE, signal })
}

const DAYS_OF_FILING = 30
/** Tasks are kept this long: longer than any digest, report or notice of an erasure looks back. */
const DAYS_OF_TASKS = 400

/** Removes old databases that were moved aside, and old captured emails. */
export async function removeOldFiles({ clock, config }: Pick<SweepServices, 'clock' | 'config'>): Promise<void> {
  const { database, dataDir } = config
  const now = clock.now()
  if (database.engine === 'sqlite') removeReplaced(database.file, now)
  await removeOldCaptured(join(dataDir, 'mail'), { before: now - DAYS_OF_FILES * DAY })
}

const DAYS_OF_FILES = 30

/** Tries again, because another program may have read the file when someone was erased. */
const overwriteDeleted = ({ store }: SweepServices): Promise<void> => store.overwriteDeleted()
