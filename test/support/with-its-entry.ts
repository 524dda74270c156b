/** Actions that are stored with their entry of the audit log, or not at all. */
import { deepEqual, equal, notDeepEqual } from 'node:assert/strict'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import type { TestConsole } from './console.ts'
import { countRows, sql } from './engines.ts'

/** Runs something while the audit log can be read, but accepts no entry. */
export async function withoutNewEntries(database: DatabaseAddress, run: () => Promise<unknown>): Promise<void> {
  const [close, open] =
    database.engine === 'sqlite'
      ? [
          `create trigger closed before insert on audit_log begin select raise(abort, 'audit_log is closed'); end`,
          'drop trigger closed',
        ]
      : [
          'alter table audit_log add constraint closed check (false) not valid',
          'alter table audit_log drop constraint closed',
        ]
  await sql(database, close)
  await run()
  await sql(database, open)
}

/** Presses a button twice: without an audit log, which must change nothing, and with it. `stored`: what it changes. */
export async function pressWithEntry(
  { database }: Pick<TestConsole, 'database'>,
  { stored, press, name }: { stored(): Promise<unknown>; press(): Promise<{ status: number }>; name: string },
): Promise<void> {
  const [before, entries] = [await stored(), await countRows(database, 'audit_log')]
  await sql(database, 'alter table audit_log rename to lost_log')
  equal((await press()).status, 500, name)
  await sql(database, 'alter table lost_log rename to audit_log')
  deepEqual(await stored(), before, name)
  equal((await press()).status, 200, name)
  notDeepEqual(await stored(), before, name)
  equal(await countRows(database, 'audit_log'), entries + 1, name)
}
