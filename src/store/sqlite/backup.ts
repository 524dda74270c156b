/** Copies of a database file: making them while the service runs, verifying them, putting them back in its place. */
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { requireKnownVersion } from '../migrations/migrate.ts'
import { BUSY_TIMEOUT, lockOut } from './locks.ts'
import { unmarkMoved } from './moved-marker.ts'
import { hasOwnLog, requireOwnLog } from './moved-over.ts'

/** The content of a copy. */
export type Copy = {
  submissions: number
  leads: number
  /** When the newest submission came in, Unix milliseconds; null if there is none. */
  newest: number | null
}

/** What only the database before a restore has. */
export type OnlyBefore = {
  submissions: number
  /** The names and addresses of the people of the first of these submissions. */
  people: string[]
  /** How many erased people its register lists. */
  erased: number
  /** How many addresses it suppresses. They are taken over. */
  suppressed: number
}

/**
 * Copies the database of one moment into a new file that only its owner can read, and verifies the
 * copy. Others may read and write the database meanwhile. Once it returns, the copy is on the disk.
 *
 * Throws with a plain reason; then there is no file `to`.
 */
export function copyDatabase(from: string, to: string): Copy {
  const draft = `${to}.unfinished`
  rmSync(draft, { force: true })
  try {
    writeFileSync(draft, '', { mode: 0o600 })
    const source = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT })
    try {
      source.prepare('vacuum into ?').run(draft)
    } finally {
      source.close()
    }
    const copy = verifyCopy(draft)
    sync(draft)
    renameSync(draft, to)
    sync(dirname(to))
    return copy
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Reads every page of the file. Throws with a plain reason if it is not a complete database that we can use. */
export function verifyCopy(file: string): Copy {
  requireOwnLog(file)
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const [first] = db.prepare('pragma integrity_check(1)').all()
    if (first?.['integrity_check'] !== 'ok') throw new Error(`it is damaged: ${first?.['integrity_check']}`)
    if (db.prepare('pragma foreign_key_check').get() !== undefined)
      throw new Error('it is damaged: a row refers to a row that does not exist')
    requireKnownSchema(db)
    return contentsOf(db)
  } finally {
    db.close()
  }
}

function requireKnownSchema(db: DatabaseSync): void {
  const found = db.prepare(`select 1 from sqlite_schema where name = 'schema_versions'`).get()
  if (found === undefined) throw new Error('it is not a database of Frontdesk')
  requireKnownVersion(Number(db.prepare('select max(version) as v from schema_versions').get()?.['v']))
}

function contentsOf(db: DatabaseSync): Copy {
  const row = db
    .prepare(
      `select (select count(*) from submissions) as submissions, (select count(*) from leads) as leads,
         (select max(received_at) from submissions) as newest`,
    )
    .get()
  return row as Copy
}

/** Makes a draft of the database `file` from a verified copy, beside the database. Returns the draft's name. */
export function draftFrom(copy: string, file: string): string {
  const draft = `${file}.restored`
  removeWithLogs(draft)
  copyDatabase(copy, draft)
  const db = new DatabaseSync(draft)
  unmarkMoved(db)
  db.close()
  return draft
}

/**
 * Puts a draft in the place of the database, in one step, and gives it to the owner of the folder. The former database
 * becomes `kept`, and the draft gets its suppressions. Returns what only the former one has; undefined if it cannot be
 * read.
 *
 * Throws with a plain reason, and changes nothing, when another process has the database open.
 */
export function replaceDatabase(
  file: string,
  { draft, kept }: { draft: string; kept: string },
): OnlyBefore | undefined {
  let only: OnlyBefore | undefined
  if (existsSync(file)) {
    only = settle(file, draft)
    linkSync(file, kept)
  }
  // A log that a crash left behind must not be applied to another database.
  for (const log of ['-wal', '-shm']) {
    if (existsSync(`${file}${log}`)) renameSync(`${file}${log}`, `${kept}${log}`)
  }
  const { uid, gid } = statSync(dirname(file))
  if (process.getuid?.() === 0) chownSync(draft, uid, gid)
  sync(draft)
  renameSync(draft, file)
  sync(dirname(file))
  return only
}

const PEOPLE_NAMED = 20

/** A service that ran on an empty database in between may have given ids of the backup to other submissions. */
const SUBMISSIONS_BEFORE = `
  select count(*) over () as count,
    json_extract(body, '$.firstName') || ' ' || json_extract(body, '$.lastName') || ', ' || email
      as person
  from main.submissions s
  where not exists (
    select 1 from draft.submissions d
    where d.id = s.id and d.key = s.key and d.received_at = s.received_at)
  order by id desc limit ?`

const ERASED_BEFORE = `
  select coalesce(sum(people), 0) as count from main.erasures e
  where not exists (select 1 from draft.erasures d where d.id = e.id and d.at = e.at)`

/** People who do not want to hear from us should not have to say so again. A person's request replaces a bounce. */
const TAKE_SUPPRESSIONS = `
  insert into draft.suppressions select address_hash, reason, since from main.suppressions where true
  on conflict do update set reason = excluded.reason where reason = 'bounced' and excluded.reason <> 'bounced'`

/** Writes the log into the file, which is possible only if no one else has it open. */
function settle(file: string, draft: string): OnlyBefore | undefined {
  if (!hasOwnLog(file)) return undefined
  const db = new DatabaseSync(file)
  try {
    if (lockOut(db)) return takeOver(db, draft)
  } catch {
    return undefined
  } finally {
    db.close()
  }
  throw new Error('a service or a command is still using it; stop the service first')
}

/** Takes the suppressions over into the draft, and reads what else only the database has. */
function takeOver(db: DatabaseSync, draft: string): OnlyBefore {
  db.prepare('attach ? as draft').run(draft)
  const people = db.prepare(SUBMISSIONS_BEFORE).all(PEOPLE_NAMED)
  const counted = (statement: string) => Number(db.prepare(statement).get()?.['count'])
  return {
    submissions: Number(people[0]?.['count'] ?? 0),
    people: people.map(({ person }) => String(person)),
    erased: counted(ERASED_BEFORE),
    suppressed: Number(db.prepare(TAKE_SUPPRESSIONS).run().changes),
  }
}

export function removeWithLogs(file: string): void {
  for (const name of [file, `${file}-wal`, `${file}-shm`, `${file}.unfinished`]) rmSync(name, { force: true })
}

function sync(path: string): void {
  // Windows does not open folders.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
