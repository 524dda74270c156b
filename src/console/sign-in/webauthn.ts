/**
 * Passkeys (Web Authentication Level 3): instead of a password and a code, a device that unlocks with a finger, a face
 * or a PIN proves who someone is. The library that verifies them is loaded only when a passkey is used.
 */
import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { parsedJson } from '../../platform/json.ts'
import { isSigned, signature } from '../../platform/signature.ts'
import { MINUTE } from '../../platform/time.ts'
import type { Operator } from '../../store/operators/operators.ts'
import type { Passkey } from '../../store/operators/passkeys.ts'
import type { ConsoleDeps } from '../frame/context.ts'

/** How long the challenge on a page works, in milliseconds. */
const CHALLENGE_LIFETIME = 10 * MINUTE

/** What the browser needs to use a passkey. It does not name a person, so no one learns from it who has an account. */
export const signInOptions = (deps: ConsoleDeps) => ({
  challenge: newChallenge(deps, 'get'),
  rpId: hostOf(deps),
  userVerification: 'required',
})

/** What the browser needs to make a passkey. */
export const registrationOptions = (
  deps: ConsoleDeps,
  { id, email, name }: Operator,
  existing: readonly Passkey[],
) => ({
  challenge: newChallenge(deps, 'create'),
  rp: { id: hostOf(deps), name: deps.settings.school.name },
  user: { id: Buffer.from(`operator ${id}`).toString('base64url'), name: email, displayName: name },
  // EdDSA, ES256 and RS256, which the library can verify.
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
      ...expected(deps, 'create'),
    })
    if (!verified) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
  } catch {
    return undefined
  }
}

/**
 * The operator whose passkey has signed the challenge, with the passkey's id; undefined if none has. If the counter of
 * the passkey is behind, someone uses a copy (Web Authentication Level 3, section 7.2): it does not let anyone in, and
 * the audit log says so.
 */
export async function verifyPasskey(
  deps: ConsoleDeps,
  text: string,
  network: string,
): Promise<{ operator: Operator; passkey: string } | undefined> {
  const { store, clock, log } = deps
  const response = readJson(text)
  if (!isCredentialId(response?.id)) return undefined
  const found = await store.readPasskey(response.id)
  if (found === undefined || found.operator.disabled) return undefined
  const { operator, passkey } = found
  const { id, publicKey, counter } = passkey
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  // If we passed the counter, the library would check it before it verifies the signature.
  const credential = { id, counter: 0, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')) }
  const result = await verifyAuthenticationResponse({ response, credential, ...expected(deps, 'get') }).catch(
    () => undefined,
  )
  if (!result?.verified) return undefined
  const now = clock.now()
  const { newCounter } = result.authenticationInfo
  if (counter > 0 && newCounter <= counter) {
    const [operatorId, actor] = [operator.id, operator.name]
    const action = 'was not let in: a copy of a passkey was used'
    await store.recordCopiedPasskey({ at: now, operatorId, actor, action, detail: passkey.name, network })
    log.warn({ operator: operatorId }, 'a copy of a passkey was used')
    return undefined
  }
  await store.recordPasskeyUse(id, { counter: newCounter, now })
  return { operator, passkey: id }
}

const expected = (deps: ConsoleDeps, use: Use) => ({
  expectedChallenge: (challenge: string) => redeemChallenge(deps, use, challenge),
  expectedOrigin: new URL(deps.config.consoleUrl).origin,
  expectedRPID: hostOf(deps),
  requireUserVerification: true,
})

const hostOf = ({ config }: ConsoleDeps): string => new URL(config.consoleUrl).hostname

const readJson = (text: string) => parsedJson(text) as AuthenticationResponseJSON | undefined

/** The id of the passkey that a response is about. */
export const parsedId = (text: string): unknown => readJson(text)?.id

/** Whether it can be the id of a passkey, which is base64url. PostgreSQL accepts no NUL, which JSON can have. */
const isCredentialId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]+$/.test(id)

/** Whether a challenge is for using a passkey or for making one. */
type Use = 'get' | 'create'

const purposeOf = (use: Use): string => `passkey ${use}`

/** A challenge is random and signed together with its expiry, so no process has to remember it until it is used. */
function newChallenge({ secretKey, clock }: ConsoleDeps, use: Use): string {
  const text = `${randomBytes(16).toString('base64url')}.${clock.now() + CHALLENGE_LIFETIME}`
  return Buffer.from(`${text}.${signature(secretKey, purposeOf(use), text)}`).toString('base64url')
}

/** Whether a challenge is ours and unused (Web Authentication Level 3, section 13.4.3). From then on, it is used. */
async function redeemChallenge({ secretKey, clock, store }: ConsoleDeps, use: Use, challenge: string) {
  const [nonce = '', end = '', signed = ''] = Buffer.from(challenge, 'base64url').toString().split('.')
  const now = clock.now()
  if (!isSigned(secretKey, purposeOf(use), `${nonce}.${end}`, signed) || Number(end) <= now) return false
  const { points } = await store.count(`passkey challenge ${nonce}`, { add: 1, duration: CHALLENGE_LIFETIME, now })
  return points === 1
}
