/** Queries on the status lists that come from a folder and are imported automatically. */
import type { Kysely, Transaction } from 'kysely'
import type { StatusPlan } from '../../leads/import/status-list.ts'
import { addAlarm, endAlarm } from '../operators/alarms.ts'
import { recordAudit } from '../operators/audit-log.ts'
import type { ImportState } from '../tables/import-tables.ts'
import type { Schema } from '../tables/schema.ts'
import { listUnknownWords } from './portions.ts'

/** The subject of the alarm about the folder of status lists. */
export const STATUS_FOLDER = 'status lists'

/** The list that was made from a file; undefined if the file was not read yet, or the list was discarded. */
export const findListOfFile = (
  db: Kysely<Schema>,
  fileKey: string,
): Promise<{ id: number; state: ImportState; createdAt: number } | undefined> =>
  db
    .selectFrom('imports')
    .select(['id', 'state', 'created_at as createdAt'])
    .where('file_key', '=', fileKey)
    .executeTakeFirst()

/**
 * The choices for the latest status list with the same headers. With `imported`, only lists whose import someone has
 * started count, and the result says whether the import was undone since.
 */
export async function recallStatusPlan(
  db: Kysely<Schema>,
  digest: string,
  { imported = false }: { imported?: boolean } = {},
): Promise<{ plan: StatusPlan; undone: boolean } | undefined> {
  const started: ImportState[] = ['running', 'done', 'undoing', 'undone']
  const row = await db
    .selectFrom('imports')
    .select(['plan', 'state'])
    .where('headers_digest', '=', digest)
    .where('purpose', '=', 'status')
    .where('plan', 'is not', null)
    .$if(imported, query => query.where('state', 'in', started))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row?.plan) return undefined
  const { startsItself: _, ...plan }: StatusPlan = JSON.parse(row.plan)
  return { plan, undone: row.state === 'undoing' || row.state === 'undone' }
}

/** Ends the import of a list that started automatically, for the audit log; notifies the admins of unknown words. */
export async function endNightlyList(tx: Transaction<Schema>, id: number, now: number): Promise<void> {
  const { moved } = await tx.selectFrom('imports').select('moved').where('id', '=', id).executeTakeFirstOrThrow()
  const entry = { at: now, operatorId: null, actor: 'Frontdesk', action: 'imported a status list' }
  await recordAudit(tx, { ...entry, detail: `list ${id}: ${moved} moved` })
  const unknown = await listUnknownWords(tx, id)
  if (unknown.length === 0) {
    await endAlarm(tx, STATUS_FOLDER, now)
    return
  }
  const alarm = {
    cause: STATUS_FOLDER,
    title: 'A status list has words that no one has chosen a stage for.',
    text: `The other rows of list ${id} are imported. Upload the file by hand, and say what these words mean.`,
    path: `/import/${id}`,
    since: now,
  }
  await addAlarm(tx, alarm, now)
}
