/** Every query that the rest of the program may ask of the store: one table of the methods of each area. */
import type { Kysely } from 'kysely'
import { actionsMethods } from './actions/methods.ts'
import { filingMethods } from './filing/methods.ts'
import { followUpMethods } from './follow-up/methods.ts'
import { importsMethods } from './imports/methods.ts'
import { insightMethods } from './insight/methods.ts'
import { leadsMethods } from './leads/methods.ts'
import { listsMethods } from './lists/methods.ts'
import { lookupMethods } from './lookup/methods.ts'
import { mailMethods } from './mail/methods.ts'
import { mergingMethods } from './merging/methods.ts'
import { operatorsMethods } from './operators/methods.ts'
import { outboxMethods } from './outbox/methods.ts'
import { pagesMethods } from './pages/methods.ts'
import { privacyMethods } from './privacy/methods.ts'
import { settingsMethods } from './settings/methods.ts'
import type { Schema } from './tables/schema.ts'
import { tasksMethods } from './tasks/methods.ts'
import { teamMethods } from './team/methods.ts'

export const storeMethods = {
  ...actionsMethods,
  ...filingMethods,
  ...followUpMethods,
  ...importsMethods,
  ...insightMethods,
  ...leadsMethods,
  ...listsMethods,
  ...lookupMethods,
  ...mailMethods,
  ...mergingMethods,
  ...operatorsMethods,
  ...outboxMethods,
  ...pagesMethods,
  ...privacyMethods,
  ...settingsMethods,
  ...tasksMethods,
  ...teamMethods,
}

type WithoutDatabase<F> = F extends (db: never, ...args: infer A) => infer R ? (...args: A) => R : never

/** The store methods without their first argument, the database. */
export type StoreMethods = {
  [Name in keyof typeof storeMethods]: WithoutDatabase<(typeof storeMethods)[Name]>
}

type Method = (db: Kysely<Schema>, ...args: unknown[]) => unknown

/** The store methods on this database. */
export const methodsOver = (db: Kysely<Schema>): StoreMethods =>
  Object.fromEntries(
    Object.entries(storeMethods).map(([name, method]) => [
      name,
      (...args: unknown[]) => (method as Method)(db, ...args),
    ]),
  ) as StoreMethods
