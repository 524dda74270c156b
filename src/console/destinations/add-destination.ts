/** Adds a checked destination, with new keys: either an admin added it, or a program subscribed. */
import { randomUUID } from 'node:crypto'
import { MOST_DESTINATIONS } from '../../destinations/deliver.ts'
import type { DestinationKind, Sealed, Values } from '../../destinations/destination-kind.ts'
import { sealSettings } from '../../destinations/sealed-settings.ts'
import type { DestinationChoices } from '../../store/destinations/destinations.ts'
import type { AuditEntry } from '../../store/operators/audit-log.ts'
import type { ConsoleDeps } from '../frame/context.ts'

type Adding = {
  /** The kind, with its name in `kinds.ts`. */
  kind: [id: string, DestinationKind]
  choices: Omit<DestinationChoices, 'host' | 'sealed'>
  values: Values
  audit: AuditEntry[]
  /** If a destination with this `ref` exists, that one is the result. Default: a new one is added. */
  ref?: string
  tokenId?: number
}

export const TOO_MANY = `There are ${MOST_DESTINATIONS} destinations already. Delete one first.`

/** These keys are for a new destination. One that existed before has its own. */
export async function addDestination(
  { store, clock, secretKey }: Pick<ConsoleDeps, 'store' | 'clock' | 'secretKey'>,
  { kind: [id, kind], choices, values, audit, ref = randomUUID(), ...more }: Adding,
): Promise<{ id: number; added: boolean; keys: unknown } | 'too many'> {
  const sealed: Sealed = { values, ...(kind.keys && { keys: kind.keys.make() }) }
  const host = new URL(values['url'] ?? '').host
  const added = await store.addDestination(
    { ...choices, ...more, ref, kind: id, host, sealed: sealSettings(secretKey, ref, sealed) },
    { most: MOST_DESTINATIONS, audit, now: clock.now() },
  )
  return added === 'too many' ? added : { ...added, keys: sealed.keys }
}
