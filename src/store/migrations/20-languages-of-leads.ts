/** The language in which a person wants to be written to, such as `es`; null if no form of ours has asked. */
import type { Migration } from './migration.ts'

export const languagesOfLeads: Migration = async db => {
  await db.schema.alterTable('leads').addColumn('language', 'text').execute()
}
