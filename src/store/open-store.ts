/** Opening the store. This is the only file of the room that knows both engines. */
import type { DatabaseAddress } from '../config/environment.ts'
import type { OpenOptions, Store } from './store.ts'

/**
 * Opens the store and brings its schema up to date. Throws with a plain reason when that cannot be
 * done.
 */
export async function openStore(
  database: DatabaseAddress,
  options: OpenOptions = {},
): Promise<Store> {
  // The code of one engine is never loaded for the other.
  if (database.engine === 'sqlite') {
    const { openSqliteStore } = await import('./sqlite/store.ts')
    return openSqliteStore(database.file, options.clock ?? { now: () => Date.now() })
  }
  const { openPostgresStore } = await import('./postgres/store.ts')
  return openPostgresStore(database.url, options)
}
