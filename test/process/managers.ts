/** For tests of what managers do: the console of real processes, where one dies at a chosen moment. */
import { equal, ok } from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { checkSettings } from '../../src/config/settings.ts'
import type { Store } from '../../src/store/store.ts'
import { type ConsoleClient, elsewhere, signIn } from '../support/console.ts'
import { type Engine, migratedDatabase, sql, urlOf } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import settings from '../support/managers.config.ts'
import { type Service, spawnProcess, startProcess } from '../support/process.ts'
import { startStore } from '../support/store.ts'
import { copyInstallation } from '../support/templates.ts'
import { eventually } from './faults.ts'

const SETTINGS = fileURLToPath(new URL('../support/managers.config.ts', import.meta.url))

export { settings }

export type School = {
  engine: Engine
  database: DatabaseAddress
  dataDir: string
  /** Beside the processes, on the same database, by the clock of this machine. */
  store: Store
  /** Starts a process; on PostgreSQL, one more replica. The command is `serve`, unless another one is given. */
  start(...command: string[]): Promise<Service>
  /** Starts a command that ends by itself, such as `leads merge 1 2`, and does not wait for its end. */
  command(...args: string[]): Promise<Service>
  /** A manager who is signed in, at the console of any of the processes. */
  manager(at: Service): Promise<ConsoleClient>
  run(text: string): Promise<Record<string, unknown>[]>
  /** The number that a query finds as `n`. */
  count(text: string): Promise<number>
  /** Lets a statement hang at the first row that fits the moment, and kills the process that waits for it. */
  kill(moment: Moment, begin: () => Promise<unknown>): Promise<void>
  /** The same. Returns a process that goes on: one that is running, or the next start. */
  killAt(moment: Moment, begin: () => Promise<unknown>): Promise<Service>
  /** The messages that were written to files, by the kind of their task, each Message-ID once. */
  mails(kind: string): string[]
}

/** After a row was written: `when` is a condition on `new` or `old`. */
export type Moment = { on: 'insert' | 'update' | 'delete'; table: string; when: string }

/** A school with its database, and with nothing running yet. */
export async function aSchool(t: TestContext, engine: Engine): Promise<School> {
  const dataDir = temporaryFolder(t)
  if (engine === 'sqlite') await copyInstallation(dataDir)
  const database: DatabaseAddress =
    engine === 'sqlite' ? { engine, file: join(dataDir, 'frontdesk.db') } : await migratedDatabase(t, engine)
  const clock = { now: () => Date.now(), advance: () => {} }
  const { store } = await startStore(t, { database, clock })
  const running: Service[] = []
  let person: ConsoleClient | undefined

  const startBy =
    (way: typeof startProcess) =>
    async (...args: string[]) => {
      const name = `replica-${running.length}`
      const url = engine === 'postgres' && `${urlOf(database)}?application_name=${name}`
      const service = await way(t, {
        dataDir,
        env: { FRONTDESK_CONFIG: SETTINGS, ...(url && { DATABASE_URL: url }) },
        ...(args.length > 0 && { args }),
      })
      running.push(service)
      return service
    }
  const start = startBy(startProcess)
  const run = (text: string) => sql(database, text)

  const kill: School['kill'] = async (moment, begin) => {
    const hang = database.engine === 'sqlite' ? hangOn(database.file, moment) : await hold(moment)
    const begun = begin()
    const failed = new Promise<never>((_, reject) => begun.catch(reject))
    const victim = running[await Promise.race([hang.reached(), failed])] as Service
    await victim.kill('SIGKILL')
    await hang.end()
    // Its client gets no response.
    await begun.catch(() => {})
  }

  const killAt: School['killAt'] = async (moment, begin) => {
    await kill(moment, begin)
    const other = running.find(({ child }) => child.exitCode === null && child.signalCode === null)
    return other ?? (await start())
  }

  /** On PostgreSQL, a trigger waits for a lock that the test holds. */
  async function hold({ on, table, when }: Moment) {
    const client = new pg.Client(urlOf(database))
    await client.connect()
    await client.query(`
      select pg_advisory_lock(1);
      create function hang() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock(1); return null; end';
      create trigger hang after ${on} on ${table} for each row when (${when}) execute function hang()`)
    const waiting = `select application_name as name from pg_stat_activity
      where datname = current_database() and wait_event = 'advisory'`
    return {
      reached: async () => {
        let name = ''
        await eventually(async () => {
          name = String((await client.query(waiting)).rows[0]?.name ?? '')
          return name !== ''
        }, 'the moment did not come')
        return Number(name.slice('replica-'.length))
      },
      end: async () => {
        // Its session notices that its process is gone, and rolls back.
        await client.query('select pg_advisory_unlock(1); drop function hang cascade')
        await client.end()
      },
    }
  }

  return {
    engine,
    database,
    dataDir,
    store,
    start,
    command: startBy(spawnProcess),
    run,
    kill,
    killAt,
    manager: async at => {
      const place = { store, clock, origin: at.origin.console }
      person ??= await signIn(place, 'manager', { name: 'Ana Ruiz' })
      return elsewhere(person, at.origin.console)
    },
    count: async text => Number((await run(text))[0]?.['n']),
    mails: kind => {
      const texts = filesIn(join(dataDir, 'mail')).map(file => readFileSync(file, 'utf8'))
      const ids = texts.map(text => /^Message-ID: <([^>]*)>/im.exec(text)?.[1] ?? '')
      equal(new Set(ids).size, ids.length, 'no message was written twice')
      return texts.filter((_, at) => ids[at]?.startsWith(`${kind}.`))
    },
  }

  /** On SQLite, a trigger reads a view that never ends, while the process has the lock to write. */
  function hangOn(file: string, { on, table, when }: Moment) {
    const db = new DatabaseSync(file, { timeout: 30_000 })
    db.exec(`
      create view endless as
        with recursive n(x) as (select 1 union all select x + 1 from n) select x from n;
      create trigger hang after ${on} on ${table} when ${when} begin
        select count(*) from endless;
      end;
      pragma busy_timeout = 0`)
    return {
      reached: async () => {
        const hangs = async () => running.length > 0 && (await isLockedFor(db, file))
        await eventually(hangs, 'the moment did not come')
        return running.length - 1
      },
      end: async () => {
        db.exec('pragma busy_timeout = 5000; drop trigger hang; drop view endless')
        db.close()
      },
    }
  }
}

/** Looks, 30 milliseconds apart, at which the same transaction may still write: only one that hangs writes so long. */
const LONGER_THAN_A_WRITE = 40

/** Whether a transaction keeps the lock that long, and none has ended meanwhile, which the log of the file shows. */
async function isLockedFor(db: DatabaseSync, file: string): Promise<boolean> {
  const log = () => statSync(`${file}-wal`).mtimeMs
  const before = log()
  for (let look = 0; look < LONGER_THAN_A_WRITE; look++) {
    try {
      db.exec('begin immediate; rollback')
      return false
    } catch {
      await wait(30)
    }
  }
  return log() === before
}

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).map(name => join(folder, name))
  } catch {
    return []
  }
}

/** What insight has counted is what it counts from nothing. The processes have ended. */
export async function assertCountsTrue({ store, run }: School): Promise<void> {
  const { school } = checkSettings(settings).settings
  const counts = async () => {
    const rows = await run('select * from insight_counts order by dimension, period, kind, value')
    return JSON.stringify(rows.map(row => ({ ...row, counts: sorted(String(row['counts'])) })))
  }
  const countAll = async () => {
    while (await store.countLeads({ school, limit: 100 }));
  }
  await countAll()
  const before = await counts()
  for (const text of [
    'delete from lead_facts',
    'delete from insight_counts',
    'insert into changed_leads (lead_id) select id from leads',
  ])
    await run(text)
  await countAll()
  equal(before, await counts(), 'the counts are those of a recount')
  ok(before.length > 0)
}

const sorted = (counts: string) =>
  Object.entries(JSON.parse(counts)).toSorted(([one], [other]) => (one < other ? -1 : 1))
