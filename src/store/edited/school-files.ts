/** Queries on the files that managers upload for the school, such as its logo. Each is named by its content. */
import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'

export type SchoolFile = { name: string; bytes: Uint8Array }

/** How many files are kept. Emails and earlier versions of the settings show older ones. */
export const MOST_FILES = 40

/** Adds files, and deletes the oldest beyond `MOST_FILES`, except those that `value`, which comes into force, names. */
export async function addSchoolFiles(
  tx: Transaction<Schema>,
  files: readonly SchoolFile[],
  { value, now }: { value: string | null; now: number },
): Promise<void> {
  for (const { name, bytes } of files)
    await tx
      .insertInto('school_files')
      .values({ name, bytes, created_at: now })
      .onConflict(oc => oc.column('name').doUpdateSet({ created_at: now }))
      .execute()
  if (files.length === 0) return
  const all = await tx.selectFrom('school_files').select('name').orderBy('created_at', 'desc').orderBy('name').execute()
  const [named, others] = [true, false].map(wanted =>
    all.map(({ name }) => name).filter(name => (value?.includes(name) ?? false) === wanted),
  ) as [string[], string[]]
  const old = others.slice(Math.max(0, MOST_FILES - named.length))
  if (old.length > 0) await tx.deleteFrom('school_files').where('name', 'in', old).execute()
}

export async function readSchoolFile(db: Kysely<Schema>, name: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('school_files').select('bytes').where('name', '=', name).executeTakeFirst()
  return row?.bytes
}
