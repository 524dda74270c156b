/**
 * Passkeys (Web Authentication Level 3): a device that unlocks with a finger, a face or a PIN proves who
 * someone is, instead of a password and a code. The library that verifies them is loaded when one is used.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { MINUTE } from '../../platform/time.ts'
import type { Operator } from '../../store/operators/operators.ts'
import type { Passkey } from '../../store/operators/passkeys.ts'
import type { ConsoleDeps } from '../frame/context.ts'

/** How long the challenge on a page works, in milliseconds. */
const CHALLENGE_LIFETIME = 10 * MINUTE

/** What the browser needs to use a passkey. It does not say whose, so it tells no one who has an account. */
export const signInOptions = (deps: ConsoleDeps) => ({
  challenge: newChallenge(deps),
  rpId: hostOf(deps),
  userVerification: 'required',
})

/** What the browser needs to make a passkey. */
export const registrationOptions = (
  deps: ConsoleDeps,
  { id, email, name }: Operator,
  existing: readonly Passkey[],
) => ({
  challenge: newChallenge(deps),
  rp: { id: hostOf(deps), name: deps.settings.school.name },
  user: { id: Buffer.from(`operator ${id}`).toString('base64url'), name: email, displayName: name },
  // EdDSA, ES256 and RS256, as the library verifies them.
  pubKeyCredParams: [-8, -7, -257].map(alg => ({ type: 'public-key', alg })),
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  attestation: 'none',
  excludeCredentials: existing.map(({ id }) => ({ type: 'public-key', id })),
})

/** The passkey that a browser has made; undefined if its response is not valid. */
export async function readNewPasskey(
  deps: ConsoleDeps,
  response: string,
): Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter'> | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: JSON.parse(response) as RegistrationResponseJSON,
      ...expected(deps),
    })
    if (!verified) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
  } catch {
    return undefined
  }
}

/** The operator whose passkey has signed the challenge; undefined if none has. */
export async function verifyPasskey(deps: ConsoleDeps, text: string): Promise<Operator | undefined> {
  const { store, clock } = deps
  const response = readJson(text)
  const found = typeof response?.id === 'string' ? await store.readPasskey(response.id) : undefined
  if (found === undefined || response === undefined || found.operator.disabled) return undefined
  const { id, publicKey, counter } = found.passkey
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const credential = { id, counter, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')) }
  const result = await verifyAuthenticationResponse({ response, credential, ...expected(deps) }).catch(() => undefined)
  if (!result?.verified) return undefined
  const used = { counter: result.authenticationInfo.newCounter, now: clock.now() }
  await store.recordPasskeyUse(id, used)
  return found.operator
}

const expected = (deps: ConsoleDeps) => ({
  expectedChallenge: (challenge: string) => isChallenge(deps, challenge),
  expectedOrigin: new URL(deps.config.consoleUrl).origin,
  expectedRPID: hostOf(deps),
  requireUserVerification: true,
})

const hostOf = ({ config }: ConsoleDeps): string => new URL(config.consoleUrl).hostname

function readJson(text: string): AuthenticationResponseJSON | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A challenge is random and signed with its end, so no process has to remember it. */
function newChallenge({ secretKey, clock }: ConsoleDeps): string {
  const body = Buffer.alloc(24)
  body.set(randomBytes(16))
  body.writeBigUInt64BE(BigInt(clock.now() + CHALLENGE_LIFETIME), 16)
  return Buffer.concat([body, signature(secretKey, body)]).toString('base64url')
}

function isChallenge({ secretKey, clock }: ConsoleDeps, challenge: string): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== 56) return false
  const [body, signed] = [bytes.subarray(0, 24), bytes.subarray(24)]
  return timingSafeEqual(signed, signature(secretKey, body)) && Number(body.readBigUInt64BE(16)) > clock.now()
}

const signature = (secretKey: string, body: Buffer): Buffer =>
  createHmac('sha256', secretKey).update('passkey\n').update(body).digest()
