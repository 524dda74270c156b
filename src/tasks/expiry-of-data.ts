/** Deletes, in the background, what has been stored for as long as the settings say (`privacy`). */
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { IMPORT_UNDO_TIME } from '../leads/lead/undo-window.ts'
import { type Clock, DAY, HOUR } from '../platform/time.ts'
import type { Store } from '../store/store.ts'
import { attempt, inPortions, keepLooking } from './lanes/in-portions.ts'
import { eraseByRetention, planRetention, type RetentionServices, removeErasedMessages } from './retention-erasing.ts'

/** How many rows one transaction looks at, and the pause between two, in milliseconds. */
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
    | 'backgroundDelay'
  >
  clock: Clock
  settings: Pick<Settings, 'privacy'>
}

/** Looks once an hour, until `signal` is aborted. */
export async function keepDeletingWhatIsOld(
  deps: RetentionServices & ExpiryServices & { log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const how = { log: deps.log, failed: 'what is too old could not be deleted', signal }
  let round = 0
  const deleteAll = async () => {
    const daily = round++ % ROUNDS_A_DAY === 0
    for (const remove of [
      forgetClientAddresses,
      expireAudit,
      expireErasureRequests,
      expireImports,
      expireDrafts,
      expireAttachments,
      expireDeliveries,
      expireAlarms,
      // They look at all leads, and at all files, so once a day is enough.
      ...(daily ? [planRetention, removeErasedMessages] : []),
      eraseByRetention,
    ])
      await attempt(() => remove(deps, signal), how)
  }
  await keepLooking(deleteAll, { ...how, every: EVERY })
}

/** Deletes all client addresses of submissions that are too old; stops early when `signal` is aborted. */
export async function forgetClientAddresses(
  { store, clock, settings }: ExpiryServices,
  signal: AbortSignal,
): Promise<void> {
  await removeOlder(store, settings.privacy.clientAddressDays, signal, lifetime => {
    const now = clock.now()
    return store.forgetClientAddresses({ before: now - lifetime, now, limit: AT_ONCE })
  })
}

/** Deletes all entries of the audit log that are too old; stops early when `signal` is aborted. */
export async function expireAudit({ store, clock, settings }: ExpiryServices, signal: AbortSignal): Promise<void> {
  await removeOlder(store, settings.privacy.auditLogDays, signal, lifetime =>
    store.expireAudit({ before: clock.now() - lifetime, limit: AT_ONCE }),
  )
}

/** Ends the requests to erase someone that no one has answered; those who asked get an email. */
async function expireErasureRequests({ store, clock }: ExpiryServices): Promise<void> {
  await store.expireErasureRequests(clock.now())
}

/** Deletes the rows of imported lists that can no longer be undone, and of lists that no one imported. */
export async function expireImports({ store, clock }: ExpiryServices, signal: AbortSignal): Promise<void> {
  const days = IMPORT_UNDO_TIME / DAY
  await removeOlder(store, days, signal, lifetime => store.expireImports({ before: clock.now() - lifetime }))
}

/** Without a change for so many days, a draft is deleted. */
export const DRAFT_DAYS = 30

/** Deletes the drafts that no one has gone on with. */
export async function expireDrafts({ store, clock }: ExpiryServices, signal: AbortSignal): Promise<void> {
  await removeOlder(store, DRAFT_DAYS, signal, lifetime =>
    store.expireDrafts({ before: clock.now() - lifetime, limit: AT_ONCE }),
  )
}

/** Deletes attachments of emails that were never recorded: a process died meanwhile, or someone did not send a form. */
export async function expireAttachments({ store, clock }: ExpiryServices, signal: AbortSignal): Promise<void> {
  await removeOlder(store, DAYS_UNFILED, signal, lifetime =>
    store.expireAttachments({ before: clock.now() - lifetime, limit: AT_ONCE }),
  )
}

const DAYS_UNFILED = 1

/** Deletes what destinations were told so long ago. */
export async function expireDeliveries({ store, clock }: ExpiryServices, signal: AbortSignal): Promise<void> {
  await removeOlder(store, DAYS_OF_DELIVERIES, signal, lifetime =>
    store.expireDeliveries({ before: clock.now() - lifetime, limit: AT_ONCE }),
  )
}

const DAYS_OF_DELIVERIES = 30

/** Deletes the alarms that have been over for long. */
export async function expireAlarms({ store, clock }: ExpiryServices, signal: AbortSignal): Promise<void> {
  await removeOlder(store, DAYS_OF_ALARMS, signal, lifetime => store.expireAlarms({ before: clock.now() - lifetime }))
}

const DAYS_OF_ALARMS = 365

/** Removes what is older than so many days, in portions; nothing if `days` is 0. */
async function removeOlder(
  store: ExpiryServices['store'],
  days: number,
  signal: AbortSignal,
  removeNext: (lifetime: number) => Promise<boolean>,
): Promise<void> {
  if (days > 0) await inPortions(() => removeNext(days * DAY), { store, pause: PAUSE, signal })
}
