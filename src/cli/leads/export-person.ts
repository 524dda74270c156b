/** `frontdesk leads export-person`: everything that is stored about a person, as one file. */
import { open, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { exportPerson } from '../../mail/person-export.ts'
import { createMailReader } from '../mail/content.ts'
import { type By, byOption, recordInAuditLog } from '../terminal/actor.ts'
import { print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { addressSecretOf, withStore } from '../terminal/with-store.ts'
import { findPerson } from './find.ts'

export function addExportPerson(command: Command): void {
  command
    .command('export-person <person> <file>')
    .description(
      'write everything that is stored about a person (by lead id, email address or phone number) into a new ZIP file',
    )
    .addOption(byOption('the audit log'))
    .action(exportToFile)
}

async function exportToFile(text: string, file: string, { by }: By): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const person = await findPerson(store, text, config.settings)
    if ((await store.readPersonSummary(person)) === undefined)
      throw new CommandFailed(`Nothing is stored about ${person}.`)
    const reader = await createMailReader(store, config)
    const { settings } = config
    const addressSecret = await addressSecretOf(store)
    const parts = exportPerson({ store, settings, addressSecret, messageOf: reader.read }, person, now)
    await writeNew(file, parts)
    await recordInAuditLog(store, settings, { by, action: 'exported a person' })
    print(
      `Wrote everything about ${person} to ${file}. Read it before you pass it on: it contains notes and the names of colleagues.`,
    )
  })
}

/** Writes a new file that only its owner may read. Throws CommandFailed if the file exists or cannot be written. */
async function writeNew(file: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(
      error.code === 'EEXIST'
        ? `${file} already exists; name a new file.`
        : `${file} cannot be written: ${error.message}`,
    )
  })
  try {
    for await (const part of parts) await handle.writeFile(part)
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
