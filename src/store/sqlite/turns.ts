/** The order of calls in the thread of SQLite: one at a time, since no call may see the open transaction of another. */
import type { DatabaseSync } from 'node:sqlite'

export type Call = {
  /** `read`: it changes nothing. `write`: it may share a commit with others. `alone`: it may not. */
  kind: 'read' | 'write' | 'alone'
  /** Whether a client waits for it. */
  urgent: boolean
  run: () => unknown
  /** Receives the result once it is on the disk. */
  done: (result: unknown) => void
  failed: (error: unknown) => void
}

/** If commits of urgent writes usually take this long, in milliseconds, the disk is slow. */
const SLOW = 15
/** The weight of the last one in the average time per commit. */
const NEWEST_SHARE = 0.1

/** In each round on a slow disk: how long reads may begin, and how long writes are collected, in milliseconds. */
const READS = 5
const GATHERED = 10

/**
 * Returns a function that carries out a call in its turn. Urgent calls go first. On a slow disk, there are rounds: the
 * waiting reads, which do not need a sync; then one urgent write together with the other waiting writes, in one commit;
 * then one call that cannot share a commit. So the work that follows from submissions keeps up, and an urgent write
 * waits for the rest of one round and for its own round. Two urgent writes never share a commit, since the second one
 * would not know what the first one stores.
 */
export function callsInTurn(raw: DatabaseSync): (call: Call) => Promise<void> {
  const queue: Call[] = []
  let working = false
  let usual = 0

  const takeFirst = (is: (call: Call) => boolean): Call | undefined => {
    const at = queue.findIndex(is)
    return at < 0 ? undefined : queue.splice(at, 1)[0]
  }
  const takeUrgent = (kind: Call['kind']) => takeFirst(call => call.urgent && call.kind === kind)
  const take = (kind: Call['kind']) => takeFirst(call => !call.urgent && call.kind === kind)

  const next = async () => {
    const call = takeFirst(({ urgent }) => urgent) ?? (queue.shift() as Call)
    const began = performance.now()
    await alone(call)
    if (call.urgent && call.kind === 'write') measured(performance.now() - began)
  }
  const measured = (took: number) => {
    usual += NEWEST_SHARE * (took - usual)
  }

  const round = async () => {
    const mayRead = within(READS)
    for (
      let read = takeUrgent('read') ?? take('read');
      read !== undefined;
      read = mayRead() ? take('read') : undefined
    ) {
      await alone(read)
    }
    const mayGather = within(GATHERED)
    let urgent: Call | undefined
    const write = () => {
      const other = () => (mayGather() ? take('write') : undefined)
      if (urgent !== undefined) return other()
      urgent = takeUrgent('write')
      return urgent ?? other()
    }
    const took = await inOneCommit(raw, write)
    if (urgent !== undefined) measured(took)
    const last = take('alone')
    if (last !== undefined) await alone(last)
  }

  return async added => {
    queue.push(added)
    if (working) return
    working = true
    while (queue.length > 0) {
      await (usual < SLOW ? next() : round())
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
 * Does several calls with one sync. The transaction of each is a savepoint, so if one fails, the others still succeed. If
 * the commit fails, or SQLite gives up the transaction, for example on a full disk, all have failed. Returns how long the
 * commit took, in milliseconds.
 */
async function inOneCommit(raw: DatabaseSync, another: () => Call | undefined): Promise<number> {
  let call = another()
  if (call === undefined) return 0
  const calls: { call: Call; result: unknown }[] = []
  let began = 0
  try {
    raw.exec('begin immediate')
    for (; call !== undefined; call = another() ?? (await aMomentLater(another))) {
      try {
        calls.push({ call, result: await call.run() })
      } catch (error) {
        if (!raw.isTransaction) throw error
        call.failed(error)
      }
    }
    began = performance.now()
    raw.exec('commit')
  } catch (error) {
    if (raw.isTransaction) raw.exec('rollback')
    call?.failed(error)
    for (const { call } of calls) call.failed(error)
    return 0
  }
  const took = performance.now() - began
  for (const { call, result } of calls) call.done(result)
  return took
}

/** Calls that have arrived meanwhile are known only then. */
async function aMomentLater<T>(look: () => T): Promise<T> {
  await new Promise(resolve => setImmediate(resolve))
  return look()
}

/** Says whether fewer than this many milliseconds have passed. */
function within(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds
  return () => performance.now() < end
}
