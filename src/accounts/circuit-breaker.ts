/** Keeps a learning site that is slow or away from slowing down those who write in. */
import {
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  isBrokenCircuitError,
} from 'cockatiel'
import type { Logger } from 'pino'

/** How many may wait for an answer at once. */
const AT_ONCE = 20

/** After this many failures in a row nobody is asked for a while, in milliseconds. */
const FAILURES = 5
const REST = 30_000

type Ask = (email: string) => Promise<boolean>

/**
 * Lets at most 20 ask at once, and nobody for 30 seconds after five failures in a row; then one asks
 * for all. Resolves to undefined where nobody is asked for now, and rejects as `ask` does.
 */
export function withCircuitBreaker(
  ask: Ask,
  log: Logger,
): (email: string) => Promise<boolean | undefined> {
  const slots = bulkhead(AT_ONCE)
  const circuit = circuitBreaker(handleAll, {
    halfOpenAfter: REST,
    breaker: new ConsecutiveBreaker(FAILURES),
  })
  let away = false
  circuit.onBreak(() => {
    // It breaks anew each time that the one who asks for all has failed.
    if (!away) log.warn('the learning site fails, so it is asked only now and then')
    away = true
  })
  circuit.onReset(() => {
    away = false
    log.info('the learning site answers again')
  })
  return async email => {
    // The library would let the others wait for the one who asks for all.
    if (circuit.state === CircuitState.HalfOpen) return undefined
    if (slots.executionSlots === 0) throw new Error(`${AT_ONCE} wait for an answer already`)
    try {
      return await slots.execute(() => circuit.execute(() => ask(email)))
    } catch (error) {
      if (isBrokenCircuitError(error)) return undefined
      throw error
    }
  }
}
