/** What becomes of mail about no lead once it was forwarded. */
import type { Kysely } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** Deletes what was forwarded: the team has it, and so has the mailbox. */
export async function deleteForwarded(tx: Kysely<Schema>, task: { kind: string; subject: number }): Promise<void> {
  if (task.kind === 'forward') await tx.deleteFrom('stray_mail').where('id', '=', task.subject).execute()
  if (task.kind === 'strays') await tx.deleteFrom('stray_mail').where('listed_on', '=', task.subject).execute()
}
