/** Notifies someone else if a message about a lead does not reach someone at the school. */
import { parseEmail } from '../../leads/body/email.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { failedDeliveryDetail } from '../../leads/lead/timeline-details.ts'
import type { Addressees } from '../../mail/staff-addressees.ts'
import type { Mailbox } from '../../mail/transport/mailer.ts'
import type { Clock } from '../../platform/time.ts'
import type { UndeliveredReport } from '../../store/mail/person-events.ts'
import type { Store } from '../../store/store.ts'
import { GIVE_UP_AFTER } from '../lanes/retry.ts'
import { type DeliveryServices, type Failure, suppressUnknownAddress } from './delivery.ts'

type UndeliveredServices = {
  store: Pick<Store, 'recordUndelivered' | 'lastSentAt'>
  clock: Clock
  addressees: Pick<Addressees, 'otherMailbox'>
}

/** A failed attempt to send a message. `to` is missing if the message could not even be made. */
export type FailedAttempt = { failure: Failure; to: Mailbox | undefined }

/** Tells others what a failure means for the lead that the message was about. */
export async function reportFailure(
  deps: UndeliveredServices & DeliveryServices,
  lead: Lead,
  { failure, to }: FailedAttempt,
  { toStudent }: { toStudent: boolean },
): Promise<void> {
  if (!toStudent) {
    if (to !== undefined) await reportUndelivered(deps, lead, to, failure)
  } else if (failure.unknownAddress) {
    // Someone may have corrected the address of the lead meanwhile.
    const email = parseEmail(to?.address ?? '') ?? lead.email
    if (email !== null) await suppressUnknownAddress(deps, { id: lead.id, email }, failure.summary)
  }
}

/**
 * Records in the lead's timeline that the mailbox of a staff member does not exist, that a message to them was given
 * up, or that the mail server keeps rejecting or deferring it while other mail goes out: most often for what the person
 * wrote. Notifies the team or the manager, if that is another mailbox, without the person's words. This happens once
 * for each lead and reason, however many messages and attempts fail.
 */
async function reportUndelivered(
  deps: UndeliveredServices,
  lead: Lead,
  to: Mailbox,
  { final, unknownAddress, refusedSince, summary }: Failure,
): Promise<void> {
  const now = deps.clock.now()
  const sentAt = refusedSince === null ? null : await deps.store.lastSentAt(now)
  const isOnlyThis = refusedSince !== null && sentAt !== null && sentAt > refusedSince
  if (!final && !unknownAddress && !isOnlyThis) return
  await deps.store.recordUndelivered(lead.id, undeliveredReport(deps, lead, to, summary, now), now)
}

/** What to record about a message that did not reach a staff mailbox; `reason` is a sentence. */
export function undeliveredReport(
  { addressees }: Pick<UndeliveredServices, 'addressees'>,
  lead: Lead,
  { name, address }: Mailbox,
  reason: string,
  now: number,
): UndeliveredReport {
  return {
    detail: failedDeliveryDetail({ name, address, reason }),
    since: now - GIVE_UP_AFTER,
    tell: addressees.otherMailbox(lead, address) !== undefined,
  }
}
