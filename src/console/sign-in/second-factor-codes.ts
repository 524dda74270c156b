/**
 * The second factor: codes from an authenticator app (RFC 6238), or a recovery code. After the password, a signed token
 * says that this person has passed the first step.
 */
import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { secretHash } from '../../platform/secret.ts'
import { isSigned, signature } from '../../platform/signature.ts'
import { MINUTE, SECOND } from '../../platform/time.ts'
import type { ConsoleDeps } from '../frame/context.ts'

const PERIOD = 30 * SECOND

/** How long someone may take between the password and the code, in milliseconds. */
const TOKEN_LIFETIME = 5 * MINUTE

export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

/** The format of the secret of an authenticator app, before it is encrypted. */
export const PLAIN_TOTP_SECRET = /^[A-Z2-7]{32}$/

/** The URL that an authenticator app reads from a QR code. */
export const totpUrl = (secret: string, email: string, school: string): string =>
  totpOf(secret, email, school).toString()

const totpOf = (secret: string, label = '', issuer = ''): TOTP =>
  new TOTP({ secret: Secret.fromBase32(secret), label, issuer, period: PERIOD / SECOND })

/** The time step of a code: the current one or the one before or after it. Undefined if the code fits none of them. */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  const token = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const delta = totpOf(secret).validate({ token, timestamp: now, window: 1 })
  return delta === null ? undefined : Math.floor(now / PERIOD) + delta
}

/** Ten codes of 50 random bits, each for use once. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: 10 }, () => {
    const letters = new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32
    return `${letters.slice(0, 5)}-${letters.slice(5, 10)}`.toLowerCase()
  })

/** A recovery code in the form that is stored, whichever way someone typed it. */
export const recoveryHash = (code: string): string => secretHash(code.toLowerCase().replace(/[^a-z2-7]/g, ''))

/**
 * Whether a code from the app, or a recovery code, is correct and was not used before. If so, it now counts as used.
 * Without a secret, only recovery codes can be correct.
 */
export async function redeemCode(
  { store, clock }: Pick<ConsoleDeps, 'store' | 'clock'>,
  { operatorId, totpSecret, code }: { operatorId: number; totpSecret: string | undefined; code: string },
): Promise<boolean> {
  const step = totpSecret && totpStep(totpSecret, code, clock.now())
  if (typeof step === 'number') return store.useTotpStep(operatorId, step)
  return store.useRecoveryCode(operatorId, recoveryHash(code))
}

/** A token that says that the operator's password was right. It is no longer valid once the password changes. */
export function passwordToken(secretKey: string, found: FirstStep, now: number): string {
  const text = `${found.operator.id}.${now + TOKEN_LIFETIME}`
  return `${text}.${signature(secretKey, purposeOf(found), text)}`
}

/** Whether the token says that this operator's password was right. */
export function isPasswordToken(secretKey: string, token: string, found: FirstStep, now: number): boolean {
  const [id = '', expiry = '', signed = ''] = token.split('.')
  return (
    isSigned(secretKey, purposeOf(found), `${id}.${expiry}`, signed) &&
    Number(id) === found.operator.id &&
    Number(expiry) > now
  )
}

type FirstStep = { operator: { id: number }; password: string | null }

const purposeOf = ({ password }: FirstStep): string => `second factor after ${password}`
