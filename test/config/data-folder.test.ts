import { equal, match, throws } from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { StartError } from '../../src/config/config-error.ts'
import { isNewDatabase, prepareDataFolder, requireDatabase } from '../../src/config/data-folder.ts'
import { temporaryFolder } from '../support/folder.ts'

const placeIn = (dataDir: string) => ({
  dataDir,
  database: { engine: 'sqlite', file: join(dataDir, 'frontdesk.db') } as const,
  smtpUrl: undefined,
})

const startError =
  (words: RegExp) =>
  (error: unknown): boolean => {
    match((error as Error).message, words)
    return error instanceof StartError
  }

describe('the data folder', () => {
  test('is created by the service, readable only by its owner', t => {
    const dataDir = join(temporaryFolder(t), 'made', 'here')
    prepareDataFolder(placeIn(dataDir))
    equal(statSync(dataDir).mode & 0o777, 0o700)
  })

  test('is not created where nothing would be stored in it', t => {
    const dataDir = join(temporaryFolder(t), 'data')
    const database = { engine: 'postgres', url: 'postgres://db.example/desk' } as const
    prepareDataFolder({ dataDir, database, smtpUrl: 'smtp://mail.example' })
    equal(existsSync(dataDir), false)
  })

  test('that cannot be created is reported, with the command that creates it', t => {
    const blocked = join(temporaryFolder(t), 'file')
    writeFileSync(blocked, '')
    throws(
      () => prepareDataFolder(placeIn(join(blocked, 'data'))),
      startError(/^DATA_DIR names .*data, which does not exist and cannot be created: .*install -d/),
    )
  })

  test('must hold a database before a command looks into it, which creates nothing', t => {
    const dataDir = join(temporaryFolder(t), 'data')
    const place = placeIn(dataDir)
    throws(() => requireDatabase(place), startError(/^There is no database at .*frontdesk\.db\. Run/))
    equal(isNewDatabase(place), true)
    equal(existsSync(dataDir), false)
    mkdirSync(dataDir)
    writeFileSync(place.database.file, '')
    requireDatabase(place)
    equal(isNewDatabase(place), false)
  })

  const root = process.getuid?.() === 0 && 'root may read and write everything'
  test('must be readable and writable, and so must its files', { skip: root }, t => {
    const dataDir = temporaryFolder(t)
    const place = placeIn(dataDir)
    writeFileSync(place.database.file, '')
    for (const [path, mode] of [
      [place.database.file, 0o400],
      [dataDir, 0o500],
    ] as const) {
      const before = statSync(path).mode
      chmodSync(path, mode)
      for (const look of [prepareDataFolder, requireDatabase]) {
        throws(
          () => look(place),
          startError(RegExp(`${path} belongs to .* its permissions do not .*: chmod -R u\\+rwX ${dataDir} `)),
        )
      }
      chmodSync(path, before)
    }
  })
})
