/** Counts what may be an attack, for the log (OWASP ASVS 5.0, 16.3): at most one line a minute, without names. */
import type { Logger } from 'pino'
import { MINUTE } from '../platform/time.ts'

/**
 * A client over its rate limit, a lockout, a submission caught by the honeypot, a link that is not
 * valid, a sign-in to the console that failed or must wait, a request to the private API without a valid token.
 */
export type SecurityEvent =
  | 'rateLimited'
  | 'lockedOut'
  | 'trapped'
  | 'rejectedLinks'
  | 'failedSignIns'
  | 'rejectedTokens'

export class SecurityEvents {
  readonly #log: Logger
  #counts: Partial<Record<SecurityEvent, number>> = {}
  #timer: NodeJS.Timeout | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  count(event: SecurityEvent): void {
    this.#counts[event] = (this.#counts[event] ?? 0) + 1
    this.#timer ??= setTimeout(() => this.report(), MINUTE).unref()
  }

  /** Logs the counts since the last line, if there are any. */
  report(): void {
    clearTimeout(this.#timer)
    if (this.#timer !== undefined) this.#log.warn(this.#counts, 'security events')
    this.#timer = undefined
    this.#counts = {}
  }
}
