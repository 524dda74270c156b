/**
 * An installation on each engine, as it is after the first start, created once for a run of tests. A
 * copy takes a tenth of the time of the schema's migrations. A test file that runs without the global
 * setup starts with empty databases.
 */
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { newSecret } from '../../src/config/secret.ts'
import { openStore } from '../../src/store/open-store.ts'
import { fastFolder, temporaryFolder } from './folder.ts'
import { postgresRows } from './postgres.ts'

export type Templates = { remove(): Promise<void> }

/** How long a start waits for a server that other tests keep busy, in milliseconds. */
export const BUSY_SERVER = 30_000

const FILE = 'frontdesk.db'

/** Creates both, and stores where they are in TEST_SQLITE_TEMPLATE and TEST_POSTGRES_TEMPLATE. */
export async function makeTemplates(server: string): Promise<Templates> {
  const secret = newSecret()
  const folder = mkdtempSync(join(fastFolder(), 'frontdesk-template-'))
  const store = await openStore({ engine: 'sqlite', file: join(folder, FILE) })
  await store.getOrCreateSecret('links', secret)
  await store.close()
  process.env['TEST_SQLITE_TEMPLATE'] = folder

  const name = `frontdesk_template_${randomBytes(8).toString('hex')}`
  await postgresRows(server, `create database ${name} template template0`)
  const url = new URL(server)
  url.pathname = name
  const shared = await openStore({ engine: 'postgres', url: url.href })
  await shared.getOrCreateSecret('links', secret)
  await shared.close()
  process.env['TEST_POSTGRES_TEMPLATE'] = `${name}${await strategy(server)}`
  return {
    remove: async () => {
      rmSync(folder, { recursive: true })
      await postgresRows(server, `drop database ${name} with (force)`)
    },
  }
}

/** Copying files is faster than writing each page to the log. PostgreSQL 14 always copies files. */
async function strategy(server: string): Promise<string> {
  const [row] = await postgresRows(server, `select current_setting('server_version_num')::int as n`)
  return row.n >= 15_0000 ? ' strategy file_copy' : ''
}

/** A temporary folder with the database of an installation on SQLite, as after its first start. */
export function installationFolder(t: TestContext): string {
  const folder = temporaryFolder(t)
  copyInstallation(folder)
  return folder
}

/** Makes a folder the data folder of an installation on SQLite, unless it already is one. */
export function copyInstallation(folder: string): void {
  const template = process.env['TEST_SQLITE_TEMPLATE']
  if (template === undefined) return
  if (!existsSync(join(folder, FILE))) copyFileSync(join(template, FILE), join(folder, FILE))
}

/** The template on PostgreSQL, for `create database … template`. */
export const postgresTemplate = (): string => process.env['TEST_POSTGRES_TEMPLATE'] ?? 'template0'
