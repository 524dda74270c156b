/** Decides whose file is made next, so that one person's many files do not make others wait. */
import type { ServerResponse } from 'node:http'
import { SECOND } from '../../platform/time.ts'

/** How many files can be in progress for one operator in this process, and how many can wait. */
const AT_ONCE = 2
const MOST_WAITING = 8

/** How long a file waits for its turn, in milliseconds. A connection that is idle a little longer is closed. */
const TIMEOUT = 10 * SECOND

type Line = { underWay: number; waiting: Set<() => void> }

export class Turns {
  readonly #lines = new Map<number, Line>()
  readonly #timeout: number

  constructor(timeout = TIMEOUT) {
    this.#timeout = timeout
  }

  /**
   * True once it is this response's turn, which lasts until the response is closed. False if too many wait already, if
   * the wait was too long, or if the client has left.
   */
  async take(operator: number, response: Pick<ServerResponse, 'closed' | 'once' | 'off'>): Promise<boolean> {
    const line = this.#lines.get(operator) ?? { underWay: 0, waiting: new Set() }
    this.#lines.set(operator, line)
    if (line.underWay < AT_ONCE) line.underWay++
    else if (line.waiting.size >= MOST_WAITING || !(await this.#wait(line, response))) return false
    const end = () => this.#end(operator, line)
    if (response.closed) end()
    else response.once('close', end)
    return !response.closed
  }

  #wait(line: Line, response: Pick<ServerResponse, 'once' | 'off'>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const begin = () => resolve(true)
    const giveUp = () => {
      line.waiting.delete(begin)
      resolve(false)
    }
    line.waiting.add(begin)
    response.once('close', giveUp)
    const timer = setTimeout(giveUp, this.#timeout)
    return promise.finally(() => {
      clearTimeout(timer)
      response.off('close', giveUp)
    })
  }

  /** The place goes to the response that has waited longest. */
  #end(operator: number, line: Line): void {
    const [next] = line.waiting
    if (next !== undefined) {
      line.waiting.delete(next)
      next()
    } else if (--line.underWay === 0) this.#lines.delete(operator)
  }
}
