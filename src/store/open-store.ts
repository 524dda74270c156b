/** Opens the store of either engine; callers do not need to know which one it is. */
import type { DatabaseAddress } from '../config/environment.ts'
import { openSqliteStore } from './sqlite/store.ts'
import type { OpenOptions, Store } from './store.ts'

/** Opens the store and brings its schema up to date. Throws with a plain reason when that cannot be done. */
export async function openStore(database: DatabaseAddress, options: OpenOptions = {}): Promise<Store> {
  if (database.engine === 'sqlite') return openSqliteStore(database.file, options)
  // Loaded only here, since the client of PostgreSQL is large, and with SQLite, which runs in another thread, this
  // thread does not need it.
  const { openPostgresStore } = await import('./postgres/store.ts')
  return openPostgresStore(database.url, options)
}
