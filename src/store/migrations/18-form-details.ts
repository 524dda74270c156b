/** What the form of a submission adds to its body (`leads/body/form-details.ts`); null if no form of ours sent it. */
import type { Migration } from './migration.ts'

export const formDetails: Migration = async db => {
  await db.schema.alterTable('submissions').addColumn('form', 'text').execute()
}
