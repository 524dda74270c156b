/** Every query that the rest of the program may ask of the store: one table of the methods of each area. */
import { importMethods } from './import-methods.ts'
import { insightMethods } from './insight-methods.ts'
import { intakeMethods } from './intake-methods.ts'
import { leadMethods } from './lead-methods.ts'
import { listMethods } from './list-methods.ts'
import { mailMethods } from './mail-methods.ts'
import { operatorMethods } from './operator-methods.ts'
import { privacyMethods } from './privacy-methods.ts'
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
