/**
 * The keys of a webhook, and signing with them (Standard Webhooks 1.0.0): `v1` is HMAC-SHA256 with a shared secret,
 * `v1a` ed25519 with a key that only we have.
 */
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export type WebhookKeys = {
  /** The shared secret, as `whsec_…`. */
  secret: string
  /** The private ed25519 key, PKCS #8 in base64. */
  privateKey: string
}

export function newKeys(): WebhookKeys {
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  })
  return { secret: `whsec_${randomBytes(32).toString('base64')}`, privateKey: privateKey.toString('base64') }
}

/** The public key, as `whpk_…`: its 32 bytes are the last of the SPKI encoding (RFC 8410). */
export const publicKeyOf = (keys: WebhookKeys): string =>
  `whpk_${createPublicKey(keyOf(keys)).export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')}`

/** The headers of an attempt at the moment `now`, signed with each of these keys. */
export function signedHeaders(
  { id, body, now }: { id: string; body: string; now: number },
  everyKeys: readonly WebhookKeys[],
): Record<string, string> {
  const timestamp = Math.floor(now / 1000)
  const content = Buffer.from(`${id}.${timestamp}.${body}`)
  const signatures = everyKeys.flatMap(keys => [
    `v1,${createHmac('sha256', Buffer.from(keys.secret.slice('whsec_'.length), 'base64'))
      .update(content)
      .digest('base64')}`,
    `v1a,${sign(null, content, keyOf(keys)).toString('base64')}`,
  ])
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}

const keyOf = ({ privateKey }: WebhookKeys) =>
  createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })
