/**
 * Copies of an installation as it is after the first start, which take a tenth of the time of the schema's
 * migrations. A test file that runs without `npm test` starts with empty databases.
 */
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './folder.ts'
import { shared } from './shared-databases.ts'

/** How long a start waits for a server that other tests keep busy, in milliseconds. */
export const BUSY_SERVER = 30_000

/** The name of the database in the data folder. */
export const DATABASE_FILE = 'frontdesk.db'

/** A temporary folder with the database of an installation on SQLite, as after its first start. */
export async function installationFolder(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t)
  await copyInstallation(folder)
  return folder
}

/** Makes a folder the data folder of an installation on SQLite, unless it already is one. */
export async function copyInstallation(folder: string): Promise<void> {
  if (existsSync(join(folder, DATABASE_FILE))) return
  const template = await shared('sqlite')
  if (template !== undefined) copyFileSync(join(template, DATABASE_FILE), join(folder, DATABASE_FILE))
}
