import { equal, match, ok, rejects } from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'
import type { Store } from '../../src/store/store.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { fill, mayMount, mountSmallDisk } from '../support/small-disk.ts'
import { startStore } from '../support/store.ts'

/** A service with one lead, and a database that goes away and comes back. */
type Outage = { desk: TestApp; begin(): Promise<void>; end(): Promise<void> }

async function postgresOutage(t: TestContext): Promise<Outage> {
  const server = await startPostgresServer()
  t.after(() => server.remove())
  const database = { engine: 'postgres', url: server.url } as const
  const desk = await startApp(t, { database })
  return { desk, begin: () => server.stop(), end: () => server.start() }
}

async function diskOutage(t: TestContext): Promise<Outage> {
  const dataDir = mountSmallDisk(t, 8)
  const filler = join(dataDir, 'filler')
  const desk = await startApp(t, { dataDir })
  return { desk, begin: async () => fill(filler, 0), end: async () => rmSync(filler) }
}

for (const [what, start, possible] of [
  ['PostgreSQL is stopped', postgresOutage, true],
  ['the disk under SQLite is full', diskOutage, mayMount()],
] as const) {
  describe(`while ${what}`, { skip: !possible && 'a small disk cannot be mounted here' }, () => {
    test('the links in messages return 503, and they work again afterward', async t => {
      const { desk, begin, end } = await start(t)
      equal((await desk.postStudent(aStudent())).status, 200)
      await desk.settle()
      const unsubscribe = linkIn(desk, 'learn', /\/mail\/u[\w.-]+/)
      const attempted = linkIn(desk, 'console', /\/act\/t[\w.-]+/)
      await begin()
      for (const url of [unsubscribe, attempted]) {
        const { status, headers } = await desk.request(url, { method: 'POST' })
        equal(status, 503, url)
        equal(headers.get('retry-after'), '5')
      }
      await end()
      for (const url of [unsubscribe, attempted]) {
        equal((await desk.request(url, { method: 'POST' })).status, 200)
      }
      const kinds = (await desk.app.store.readLead(1))?.timeline.map(({ kind }) => kind) ?? []
      ok(kinds.includes('unsubscribed') && kinds.includes('attempt'), kinds.join())
    })

    test('every method that writes throws StoreUnavailable, with the reason', async t => {
      const { desk, begin, end } = await start(t)
      const { store } = desk.app
      await begin()
      for (const write of writes(store)) {
        await rejects(write, (error: Error) => {
          ok(error instanceof StoreUnavailable, inspect(error))
          match(error.message, /ECONNREFUSED|full|terminat/)
          return true
        })
      }
      await end()
      for (const write of writes(store)) await write()
    })
  })
}

/** A single statement, two statements, and a transaction. Each writes more than fits on the full disk. */
const writes = (store: Store): (() => Promise<unknown>)[] => [
  () => store.addAbsence({ counselor: 'x'.repeat(20_000), firstDay: '2026', lastDay: '2027' }),
  () => store.getOrCreateSecret('other', 'x'.repeat(20_000)),
  () => store.importAccounts(many, { replace: true }),
]

const many = Array.from({ length: 600 }, (_, i) => `hash ${i}`.padEnd(100, '.'))

/** The URL on this service that a link in a message leads to. */
function linkIn({ sent, origin }: TestApp, host: 'learn' | 'console', path: RegExp): string {
  const [found] = sent.flatMap(({ text }) => path.exec(text)?.[0] ?? [])
  ok(found)
  return origin[host] + found
}

onEachEngine(engine => {
  test('a row that the schema forbids is not StoreUnavailable', async t => {
    const { store } = await startStore(t, { engine })
    await store.addAbsence({ counselor: 'maria', firstDay: '2026-11-01', lastDay: '2026-11-02' })
    const nothing = { counselor: null as never, firstDay: '2026-11-01', lastDay: '2026-11-02' }
    await rejects(store.addAbsence(nothing), error => {
      ok(error instanceof Error)
      return !(error instanceof StoreUnavailable)
    })
  })

  test('a query that the database does not understand is not StoreUnavailable', async t => {
    const { store } = await startStore(t, { engine })
    await rejects(store.listLeads({ limit: 'many' as never }), error => {
      ok(error instanceof Error)
      return !(error instanceof StoreUnavailable)
    })
  })
})

test('a method of a store whose thread has ended throws StoreUnavailable', async t => {
  const { store } = await startStore(t)
  await store.close()
  await rejects(store.listLeads({ limit: 1 }), StoreUnavailable)
})
