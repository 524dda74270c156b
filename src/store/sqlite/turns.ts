/** The order of calls in the thread of SQLite: one at a time, since no call may see the open transaction of another. */
import type { DatabaseSync } from 'node:sqlite'

export type Call = {
  /**
   * `urgent`: a client waits for it. `read`: it changes nothing. `write`: it may share a commit with others. `alone`:
   * it may not.
   */
  kind: 'urgent' | 'read' | 'write' | 'alone'
  run: () => unknown
  /** Receives the result once it is on the disk. */
  done: (result: unknown) => void
  failed: (error: unknown) => void
}

/**
 * If urgent calls take this long, in milliseconds, the disk is slow, and one of them is nearly always waiting. Then,
 * between two of them, others get a turn.
 */
const SLOW = 15
/** How much the last urgent call weighs in the average time that they take. */
const NEWEST_SHARE = 0.1

/** On a slow disk, between two urgent calls: how long reads may take, and how long writes gather, in milliseconds. */
const READS = 20
const GATHERED = 20

/**
 * Returns how to do a call in its turn. Urgent calls go first. On a slow disk, each urgent call is followed by the
 * waiting reads, which need no sync, and by the waiting writes, in one commit: so the work that follows from
 * submissions keeps up, and an urgent call waits for at most one commit of others.
 */
export function callsInTurn(raw: DatabaseSync): (call: Call) => Promise<void> {
  const queue: Call[] = []
  let working = false
  let usual = 0
  /** How much time others have had since the last urgent call. */
  let others = { reads: 0, writes: 0 }

  const isSlow = () => usual >= SLOW
  const first = (...kinds: Call['kind'][]) => queue.find(({ kind }) => kinds.includes(kind))
  const next = (): Call | undefined => {
    const urgent = first('urgent')
    if (urgent === undefined || !isSlow()) return urgent ?? queue[0]
    const read = others.reads < READS ? first('read') : undefined
    return read ?? (others.writes === 0 ? first('write', 'alone') : undefined) ?? urgent
  }
  const take = (call: Call | undefined) => (call === undefined ? undefined : queue.splice(queue.indexOf(call), 1)[0])

  const doNext = async (call: Call) => {
    const began = performance.now()
    const took = () => performance.now() - began
    if (call.kind === 'write' && isSlow()) {
      await inOneCommit(raw, call, () => (took() < GATHERED ? take(first('write')) : undefined))
    } else await alone(call)
    if (call.kind === 'urgent') {
      usual += NEWEST_SHARE * (took() - usual)
      others = { reads: 0, writes: 0 }
    } else if (call.kind === 'read') others.reads += took()
    else others.writes += 1
  }

  return async added => {
    queue.push(added)
    if (working) return
    working = true
    for (let call = take(next()); call !== undefined; call = take(next())) {
      await doNext(call)
      // A call that arrived meanwhile may be more urgent than the waiting ones.
      await new Promise(resolve => setImmediate(resolve))
    }
    working = false
  }
}

async function alone({ run, done, failed }: Call): Promise<void> {
  try {
    done(await run())
  } catch (error) {
    failed(error)
  }
}

/**
 * Does the work of several calls with one sync. The transaction of each is a savepoint, so if one fails, the others
 * still succeed. If the commit fails, or SQLite gives up the transaction, for example on a full disk, all have failed.
 */
async function inOneCommit(raw: DatabaseSync, first: Call, another: () => Call | undefined): Promise<void> {
  const calls: { call: Call; result: unknown }[] = []
  let call: Call | undefined = first
  try {
    raw.exec('begin immediate')
    for (; call !== undefined; call = another()) {
      try {
        calls.push({ call, result: await call.run() })
      } catch (error) {
        if (!raw.isTransaction) throw error
        call.failed(error)
      }
    }
    raw.exec('commit')
  } catch (error) {
    if (raw.isTransaction) raw.exec('rollback')
    call?.failed(error)
    for (const { call } of calls) call.failed(error)
    return
  }
  for (const { call, result } of calls) call.done(result)
}
