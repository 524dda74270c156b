/** The secrets of authenticator apps, encrypted for the database. Each is bound to its operator. */
import { Secret } from 'otpauth'
import { type Seal, seal, unseal } from '../../platform/sealed.ts'
import type { ConsoleDeps } from '../frame/context.ts'

/** Logs how many secrets can no longer be read. Never throws. */
export async function reportUnreadableSecrets({
  store,
  secretKey,
  log,
}: Pick<ConsoleDeps, 'store' | 'secretKey' | 'log'>): Promise<void> {
  try {
    const secrets = await store.listTotpSecrets()
    const unreadable = secrets.filter(one => openSecret(secretKey, one.operatorId, one.secret) === undefined)
    if (unreadable.length > 0) log.warn({ operators: unreadable.length }, UNREADABLE)
  } catch (error) {
    log.warn({ err: error }, 'the secrets of authenticator apps could not be checked')
  }
}

const UNREADABLE =
  'codes from authenticator apps cannot be checked, because SECRET_KEY was changed or lost: set it to the value that it had, ' +
  'or let these operators sign in with a recovery code, or reset them: npx frontdesk operators reset <email>'

/** A secret in base32, encrypted; also base32. */
export const sealSecret = (secretKey: string, operatorId: number, secret: string): string =>
  toBase32(seal(sealOf(secretKey, operatorId), fromBase32(secret)))

/** The secret in base32; undefined if it cannot be read, because the secret that signs links was changed or lost. */
export function openSecret(secretKey: string, operatorId: number, sealed: string): string | undefined {
  const opened = unseal(sealOf(secretKey, operatorId), fromBase32(sealed))
  return opened && toBase32(opened)
}

const sealOf = (secretKey: string, operatorId: number): Seal => ({
  secretKey,
  purpose: 'second factor',
  owner: `operator ${operatorId}`,
})

const fromBase32 = (text: string): Buffer => Buffer.from(Secret.fromBase32(text).bytes)

const toBase32 = (bytes: Buffer): string => new Secret({ buffer: new Uint8Array(bytes).buffer }).base32
