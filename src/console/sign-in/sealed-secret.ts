/**
 * The secrets of authenticator apps as the database has them: encrypted with AES-256-GCM (NIST SP 800-38D)
 * under a key that HKDF (RFC 5869) derives from the secret that signs links. Each is bound to its operator.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Secret } from 'otpauth'
import type { ConsoleDeps } from '../frame/context.ts'

const NONCE = 12
const TAG = 16

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
export function sealSecret(secretKey: string, operatorId: number, secret: string): string {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(secretKey), nonce)
  cipher.setAAD(Buffer.from(`operator ${operatorId}`))
  const sealed = [cipher.update(Buffer.from(Secret.fromBase32(secret).bytes)), cipher.final()]
  return toBase32(Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]))
}

/** The secret in base32; undefined if it cannot be read, because the secret that signs links was changed or lost. */
export function openSecret(secretKey: string, operatorId: number, sealed: string): string | undefined {
  try {
    const bytes = Buffer.from(Secret.fromBase32(sealed).bytes)
    const decipher = createDecipheriv('aes-256-gcm', keyFrom(secretKey), bytes.subarray(0, NONCE), {
      authTagLength: TAG,
    })
    decipher.setAAD(Buffer.from(`operator ${operatorId}`))
    decipher.setAuthTag(bytes.subarray(-TAG))
    const opened = [decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]
    return toBase32(Buffer.concat(opened))
  } catch {
    return undefined
  }
}

const keyFrom = (secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'frontdesk second factor', 32))

const toBase32 = (bytes: Buffer): string => new Secret({ buffer: new Uint8Array(bytes).buffer }).base32
