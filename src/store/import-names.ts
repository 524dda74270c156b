/**
 * Words of a person in what is kept of a list beside its rows: its name, where it comes from, and its first row, which is
 * a person where a list has no headers.
 */
import type { Transaction } from 'kysely'
import type { ImportPlan } from '../leads/import-row.ts'
import { namesPerson } from '../leads/search-words.ts'
import { namesAddress } from './import-rows.ts'
import type { Schema } from './schema.ts'

type Person = Parameters<typeof namesPerson>[1]

/** Replaces what names a person by words that name no one: part of erasing the person. */
export async function eraseFromImports(
  tx: Transaction<Schema>,
  { keys, people }: { keys: readonly string[]; people: readonly Person[] },
): Promise<void> {
  const about = (text: string) =>
    keys.some(key => namesAddress(text, key)) || people.some(person => namesPerson(text, person))
  const imports = await tx
    .selectFrom('imports')
    .select(['id', 'file_name', 'headers', 'plan'])
    .execute()
  for (const { id, file_name, headers, plan } of imports) {
    const cells: string[] = JSON.parse(headers)
    const chosen: ImportPlan | null = plan === null ? null : JSON.parse(plan)
    const changes = {
      ...(about(file_name) && { file_name: NAME }),
      ...(chosen && about(chosen.source) && { plan: JSON.stringify({ ...chosen, source: NAME }) }),
      // Equal to no other: a digest may be of the person's words.
      ...(cells.some(about) && { headers: columnsLike(cells), headers_digest: `erased ${id}` }),
    }
    if (Object.keys(changes).length > 0)
      await tx.updateTable('imports').set(changes).where('id', '=', id).execute()
  }
}

const NAME = 'list'

const columnsLike = (cells: readonly string[]): string =>
  JSON.stringify(cells.map((_, at) => `Column ${at + 1}`))
