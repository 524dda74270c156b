/** The settings of a destination and its keys, encrypted for the database and bound to the destination. */
import { type Seal, seal, unseal } from '../platform/sealed.ts'
import type { Destination } from '../store/destinations/destinations.ts'
import type { Sealed } from './destination-kind.ts'

export const sealSettings = (secretKey: string, ref: string, settings: Sealed): string =>
  seal(sealOf(secretKey, ref), Buffer.from(JSON.stringify(settings))).toString('base64url')

/** The decrypted settings; undefined if they cannot be read, because SECRET_KEY was changed or lost. */
export function openSettings(
  secretKey: string,
  { ref, sealed }: Pick<Destination, 'ref' | 'sealed'>,
): Sealed | undefined {
  const opened = unseal(sealOf(secretKey, ref), Buffer.from(sealed, 'base64url'))
  return opened && JSON.parse(opened.toString())
}

const sealOf = (secretKey: string, ref: string): Seal => ({
  secretKey,
  purpose: 'destinations',
  owner: `destination ${ref}`,
})
