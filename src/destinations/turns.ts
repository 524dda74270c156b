/** Whose turn it is: a destination gets a few events at a time, and the others that were claimed wait here. */
import { SECOND } from '../platform/time.ts'

/** How many events a destination gets at a time, for different leads. */
export const AT_ONCE = 2

/**
 * After this long without a response, in milliseconds, the events that wait for the same destination are given back, so
 * that they are not looked at again and again.
 */
const LONGEST_TURN = SECOND

type Turn = {
  /** How many events are under way. */
  running: number
  /** Called when a waiting event may check again. */
  waiting: (() => void)[]
  /** When an event last began or ended (performance.now()): a full destination has been full since then. */
  fullSince: number
}

export class Turns {
  readonly #turns = new Map<number, Turn>()
  readonly #emptied: () => void

  /** `emptied`: called when the last event that waited for a destination has its turn, so that more can be claimed. */
  constructor(emptied: () => void) {
    this.#emptied = emptied
  }

  isFull(id: number): boolean {
    return this.#of(id).running >= AT_ONCE
  }

  isIdle(id: number): boolean {
    return this.#of(id).running === 0
  }

  /** The destinations for which events wait. */
  get crowded(): number[] {
    return [...this.#turns].flatMap(([id, { waiting }]) => (waiting.length > 0 ? id : []))
  }

  begin(id: number): void {
    const turn = this.#of(id)
    turn.running++
    turn.fullSince = performance.now()
  }

  /** Undoes the beginning of an event. */
  cancel(id: number): void {
    this.#of(id).running--
  }

  end(id: number): void {
    this.cancel(id)
    this.#of(id).fullSince = performance.now()
    this.wakeNext(id)
  }

  /** Lets the next waiting event check whether it is its turn. */
  wakeNext(id: number): void {
    const { waiting } = this.#of(id)
    const next = waiting.shift()
    next?.()
    if (next !== undefined && waiting.length === 0) this.#emptied()
  }

  /** Waits for a turn; false if the events under way have taken long without ending. */
  next(id: number): Promise<boolean> {
    const turn = this.#of(id)
    return new Promise(resolve => {
      let timer: NodeJS.Timeout
      const wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const giveUpInTime = () => {
        const left = turn.fullSince + LONGEST_TURN - performance.now()
        if (left > 0) {
          timer = setTimeout(giveUpInTime, left)
          return
        }
        turn.waiting = turn.waiting.filter(one => one !== wake)
        resolve(false)
      }
      turn.waiting.push(wake)
      giveUpInTime()
    })
  }

  #of(id: number): Turn {
    const known = this.#turns.get(id)
    if (known !== undefined) return known
    const turn = { running: 0, waiting: [], fullSince: 0 }
    this.#turns.set(id, turn)
    return turn
  }
}
