/**
 * A nightly status list, while the service is killed again and again: it becomes one list, and moves each lead once.
 */
import { deepEqual, equal } from 'node:assert/strict'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { migratedDatabase, onEachEngine, sql, urlOf } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Service, startProcess } from '../support/process.ts'
import { anArrival } from '../support/store.ts'
import { eventually } from './faults.ts'

const LEADS = 300
const SECRET_KEY = 'a secret key that is long enough for everyone'
const HEADERS = 'Email,Status\n'

const emailOf = (n: number) => `p${n}@mail.example`

onEachEngine(engine => {
  test('a file of the folder becomes one list that moves each lead once, whenever the service is killed', async t => {
    const dataDir = temporaryFolder(t)
    const database = await migratedDatabase(t, engine)
    const { app, settle, close } = await startApp(t, { database, dataDir, clock: testClock(Date.now()) })
    const { store } = app
    await Promise.all(
      Array.from({ length: LEADS }, (_, n) => {
        const { idempotencyKey: _key, ...body } = aStudent({ email: emailOf(n) })
        return store.accept(anArrival({ email: emailOf(n), body: JSON.stringify(body), receivedAt: Date.now() }))
      }),
    )
    await settle()
    const now = Date.now()
    const sample = { bytes: Buffer.from(`${HEADERS}no-one@mail.example,ENR\n`), fileName: 'sample.csv', by: 'jo', now }
    const id = await storeList(store, { ...sample, purpose: 'status' })
    await store.checkImport(id, { plan: { columns: ['email', 'stage'], meanings: { enr: 'enrolled' } }, now })
    await settle()
    await store.startImport(id, { now })
    await settle()
    await close()

    const folder = join(dataDir, 'status')
    mkdirSync(folder)
    const path = join(folder, 'night.csv')
    writeFileSync(path, HEADERS + Array.from({ length: LEADS }, (_, n) => `${emailOf(n)},ENR\n`).join(''))
    const quiet = (now - 5 * MINUTE) / 1000
    utimesSync(path, quiet, quiet)

    const one = async (query: string) => Number((await sql(database, query))[0]?.['n'])
    const lists = `select count(*) as n from imports where file_name = 'night.csv'`
    const moved = `select count(*) as n from leads where stage = 'enrolled'`
    /** The moments at which it is killed, one after the other. */
    const moments = [
      async () => (await one(lists)) > 0,
      async () => (await one(moved)) > 0,
      async () => (await one(moved)) > LEADS / 2,
    ]
    const env = { DATABASE_URL: urlOf(database), SECRET_KEY }
    const start = async (): Promise<Service> => {
      // A process that takes half an hour to store a list has died; here, that half hour is over.
      await sql(database, `update imports set created_at = created_at - ${31 * MINUTE} where state = 'reading'`)
      return startProcess(t, { dataDir, env })
    }
    for (const moment of moments) {
      const service = await start()
      await eventually(moment, 'the file is not taken')
      await service.kill('SIGKILL')
    }
    await start()
    const isOver = async () => (await one(`${lists} and state = 'done'`)) === 1 && (await one(moved)) === LEADS
    await eventually(isOver, 'the list is not over')
    await eventually(() => readdirSync(folder).every(name => !name.endsWith('.csv')), 'the file was not moved')

    equal(await one(lists), 1)
    const entries = `select count(*) as n from timeline where kind = 'stage' and detail = 'enrolled'`
    equal(await one(entries), LEADS)
    deepEqual(
      readdirSync(join(folder, 'done')).map(name => name.replace(/^\d{4}-\d\d-\d\d-[a-z\d]{8}-/i, '')),
      ['night.csv'],
    )
    deepEqual(readdirSync(folder).toSorted(), ['done'])
  })
})
