/** Stores an uploaded list row by row, and guesses what its columns contain. */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kind } from '../leads/body/submission.ts'
import { codePoints, tidy } from '../leads/body/tidy-text.ts'
import { type FileRow, NotCsv, readFile } from '../leads/import/csv-upload.ts'
import type { ImportPlan } from '../leads/import/inquiry-of-row.ts'
import { guessColumns, isPerson, nameHeaders } from '../leads/import/list-columns.ts'
import type { ListValues } from '../leads/import/list-values.ts'
import { guessStatusColumns, type StatusPlan } from '../leads/import/status-list.ts'
import type { Import } from '../store/imports/imports.ts'
import type { AuditEntry } from '../store/operators/audit-log.ts'
import type { Store } from '../store/store.ts'
import type { ImportPurpose } from '../store/tables/import-tables.ts'

/** How many of the first rows show how many columns there are, and what they contain. */
export const SAMPLES = 50

const AT_ONCE = 250

type Upload = {
  bytes: Uint8Array
  fileName: string
  by: string
  now: number
  /** Default: the list adds people. */
  purpose?: ImportPurpose
  /** The key of a file in the folder of status lists. */
  fileKey?: string
  /** What to record in the audit log once the list is stored; the list's number is added. Default: nothing. */
  audit?: readonly AuditEntry[]
}

/**
 * Stores a list, and returns the id of its import. Pauses while submissions arrive, since they need the database.
 * Throws NotCsv, and stores nothing, if the file cannot be read to the end.
 */
export async function storeList(
  store: Pick<Store, 'addImport' | 'addImportRows' | 'endUpload' | 'discardImport' | 'backgroundDelay'>,
  { bytes, audit = [], ...upload }: Upload,
): Promise<number> {
  let waiting: FileRow[] = []
  let id: number | undefined
  let count = 0
  const flush = async () => {
    id ??= await begin(store, waiting, upload)
    const people = count === 0 && !isPerson(waiting[0]?.cells ?? []) ? waiting.slice(1) : waiting
    if (people.length > 0) await store.addImportRows(id, people)
    count += people.length
    waiting = []
    await sleep(store.backgroundDelay())
  }
  try {
    for await (const row of readFile(bytes)) {
      waiting.push(row)
      if (waiting.length >= AT_ONCE) await flush()
    }
    if (waiting.length > 0) await flush()
    if (id === undefined || count === 0)
      throw new NotCsv('The file has only headers. Add a row below them for each person.')
  } catch (error) {
    if (id !== undefined) await store.discardImport(id)
    throw error
  }
  const detail = listNumber(id)
  await store.endUpload(id, { rows: count, audit: audit.map(entry => ({ ...entry, detail })) })
  return id
}

async function begin(
  store: Pick<Store, 'addImport'>,
  rows: readonly FileRow[],
  upload: Omit<Upload, 'bytes' | 'audit'>,
): Promise<number> {
  const [first = { cells: [] }] = rows
  const named = isPerson(first.cells) ? [] : first.cells
  const widest = Math.max(...rows.slice(0, SAMPLES).map(({ cells }) => cells.length))
  const headers = nameHeaders(named, widest)
  const digest = hash('sha256', JSON.stringify(headers), 'base64url')
  return store.addImport({ headers, digest, ...upload })
}

type ListKind = { kind: Kind; languages: readonly string[]; questions: ListValues['questions'] }

/** The plan to start from: the one of the last list with these headers; otherwise a guess from headers and cells. */
export async function firstPlan(
  store: Pick<Store, 'recallPlan' | 'readImportRows'>,
  { id, headers, fileName, digest }: Pick<Import, 'id' | 'headers' | 'fileName' | 'digest'>,
  { kind, languages, questions }: ListKind,
): Promise<ImportPlan & { recalled: boolean }> {
  const recalled = await store.recallPlan(digest)
  const rows = await store.readImportRows(id, { after: 0, limit: SAMPLES })
  const samples = rows.map(({ cells }) => cells)
  const source = fileName.replace(/\.[^.]{1,5}$/, '')
  const columns = recalled?.columns ?? guessColumns(kind, headers, samples, questions[kind])
  return {
    kind: recalled?.kind ?? kind,
    columns,
    source,
    recalled: recalled !== undefined,
    language: recalled?.language ?? languages[0] ?? 'en',
    mayWrite: false,
    ...(recalled?.meanings && { meanings: recalled.meanings }),
  }
}

/** The same for a status list. `recalled`: someone chose the plan for the last list with these headers. */
export async function firstStatusPlan(
  store: Pick<Store, 'recallStatusPlan' | 'readImportRows'>,
  { id, headers, digest }: Pick<Import, 'id' | 'headers' | 'digest'>,
): Promise<StatusPlan & { recalled: boolean }> {
  const recalled = await store.recallStatusPlan(digest)
  if (recalled !== undefined) return { ...recalled.plan, recalled: true }
  const rows = await store.readImportRows(id, { after: 0, limit: SAMPLES })
  const samples = rows.map(({ cells }) => cells)
  return { columns: guessStatusColumns(headers, samples), meanings: {}, recalled: false }
}

/** The maximum number of characters in a list's name, and in the words that say where its people come from. */
const LONGEST_NAME = 100

/** The name of a list, as one line of at most 100 characters; may be empty. */
export const shortName = (name: string): string => oneLine(name).slice(0, LONGEST_NAME).toWellFormed()

/** Where the people of a list come from, as one line. */
export const oneLine = (text: string): string => tidy(text.toWellFormed().replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' '))

/** What is wrong with the words that say where a list's people come from, as the end of a sentence, if anything. */
export function sourceProblem(source: string): string | undefined {
  const length = codePoints(source)
  if (length === 0) return 'is empty: say where these people come from, such as “Fair Austin 2026-11”'
  if (length > LONGEST_NAME) return `must be at most ${LONGEST_NAME} characters (it has ${length})`
  return undefined
}

/** What the audit log calls a list: its number, since its name may be the name of a person. */
export const listNumber = (id: number): string => `list ${id}`
