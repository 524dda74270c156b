/**
 * Encrypts data that the database stores, or a page contains, for us: with AES-256-GCM (NIST SP 800-38D) under a key
 * that HKDF (RFC 5869) derives, for each purpose, from the secret that signs links. Each text is bound to its owner.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'

const NONCE = 12
const TAG = 16

export type Seal = {
  secretKey: string
  /** What such texts are for, such as `second factor`. */
  purpose: string
  /** What this text belongs to, such as `operator 1`. */
  owner: string
}

export function seal({ secretKey, purpose, owner }: Seal, secret: Uint8Array): Buffer {
  const nonce = newNonce()
  const cipher = createCipheriv('aes-256-gcm', keyFor(secretKey, purpose), nonce)
  cipher.setAAD(Buffer.from(owner))
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
}

/** The text; undefined if it cannot be read, because the secret that signs links was changed or lost. */
export function unseal({ secretKey, purpose, owner }: Seal, sealed: Uint8Array): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyFor(secretKey, purpose), sealed.subarray(0, NONCE), {
      authTagLength: TAG,
    })
    decipher.setAAD(Buffer.from(owner))
    decipher.setAuthTag(sealed.subarray(-TAG))
    return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()])
  } catch {
    return undefined
  }
}

/** Each request to the system for random bytes is slow, even for few, so one request gets them for many nonces. */
const drawn = { bytes: Buffer.alloc(NONCE * 256), at: NONCE * 256 }

function newNonce(): Buffer {
  if (drawn.at === drawn.bytes.length) {
    randomFillSync(drawn.bytes)
    drawn.at = 0
  }
  drawn.at += NONCE
  return Buffer.from(drawn.bytes.subarray(drawn.at - NONCE, drawn.at))
}

const keys = new Map<string, KeyObject>()

/** Each key is derived and read only once: forms need one with every post. */
function keyFor(secretKey: string, purpose: string): KeyObject {
  const name = `${purpose} ${secretKey}`
  const key =
    keys.get(name) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', `frontdesk ${purpose}`, 32)))
  keys.set(name, key)
  return key
}
