/** `frontdesk accounts`: the table of those who have an account at the learning site. */
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Command } from 'commander'
import { type AddressList, NotAList, readAddressList } from '../accounts/address-list.ts'
import { askLearningSite } from '../accounts/learning-site.ts'
import { newSecret } from '../config/secret.ts'
import type { Settings } from '../config/settings.ts'
import { addressHash, type EmailAddress, parseEmail } from '../leads/email.ts'
import type { Store } from '../store/store.ts'
import { CommandFailed } from './command-failed.ts'
import { print } from './output.ts'
import { terminal } from './terminal.ts'
import { withStore } from './with-store.ts'

/** How long the learning site may take to answer a command, in milliseconds. */
const PATIENCE = 10_000

export function accountsCommand(): Command {
  const command = new Command('accounts').description('who has an account at the learning site')
  command
    .command('import <file>')
    .description(
      'take addresses into the table, of which only hashes are kept; "-" is standard input',
    )
    .option('--column <name>', 'the column of the addresses; otherwise email, e-mail or mail')
    .option('--replace', 'let them take the place of all that the table holds')
    .option('--skip-bad', 'import the others when lines hold no address')
    .action(importFile)
  command
    .command('check <address>')
    .description('ask whether an address has an account: the learning site or the table, as set')
    .action(check)
  return command
}

type ImportOptions = { column?: string; replace?: true; skipBad?: true }

async function importFile(file: string, { column, replace, skipBad }: ImportOptions) {
  const { addresses, bad } = await readList(file, column)
  for (const { line, reason } of bad) terminal().stderr.write(`line ${line}: ${reason}\n`)
  if (bad.length > 0 && !skipBad) {
    throw new CommandFailed(
      `Nothing was imported: ${countOf(bad, 'line')} of ${addresses.length + bad.length} cannot be used. To import the others, add --skip-bad.`,
    )
  }
  // With --replace, an export that went wrong would empty the table.
  if (addresses.length === 0) throw new CommandFailed('Nothing was imported: there is no address.')
  await withStore(async (store, { config: { settings } }) => {
    const secret = await secretOf(store)
    // In their order, so that the table is written from its beginning to its end.
    const hashes = [...new Set(addresses.map(address => addressHash(secret, address)))].sort()
    const held = await store.importAccounts(hashes, { replace: replace ?? false })
    print(`${countOf(hashes, 'address', 'es')} imported; the table now holds ${held}.`)
    const { directory } = settings.accounts
    if (directory !== 'table') {
      print(`It is not asked: accounts.directory is "${directory}" in the settings.`)
    }
  })
}

async function readList(file: string, column: string | undefined): Promise<AddressList> {
  const bytes = file === '-' ? await buffer(process.stdin) : await readWhole(file)
  try {
    return readAddressList(bytes, column)
  } catch (error) {
    if (error instanceof NotAList) {
      throw new CommandFailed(`Nothing was imported. ${error.message}`)
    }
    throw error
  }
}

async function readWhole(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw new CommandFailed(`${file} cannot be read: ${(error as Error).message}`)
  }
}

async function check(text: string): Promise<void> {
  const address = parseEmail(text)
  if (address === undefined) throw new CommandFailed(`"${text}" is no e-mail address`)
  await withStore(async (store, { config: { settings, accountsToken } }) => {
    const { directory } = settings.accounts
    const known =
      directory === 'http'
        ? await askSite(settings, accountsToken, address)
        : await store.hasAccount(addressHash(await secretOf(store), address))
    const witness = directory === 'http' ? 'the learning site' : 'the table'
    print(`${address} has ${known ? 'an' : 'no'} account, says ${witness}.`)
  })
}

async function askSite(
  { accounts: { url = '' } }: Settings,
  token: string | undefined,
  address: EmailAddress,
): Promise<boolean> {
  try {
    return await askLearningSite({ url, token, timeLimit: PATIENCE }, address)
  } catch (error) {
    throw new CommandFailed(`The learning site did not say: ${(error as Error).message}.`)
  }
}

/** What all who share the database hash addresses with. */
const secretOf = (store: Store): Promise<string> =>
  store.getOrCreateSecret('addresses', newSecret())

const countOf = ({ length }: unknown[], noun: string, plural = 's'): string =>
  `${length} ${noun}${length === 1 ? '' : plural}`
