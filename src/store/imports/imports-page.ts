/** Everything that the page on which imports begin shows, read in one go. */
import type { Kysely } from 'kysely'
import { type Alarm, listAlarms } from '../operators/alarms.ts'
import type { Schema } from '../tables/schema.ts'
import { inSnapshot } from '../tables/snapshot.ts'
import { type Import, listImports } from './imports.ts'
import { STATUS_FOLDER } from './nightly-lists.ts'

/** The newest imports, up to `limit`, and the alarm about the folder of status lists, if there is one. */
export const readImportsPage = (
  db: Kysely<Schema>,
  limit: number,
): Promise<{ lists: Import[]; folderAlarm: Alarm | undefined }> =>
  inSnapshot(db, async tx => ({
    lists: await listImports(tx, limit),
    folderAlarm: (await listAlarms(tx)).find(({ cause }) => cause === STATUS_FOLDER),
  }))
