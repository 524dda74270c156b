/**
 * Loaded before the service (`--import`), also in its threads: each commit of SQLite takes `SLOW_SYNC_MS` longer, as on a
 * disk whose syncs take that long. Every five seconds, it writes what the commits were to `SLOW_SYNC_LOG`.
 */
import { appendFileSync } from 'node:fs'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'

const pause = Number(process.env['SLOW_SYNC_MS'] ?? 0)
const log = process.env['SLOW_SYNC_LOG']
const cell = new Int32Array(new SharedArrayBuffer(4))

const databases = new WeakMap<StatementSync, { db: DatabaseSync; text: string }>()
const seen = new WeakMap<DatabaseSync, { count: () => number; last: number; first: string }>()
const commits = new Map<string, number>()

const { prepare, exec } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (text, ...rest) {
  const statement = prepare.call(this, text, ...rest)
  databases.set(statement, { db: this, text })
  return statement
}
DatabaseSync.prototype.exec = function (text) {
  exec.call(this, text)
  after(this, text)
}
for (const name of ['run', 'all', 'get'] as const) {
  const original = StatementSync.prototype[name] as (...args: unknown[]) => unknown
  Object.defineProperty(StatementSync.prototype, name, {
    value(this: StatementSync, ...args: unknown[]) {
      const result = original.apply(this, args)
      const { db, text } = databases.get(this) ?? {}
      if (db !== undefined && text !== undefined) after(db, text)
      return result
    },
  })
}

const COUNT = 'select total_changes() as n'

/** Waits, if this was a commit of changes. */
function after(db: DatabaseSync, text: string): void {
  if (text === COUNT) return
  const known = seen.get(db) ?? watch(db)
  if (/^(insert|update|delete|with)/i.test(text) && known.first === '') known.first = text.slice(0, 110)
  if (db.isTransaction) return
  const count = known.count()
  if (count !== known.last) {
    commits.set(known.first, (commits.get(known.first) ?? 0) + 1)
    Atomics.wait(cell, 0, 0, pause)
  }
  known.last = count
  known.first = ''
}

function watch(db: DatabaseSync) {
  const statement = prepare.call(db, COUNT)
  const known = { count: () => Number(statement.get()?.['n']), last: 0, first: '' }
  seen.set(db, known)
  return known
}

if (log !== undefined && !isMainThread)
  setInterval(() => {
    const lines = [...commits].toSorted(([, one], [, other]) => other - one).map(([text, count]) => `${count} ${text}`)
    appendFileSync(log, `${lines.join('\n')}\n\n`)
    commits.clear()
  }, 5000).unref()
