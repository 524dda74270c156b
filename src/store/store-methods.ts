/** Every query that the rest of the program may ask of the store: one table of the methods of each area. */
import type { Kysely } from 'kysely'
import { importMethods } from './import-methods.ts'
import { insightMethods } from './insight-methods.ts'
import { intakeMethods } from './intake-methods.ts'
import { leadMethods } from './lead-methods.ts'
import { listMethods } from './list-methods.ts'
import { mailMethods } from './mail-methods.ts'
import { operatorMethods } from './operator-methods.ts'
import { privacyMethods } from './privacy-methods.ts'
import type { Schema } from './schema.ts'
import { settingsMethods } from './settings-methods.ts'
import { taskMethods } from './task-methods.ts'
import { teamMethods } from './team-methods.ts'

export const storeMethods = {
  ...importMethods,
  ...insightMethods,
  ...intakeMethods,
  ...leadMethods,
  ...listMethods,
  ...mailMethods,
  ...operatorMethods,
  ...privacyMethods,
  ...settingsMethods,
  ...taskMethods,
  ...teamMethods,
}

type WithoutDatabase<F> = F extends (db: never, ...args: infer A) => infer R
  ? (...args: A) => R
  : never

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
