/** `frontdesk check`: verifies the settings, the content, the database and the servers that we depend on. */
import { Readable } from 'node:stream'
import { Command } from 'commander'
import { TIME_LIMIT } from '../../accounts/directory.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { adviceOn, configurationNotes } from '../../config/configuration-notes.ts'
import { isNewDatabase, loosePermissions, requireRoomForData } from '../../config/data-folder.ts'
import { readInForce } from '../../config/edited-settings.ts'
import { editionNotes } from '../../config/edition-notes.ts'
import { envFileNotes } from '../../config/env-file-notes.ts'
import { describeDatabase } from '../../config/environment.ts'
import { editedFormNotes } from '../../config/form-notes.ts'
import { brandNotes } from '../../content/brand.ts'
import { ROOT_LANGUAGE } from '../../content/content-files.ts'
import { templateOf } from '../../follow-up/cadence.ts'
import { mailWarnings } from '../../http/health.ts'
import { kinds } from '../../leads/body/submission.ts'
import { lostDestinationLine } from '../../leads/words/lost-destinations.ts'
import { loadContent } from '../../load-content.ts'
import type { Messages } from '../../mail/messages.ts'
import { newSecret } from '../../platform/secret.ts'
import { createLinks } from '../../signed-links.ts'
import { openStore } from '../../store/open-store.ts'
import { scan } from '../../tasks/scanning/scan-command.ts'
import { print } from '../terminal/output.ts'
import { CommandFailed, terminal } from '../terminal/terminal.ts'
import { checkMail } from './check-mail-server.ts'
import { contentNotes } from './content-notes.ts'
import { teamNotes } from './team-notes.ts'

export function checkCommand(): Command {
  return new Command('check')
    .description('verify the settings, the database and the mail server')
    .option('--send-test-mail <address>', 'also send a test message to this address')
    .action(check)
}

async function check({ sendTestMail }: { sendTestMail?: string }): Promise<void> {
  const config = await loadConfig(terminal().env)
  print('ok    environment and settings')
  const stored: string[] = []
  const results = [
    // Comes first, because what was edited in the console decides which content there must be.
    await attempt(`database ${describeDatabase(config.database)}`, async () => {
      stored.push(...(await checkStore(config)))
    }),
    await attempt('content', async () => requireStepMessages(config, messagesOf(config))),
    await attempt('mail', () => checkMail(config, () => messagesOf(config), sendTestMail)),
    ...(await checkServers(config)),
  ]
  const notes = [
    ...stored,
    ...editionNotes(config),
    ...contentNotes(config),
    ...loosePermissions(config),
    ...envFileNotes(),
    ...configurationNotes(config),
    ...editedFormNotes(config.settings),
    ...brandNotes(config.settings.school.brand),
    ...adviceOn(config),
  ]
  for (const line of notes) print(`note  ${line}`)
  if (results.includes(false)) throw new CommandFailed('Not all checks passed.')
}

/** Checks the scanner, the mailbox and the learning site, if the configuration names them. */
async function checkServers({ imapUrl, settings, accountsToken: token }: Config) {
  const results: boolean[] = []
  const { scanCommand } = settings.attachments
  if (scanCommand.length > 0) results.push(await attempt(`scanner ${scanCommand[0]}`, () => tryScanner(scanCommand)))
  if (imapUrl !== undefined) {
    const { describeMailbox, verifyMailbox } = await import('../../mail/inbound/mailbox-address.ts')
    results.push(await attempt(`mailbox ${describeMailbox(imapUrl)}`, () => verifyMailbox(imapUrl)))
  }
  const { directory, url = '' } = settings.accounts
  if (directory === 'http') {
    const { askLearningSite } = await import('../../accounts/learning-site.ts')
    const ask = async () => void (await askLearningSite({ url, token, timeLimit: TIME_LIMIT }, 'check@example.com'))
    results.push(await attempt(`accounts ${new URL(url).origin}`, ask))
  }
  return results
}

/** Throws an Error unless the scanner finds a short text clean. */
async function tryScanner(command: readonly string[]): Promise<void> {
  const verdict = await scan(command, Readable.from([Buffer.from('Frontdesk tries its scanner.')]))
  if (verdict === 'infected') throw new Error('it exits with 1, which means a virus, for a short text without one')
}

async function attempt(what: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    print(`ok    ${what}`)
    return true
  } catch (error) {
    print(`fail  ${what}: ${(error as Error).message}`)
    return false
  }
}

/** Opens the database, applies what was edited in the console, and returns what to know about its content. */
async function checkStore(config: Config): Promise<string[]> {
  if (isNewDatabase(config)) {
    requireRoomForData(config)
    return ['there is no database yet; the first start of the service creates it']
  }
  const store = await openStore(config.database)
  try {
    await readInForce(store, config)
    const backlog = await store.countBacklog(store.clock.now())
    return [
      ...(await store.serverNotes()),
      ...(await teamNotes(config, store)),
      ...mailWarnings(backlog),
      ...backlog.lostDestinations.map(lostDestinationLine),
    ]
  } finally {
    await store.close()
  }
}

/** The messages, with links that do nothing: a test message only has to arrive. */
const messagesOf = (config: Config) =>
  loadContent(config, createLinks({ ...config, secretKey: newSecret(), staff: () => [] }), Date).messages

/** Throws an Error if a step that was edited in the console sends a message that is missing or broken. */
function requireStepMessages({ settings }: Config, messages: Pick<Messages, 'sampleOfStep'>): void {
  for (const kind of kinds)
    for (const step of settings.followUp[kind]) {
      const file = templateOf(step)
      if (file !== undefined) messages.sampleOfStep(file, { kind, language: ROOT_LANGUAGE })
    }
}
