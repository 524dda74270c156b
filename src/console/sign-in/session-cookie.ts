/** The cookie of a session: a random token. The database has only its hash. */
import { newSecret, secretHash } from '../../platform/secret.ts'
import type { AuditEntry } from '../../store/operators/audit-log.ts'
import type { Proof } from '../../store/operators/proof.ts'
import { SESSION_LIFETIME } from '../../store/operators/sessions.ts'
import { browserName } from '../frame/browser-name.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { dropCookie, keepCookie, readCookie } from '../frame/host-cookie.ts'
import { rememberDevice } from './throttle.ts'

const NAME = 'session'

/** The hash of the token that the browser has sent; undefined without one. */
export function sessionOf(c: ConsoleContext): string | undefined {
  const token = readCookie(c, NAME)
  return token ? secretHash(token) : undefined
}

/**
 * Begins a session with a new token; the browser's previous session ends. Returns false if the operator's proof of
 * identity is no longer valid.
 */
export async function beginSession(
  c: ConsoleContext,
  operatorId: number,
  proof: Proof,
  audit: readonly AuditEntry[] = [],
): Promise<boolean> {
  const { store, clock, networkOf } = c.get('frame').deps
  const token = newSecret()
  const began = await store.addSession(operatorId, {
    tokenHash: secretHash(token),
    network: networkOf(c.env.incoming),
    browser: browserName(c.req.header('user-agent') ?? ''),
    now: clock.now(),
    proof,
    audit,
  })
  if (!began) return false
  await leaveSession(c, operatorId)
  keepCookie(c, NAME, token, SESSION_LIFETIME)
  rememberDevice(c, operatorId)
  return true
}

/** Ends the session of this browser, if it belongs to this operator. */
export async function leaveSession(
  c: ConsoleContext,
  operatorId: number,
  audit: readonly AuditEntry[] = [],
): Promise<void> {
  const tokenHash = sessionOf(c)
  dropCookie(c, NAME)
  if (tokenHash !== undefined) await c.get('frame').deps.store.endSession(operatorId, tokenHash, audit)
}
