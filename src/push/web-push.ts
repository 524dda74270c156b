/**
 * Wakes up a browser through its maker's service (RFC 8030), with our own key (RFC 8292). The message is empty, and the
 * browser then asks us what to show. So no one else ever has the content, and nothing needs to be encrypted.
 */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { request as overHttp } from 'node:http'
import { request } from 'node:https'
import { HOUR, SECOND } from '../platform/time.ts'

/** The hosts at which browser makers accept messages. Their subdomains count, too. */
const SERVICES = ['fcm.googleapis.com', 'push.services.mozilla.com', 'push.apple.com', 'notify.windows.com']

/** The longest URL, in characters; those in use have 200 to 500. */
const LONGEST_ENDPOINT = 1000

/** Whether the URL belongs to a known push service. We send to no other host, whatever URL a client gives us. */
export function isPushService(endpoint: string): boolean {
  const url = URL.parse(endpoint)
  if (url === null || url.protocol !== 'https:' || endpoint.length > LONGEST_ENDPOINT) return false
  if (url.port !== '' || url.username !== '') return false
  return SERVICES.some(host => url.hostname === host || url.hostname.endsWith(`.${host}`))
}

export const newPushKey = (): string =>
  JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }))

/** The public key in the form that browsers and their makers require: the point, uncompressed, in base64url. */
export function publicKeyOf(key: string): string {
  const { x = '', y = '' } = JSON.parse(key)
  const point = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  return Buffer.concat(point).toString('base64url')
}

/** `gone`: the browser no longer receives anything at this URL, and never will. */
export type PushResult = 'woken' | 'gone' | 'failed'

const TIMEOUT = 5 * SECOND

/** How long the maker keeps a message for a device that is off, in seconds. */
const KEPT = HOUR / SECOND

/** Wakes up one browser; its maker may write to `contact`. Never rejects; `failed` after 5 seconds. */
export function wakeBrowser(
  endpoint: string,
  { key, contact, now }: { key: string; contact: string; now: number },
): Promise<PushResult> {
  const { promise, resolve } = Promise.withResolvers<PushResult>()
  const { origin, protocol } = new URL(endpoint)
  const claims = { aud: origin, exp: Math.floor((now + 12 * HOUR) / SECOND), sub: contact }
  const options = {
    method: 'POST',
    headers: {
      Authorization: `vapid t=${tokenOf(claims, key)}, k=${publicKeyOf(key)}`,
      TTL: String(KEPT),
      Urgency: 'high',
      'Content-Length': '0',
    },
    signal: AbortSignal.timeout(TIMEOUT),
  }
  ;(protocol === 'http:' ? overHttp : request)(endpoint, options, response => {
    response.resume()
    const { statusCode = 0 } = response
    resolve(statusCode === 404 || statusCode === 410 ? 'gone' : statusCode < 300 ? 'woken' : 'failed')
  })
    .on('error', () => resolve('failed'))
    // A connection that switches to another protocol ends without an error.
    .once('close', () => resolve('failed'))
    .end()
  return promise
}

/** A JSON Web Token, signed with ES256 (RFC 7518 section 3.4). */
function tokenOf(claims: object, key: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`
  const privateKey = createPrivateKey({ key: JSON.parse(key), format: 'jwk' })
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}
