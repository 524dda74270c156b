/** `frontdesk accounts`: the table of people who have an account at the learning site. */
import { buffer } from 'node:stream/consumers'
import { Command } from 'commander'
import { type AddressList, InvalidList, readAddressList } from '../accounts/address-list.ts'
import { askLearningSite } from '../accounts/learning-site.ts'
import type { Settings } from '../config/settings.ts'
import { addressHash, type EmailAddress } from '../leads/body/email.ts'
import { SECOND } from '../platform/time.ts'
import { parseAddress } from './terminal/arguments.ts'
import { readNamed } from './terminal/named-file.ts'
import { count, print } from './terminal/output.ts'
import { CommandFailed, terminal } from './terminal/terminal.ts'
import { addressSecretOf, withStore } from './terminal/with-store.ts'

/** How long a command waits for the learning site, in milliseconds. */
const TIMEOUT = 10 * SECOND

export function accountsCommand(): Command {
  const command = new Command('accounts').description(
    'manage the table of people who have an account at the learning site',
  )
  command
    .command('import <file>')
    .description('import email addresses from a file or, with "-", from standard input; only hashes are stored')
    .option('--column <name>', 'the column of the addresses (default: email, e-mail or mail)')
    .option('--replace', 'replace everything in the table')
    .option('--skip-bad', 'skip lines without a valid address instead of importing nothing')
    .action(importFile)
  command
    .command('check <address>')
    .description('show whether an address has an account, according to the learning site or the table')
    .action(check)
  return command
}

type ImportOptions = { column?: string; replace?: true; skipBad?: true }

async function importFile(file: string, { column, replace, skipBad }: ImportOptions) {
  const { addresses, bad } = await readList(file, column)
  for (const { line, reason } of bad) terminal().stderr.write(`line ${line}: ${reason}\n`)
  if (bad.length > 0 && !skipBad) {
    throw new CommandFailed(
      `Nothing was imported: ${bad.length} of ${count(bad.length + addresses.length, 'line')} cannot be used. To import the others, add --skip-bad.`,
    )
  }
  // With --replace, the empty list of a failed export would empty the table.
  if (addresses.length === 0) {
    throw new CommandFailed('Nothing was imported: the list holds no addresses.')
  }
  await withStore(
    async (store, { config: { settings } }) => {
      const secret = await addressSecretOf(store)
      // Sorted, so that the database writes the table from its beginning to its end.
      const hashes = [...new Set(addresses.map(address => addressHash(secret, address)))].sort()
      const total = await store.importAccounts(hashes, { replace: replace ?? false })
      print(`${count(hashes.length, 'address', 'addresses')} imported; the table now holds ${total}.`)
      const { directory } = settings.accounts
      if (directory !== 'table') {
        print(`Note: this table is not used while accounts.directory is "${directory}" in the settings.`)
      }
    },
    { creates: true },
  )
}

async function readList(file: string, column: string | undefined): Promise<AddressList> {
  const bytes = file === '-' ? await buffer(process.stdin) : await readNamed(file)
  try {
    return readAddressList(bytes, column)
  } catch (error) {
    if (error instanceof InvalidList) {
      throw new CommandFailed(`Nothing was imported. ${error.message}`)
    }
    throw error
  }
}

async function check(text: string): Promise<void> {
  const address = parseAddress(text)
  await withStore(async (store, { config: { settings, accountsToken } }) => {
    const { directory } = settings.accounts
    const found =
      directory === 'http'
        ? await askSite(settings, accountsToken, address)
        : (await store.accountsAmong([addressHash(await addressSecretOf(store), address)])).size > 0
    const source = directory === 'http' ? 'the learning site' : 'the table'
    print(`${address} has ${found ? 'an' : 'no'} account, according to ${source}.`)
  })
}

async function askSite(
  { accounts: { url = '' } }: Settings,
  token: string | undefined,
  address: EmailAddress,
): Promise<boolean> {
  try {
    return await askLearningSite({ url, token, timeLimit: TIMEOUT }, address)
  } catch (error) {
    throw new CommandFailed(`The learning site gave no usable response: ${(error as Error).message}.`)
  }
}
