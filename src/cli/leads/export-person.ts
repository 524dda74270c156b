/** `frontdesk leads export-person`: everything that is stored about a person, as one file. */
import type { Command } from 'commander'
import { exportPerson } from '../../privacy/person-as-zip.ts'
import { createMailReader } from '../mail/content.ts'
import { auditEntries, type By, byOption } from '../terminal/actor.ts'
import { writeNew } from '../terminal/new-file.ts'
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
    await writeNew(file, parts, () =>
      store.recordAudit(auditEntries(store, settings, { by, action: 'exported a person' })),
    )
    print(
      `Wrote everything about ${person} to ${file}. Read it before you pass it on: it contains notes and the names of colleagues.`,
    )
  })
}
