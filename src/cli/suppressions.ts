/** `frontdesk suppressions`: the addresses that are sent no letters. */
import { Command } from 'commander'
import { newSecret } from '../config/secret.ts'
import { addressHash, parseEmail } from '../leads/email.ts'
import type { Store } from '../store/store.ts'
import { CommandFailed } from './command-failed.ts'
import { moment, print } from './output.ts'
import { withStore } from './with-store.ts'

export function suppressionsCommand(): Command {
  const command = new Command('suppressions').description('addresses that are sent no letters')
  command
    .command('check <address>')
    .description('tell whether letters go to an address, and if not why')
    .action(check)
  command
    .command('add <address>')
    .description('send no more letters to an address, as its owner wishes')
    .action(add)
  command
    .command('remove <address>')
    .description('let an address be sent letters again')
    .action(remove)
  return command.addHelpText(
    'after',
    `
Only hashes are kept, so there is no list to show. An address gets on it when its owner unsubscribes,
reports a letter as spam or is erased, and when its mail server does not know it.`,
  )
}

/** What an address is remembered by where it must not be readable. */
export const hashOf = async (store: Store, email: string): Promise<string> =>
  addressHash(await store.getOrCreateSecret('addresses', newSecret()), email)

async function check(text: string): Promise<void> {
  await about(text, async (store, email, hash) => {
    const found = await store.readSuppression(hash)
    print(
      found
        ? `${email} is left alone since ${moment(found.since)}: ${found.reason}.`
        : `${email} may be sent letters.`,
    )
  })
}

async function add(text: string): Promise<void> {
  await about(text, async (store, email, hash, now) => {
    const fresh = await store.suppress(hash, 'unsubscribed', now)
    print(fresh ? `${email} is left alone from now on.` : `${email} was left alone before.`)
  })
}

async function remove(text: string): Promise<void> {
  await about(text, async (store, email, hash) => {
    const removed = await store.unsuppress(hash)
    print(removed ? `${email} may be sent letters again.` : `${email} was not left alone.`)
  })
}

async function about(
  text: string,
  work: (store: Store, email: string, hash: string, now: number) => Promise<void>,
): Promise<void> {
  const email = parseEmail(text)
  if (email === undefined) throw new CommandFailed(`"${text}" is no e-mail address.`)
  await withStore(async (store, { now }) => work(store, email, await hashOf(store, email), now))
}
