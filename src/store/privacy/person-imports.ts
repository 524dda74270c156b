/**
 * A person in imported lists: finds the rows about them, and erases these rows. Also erases the person's words from
 * what is stored about a list besides its rows: its name, where its people come from, and its headers, which may
 * contain the list's first row.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { isAddress } from '../../leads/body/person-key.ts'
import { isSameNumber, PHONE_DIGITS } from '../../leads/body/phone.ts'
import type { ImportPlan } from '../../leads/import/inquiry-of-row.ts'
import { namesPerson } from '../../leads/words/search-words.ts'
import type { Schema } from '../tables/schema.ts'

export type PersonRow = { list: number; row: number; cells: string[] }

/** The rows in all stored lists that have one of a person's keys in any cell. */
export async function findImportRows(db: Kysely<Schema>, keys: readonly string[]): Promise<PersonRow[]> {
  const found = new Map<string, PersonRow>()
  for (const key of keys) {
    const pattern = `%${(isAddress(key) ? key : key.slice(-PHONE_DIGITS.least)).replace(/[!%_]/g, '!$&')}%`
    const text = isAddress(key) ? sql`lower(cells)` : withoutPunctuation
    const rows = await db
      .selectFrom('import_rows')
      .select(['import_id', 'row_number', 'cells', 'person_key'])
      .where(eb => eb.or([eb('person_key', '=', key), sql<boolean>`${text} like ${pattern} escape '!'`]))
      .execute()
    for (const { import_id: list, row_number: row, cells, person_key } of rows)
      if (
        person_key === key ||
        (isAddress(key) ? namesAddress(cells, key) : person_key === null && isOfNumber(cells, key))
      )
        found.set(`${list} ${row}`, { list, row, cells: JSON.parse(cells) })
  }
  return [...found.values()]
}

/** The cells of a row with their numbers as plain digits, however they are written. */
const withoutPunctuation = [' ', '-', '(', ')', '.', '/'].reduce(
  (text, one) => sql<string>`replace(${text}, ${sql.lit(one)}, '')`,
  sql<string>`cells`,
)

/** Whether a row that no one has checked yet belongs to someone without an address who has this number. */
function isOfNumber(text: string, key: string): boolean {
  const cells: string[] = JSON.parse(text)
  return !cells.some(isAddress) && cells.some(cell => isSameNumber(cell, key))
}

/** Deletes the rows that `findImportRows` finds, and returns how many there were. A part of erasing the person. */
export async function eraseImportRows(tx: Transaction<Schema>, keys: readonly string[]): Promise<number> {
  const rows = await findImportRows(tx, keys)
  for (const { list, row } of rows)
    await tx.deleteFrom('import_rows').where('import_id', '=', list).where('row_number', '=', row).execute()
  return rows.length
}

type Person = Parameters<typeof namesPerson>[1]

/** Where a list's name, source or headers name the person, puts words that name no one. A part of erasing. */
export async function eraseFromImports(
  tx: Transaction<Schema>,
  { keys, people }: { keys: readonly string[]; people: readonly Person[] },
): Promise<void> {
  const about = (text: string) =>
    keys.some(key => namesAddress(text, key)) || people.some(person => namesPerson(text, person))
  const imports = await tx.selectFrom('imports').select(['id', 'file_name', 'headers', 'plan']).execute()
  for (const { id, file_name, headers, plan } of imports) {
    const cells: string[] = JSON.parse(headers)
    const chosen: Partial<ImportPlan> | null = plan === null ? null : JSON.parse(plan)
    const changes = {
      ...(about(file_name) && { file_name: NAME }),
      ...(chosen?.source && about(chosen.source) && { plan: JSON.stringify({ ...chosen, source: NAME }) }),
      // A digest that no other list has: the old one was computed from headers that may contain the person's words.
      ...(cells.some(about) && { headers: columnsLike(cells), headers_digest: `erased ${id}` }),
    }
    if (Object.keys(changes).length > 0) await tx.updateTable('imports').set(changes).where('id', '=', id).execute()
  }
}

const NAME = 'list'

const columnsLike = (cells: readonly string[]): string => JSON.stringify(cells.map((_, i) => `Column ${i + 1}`))

/** Whether a text contains exactly this address, and not one that only ends or begins like it. */
function namesAddress(text: string, key: string): boolean {
  const addresses = text.toLowerCase().split(/[\s",;:<>()[\]\\]+/)
  return addresses.some(one => one === key || one.replace(/\.$/, '') === key)
}
