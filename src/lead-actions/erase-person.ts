/** Erasing a person: what they sent, what is recorded about them, and the emails captured on this computer. */
import { join } from 'node:path'
import { mailboxHash } from '../leads/body/mailbox-key.ts'
import type { AskedReason } from '../leads/lead/erasure-reasons.ts'
import { removeCaptured } from '../mail/transport/files.ts'
import type { AuditEntry } from '../store/operators/audit-log.ts'
import type { ErasureReport } from '../store/privacy/erasure.ts'
import type { ErasureRequest } from '../store/privacy/erasure-requests.ts'
import type { Services } from './services.ts'

/** What was erased. `captured`: how many captured emails. */
export type Erased = ErasureReport & { captured: number }

type Erasing = { reason: AskedReason; askedBy: string; audit?: readonly AuditEntry[] }

/**
 * Erases the person with this address or number (E.164). If they asked for it, all their addresses are suppressed. The
 * number of a person without an address is not kept, because no email ever goes to a number.
 */
export async function erasePerson(
  services: Services,
  person: string,
  { reason, ...erasing }: Erasing,
): Promise<Erased> {
  const { store, clock } = services
  const hashes = await suppressedFor(services, person, reason)
  return withCaptured(services, await store.erasePerson(person, { reason, ...erasing, ...hashes, now: clock.now() }))
}

/** Erases the person of a request that another operator made; undefined if the request is no longer open. */
export async function confirmErasure(
  services: Services,
  { id, reason }: Pick<ErasureRequest, 'id' | 'reason'>,
  { person, ...by }: { person: string; operator: { id: number; name: string }; audit: readonly AuditEntry[] },
): Promise<Erased | undefined> {
  const { store, clock } = services
  const hashes = await suppressedFor(services, person, reason)
  const erased = await store.confirmErasure(id, { ...by, ...hashes, now: clock.now() })
  return erased && withCaptured(services, erased)
}

async function suppressedFor({ store, addressSecret }: Services, person: string, reason: AskedReason) {
  const addresses = reason === 'asked' ? await store.addressesOfPerson(person) : []
  const [addressHash, ...otherHashes] = addresses.map(one => mailboxHash(addressSecret, one))
  return { addressHash, otherHashes }
}

async function withCaptured({ config, changed }: Services, erased: ErasureReport): Promise<Erased> {
  changed()
  return { ...erased, captured: await removeCaptured(join(config.dataDir, 'mail'), erased.messages) }
}
