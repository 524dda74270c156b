/** SQLite files that another process writes to at the same moment. */
import { equal } from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { copyDatabase } from '../../src/store/sqlite/backup.ts'
import { openSqlite } from '../../src/store/sqlite/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anArrival, startStore } from '../support/store.ts'

/** A store on a file, and the file. */
async function startOnFile(t: TestContext) {
  const { store, database } = await startStore(t)
  if (database.engine !== 'sqlite') throw new Error('This is about SQLite')
  return { store, file: database.file }
}

describe('a file that another process is writing to', () => {
  test('is waited for', async t => {
    const { store, file } = await startOnFile(t)
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    const accepted = store.accept(anArrival())
    setTimeout(() => other.exec('commit'), 50)
    equal(await accepted, 'accepted')
    other.close()
  })

  test('is waited for also before it has a write-ahead log, such as a new file that two start on', async t => {
    const file = join(temporaryFolder(t), 'frontdesk.db')
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    // It has tried once when it returns.
    const opening = openSqlite(file, 0)
    other.exec('commit')
    other.close()
    const { raw } = await opening
    t.after(() => raw.close())
    equal(raw.prepare('pragma journal_mode').get()?.['journal_mode'], 'wal')
  })

  test('is waited for by a backup', async t => {
    const { store, file } = await startOnFile(t)
    await store.accept(anArrival())
    await store.close()
    // In another thread, since a backup holds this one until it is done.
    const other = new Worker(
      `const { DatabaseSync } = require('node:sqlite')
      const { parentPort, workerData } = require('node:worker_threads')
      const db = new DatabaseSync(workerData)
      db.exec('pragma locking_mode = exclusive; begin immediate')
      parentPort.postMessage('locked')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
      db.close()`,
      { eval: true, workerData: file },
    )
    const ended = once(other, 'exit')
    await once(other, 'message')
    equal(copyDatabase(file, `${file}.copy`).submissions, 1)
    await ended
  })
})
