/** Keeps a learning site that is slow or down from delaying inquiries. */
import { bulkhead, CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll, isBrokenCircuitError } from 'cockatiel'
import type { Logger } from 'pino'

/** How many lookups may be under way at the same time. */
const AT_ONCE = 20

/** After this many failures in a row, no requests are sent for PAUSE milliseconds. */
const FAILURES = 5
const PAUSE = 30_000

/**
 * Allows 20 lookups at the same time. After five failures in a row, allows none for 30 seconds; then a single one probes the
 * site. Resolves to undefined while the circuit is open, and rejects as `lookUp` does.
 */
export function withCircuitBreaker(
  lookUp: (email: string) => Promise<boolean>,
  log: Logger,
): (email: string) => Promise<boolean | undefined> {
  const slots = bulkhead(AT_ONCE)
  const circuit = circuitBreaker(handleAll, { halfOpenAfter: PAUSE, breaker: new ConsecutiveBreaker(FAILURES) })
  let down = false
  circuit.onBreak(() => {
    // The circuit opens again after each probe that fails, so this logs only the first time.
    if (!down) log.warn('the learning site keeps failing, so we ask it only every 30 seconds')
    down = true
  })
  circuit.onReset(() => {
    down = false
    log.info('the learning site responds again')
  })
  return async email => {
    // While a probe is under way, the library would make all other lookups wait for it.
    if (circuit.state === CircuitState.HalfOpen) return undefined
    if (slots.executionSlots === 0) throw new Error(`${AT_ONCE} lookups are already under way`)
    try {
      return await slots.execute(() => circuit.execute(() => lookUp(email)))
    } catch (error) {
      if (isBrokenCircuitError(error)) return undefined
      throw error
    }
  }
}
