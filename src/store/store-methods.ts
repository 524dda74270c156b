/** Every query that the rest of the program may ask of the store: one table of the methods of each area. */
import type { Kysely } from 'kysely'
import * as actions from './actions/methods.ts'
import * as attachments from './attachments/methods.ts'
import * as destinations from './destinations/methods.ts'
import * as edited from './edited/methods.ts'
import * as filing from './filing/methods.ts'
import * as followUp from './follow-up/methods.ts'
import * as imports from './imports/methods.ts'
import * as insight from './insight/methods.ts'
import * as leads from './leads/methods.ts'
import * as lists from './lists/methods.ts'
import * as lookup from './lookup/methods.ts'
import * as mail from './mail/methods.ts'
import * as merging from './merging/methods.ts'
import * as nightly from './nightly/methods.ts'
import * as operators from './operators/methods.ts'
import * as outbox from './outbox/methods.ts'
import * as pages from './pages/methods.ts'
import * as privacy from './privacy/methods.ts'
import * as settings from './settings/methods.ts'
import * as sources from './sources/methods.ts'
import type { Schema } from './tables/schema.ts'
import * as tasks from './tasks/methods.ts'
import * as team from './team/methods.ts'

export const storeMethods = {
  ...actions,
  ...attachments,
  ...destinations,
  ...edited,
  ...filing,
  ...followUp,
  ...imports,
  ...insight,
  ...leads,
  ...lists,
  ...lookup,
  ...mail,
  ...merging,
  ...nightly,
  ...operators,
  ...outbox,
  ...pages,
  ...privacy,
  ...settings,
  ...sources,
  ...tasks,
  ...team,
}

type WithoutDatabase<F> = F extends (db: never, ...args: infer A) => infer R ? (...args: A) => R : never

/** The store methods without their first argument, the database. */
export type StoreMethods = {
  [Name in keyof typeof storeMethods]: WithoutDatabase<(typeof storeMethods)[Name]>
}

export const methodsOver = (db: Kysely<Schema>): StoreMethods =>
  Object.fromEntries(
    Object.entries(storeMethods).map(([name, method]) => [
      name,
      (...args: unknown[]) => (method as (db: Kysely<Schema>, ...args: unknown[]) => unknown)(db, ...args),
    ]),
  ) as StoreMethods
