/** `frontdesk leads export-person`: everything that is stored about a person, as one file. */
import { open, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { parseEmail } from '../../leads/body/email.ts'
import { reachOf } from '../../leads/lead/lead.ts'
import { exportPerson } from '../../mail/person-export.ts'
import { createMailReader } from '../mail/content.ts'
import { type By, byOption, recordInAuditLog } from '../terminal/actor.ts'
import { parseId } from '../terminal/arguments.ts'
import { print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { addressSecretOf, findLead, withStore } from '../terminal/with-store.ts'

export function addExportPerson(command: Command): void {
  command
    .command('export-person <id-or-address> <file>')
    .description('write everything that is stored about a person into a new ZIP file')
    .addOption(byOption('the audit log'))
    .action(exportToFile)
}

async function exportToFile(idOrAddress: string, file: string, { by }: By): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const email = parseEmail(idOrAddress) ?? reachOf(await findLead(store, parseId(idOrAddress)))
    if ((await store.readPersonSummary(email)) === undefined)
      throw new CommandFailed(`Nothing is stored about ${email}.`)
    const reader = await createMailReader(store, config)
    const { settings } = config
    const addressSecret = await addressSecretOf(store)
    const parts = exportPerson({ store, settings, addressSecret, messageOf: reader.read }, email, now)
    await writeNew(file, parts)
    await recordInAuditLog(store, settings, { by, action: 'exported a person' })
    print(
      `Wrote everything about ${email} to ${file}. Read it before you pass it on: it contains notes and the names of colleagues.`,
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
