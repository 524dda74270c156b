/** Several queries that see the database as it was at one moment. */
import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

/** SQLite has no isolation levels: there, a transaction that only reads sees one moment anyway. */
export const inSnapshot = <T>(db: Kysely<Schema>, read: (tx: Transaction<Schema>) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
