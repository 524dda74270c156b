/** The mailbox of a lead whose address is a sub-address, to see that several leads have the same. */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const mailboxesOfLeads: Migration = async db => {
  await db.schema.alterTable('leads').addColumn('mailbox_key', 'text').execute()
  await db.schema
    .createIndex('leads_mailbox')
    .on('leads')
    .columns(['mailbox_key', 'kind'])
    .where(sql.ref('mailbox_key'), 'is not', null)
    .execute()
}
