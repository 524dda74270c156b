/** `frontdesk suppressions`: the addresses that get no follow-up emails. */
import { Command } from 'commander'
import type { Settings } from '../config/settings.ts'
import type { EmailAddress } from '../leads/body/email.ts'
import { mailboxHash, suppressionHashes } from '../leads/body/mailbox-key.ts'
import type { Store } from '../store/store.ts'
import { auditEntries, type By, byOption } from './terminal/actor.ts'
import { parseAddress, parseTime, TIME } from './terminal/arguments.ts'
import { count, print } from './terminal/output.ts'
import { CommandFailed } from './terminal/terminal.ts'
import { createTimes, type Times } from './terminal/times.ts'
import { addressSecretOf, withStore } from './terminal/with-store.ts'

export function suppressionsCommand(): Command {
  const command = new Command('suppressions').description('manage the addresses that get no follow-up emails')
  command
    .command('check <address>')
    .description('show whether an address is suppressed, how long and why')
    .action(check)
  command
    .command('add <address>')
    .description('send no more follow-up emails to an address')
    .addOption(byOption('the audit log'))
    .action(add)
  command
    .command('remove [address]')
    .description('allow follow-up emails to an address again')
    .option(
      '--bounced-since <time>',
      `instead of one address, all that bounced since then, because of a mistake at your mail server (${TIME})`,
    )
    .addOption(byOption('the audit log'))
    .action(remove)
  return command.addHelpText(
    'after',
    `
Frontdesk stores only hashes of these addresses, so it cannot list them. Sub-addresses
(ana+school@…) count as one address, except those that bounced.
An address is suppressed when its owner unsubscribes, reports an email as spam
or is erased, and when its mail server does not know it.`,
  )
}

async function check(text: string): Promise<void> {
  await withAddress(text, async (store, address, { secret, times }) => {
    const found = await store.readSuppression(suppressionHashes(secret, address))
    print(
      found
        ? `${address} has been suppressed since ${times.full(found.since)} (${found.reason}).`
        : `${address} is not suppressed.`,
    )
  })
}

async function add(text: string, { by }: By): Promise<void> {
  await withAddress(text, async (store, address, { settings, secret, now }) => {
    const audit = auditEntries(store, settings, { by, action: 'suppressed an address' })
    const added = await store.suppressByHand(mailboxHash(secret, address), { now, audit })
    print(`${address} is ${added ? 'now' : 'already'} suppressed.`)
  })
}

async function remove(text: string | undefined, { bouncedSince, by }: By & { bouncedSince?: string }): Promise<void> {
  if ((text === undefined) === (bouncedSince === undefined)) {
    throw new CommandFailed('Give either an address or --bounced-since.')
  }
  if (text === undefined) return removeBounced(bouncedSince as string, by)
  await withAddress(text, async (store, address, { settings, secret }) => {
    const audit = auditEntries(store, settings, { by, action: LIFTED })
    const removed = await store.unsuppress(suppressionHashes(secret, address), audit)
    print(`${address} is ${removed ? 'no longer' : 'not'} suppressed.`)
  })
}

const LIFTED = 'ended the suppression of an address'

async function removeBounced(text: string, by: string | undefined): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const since = parseTime(text, now, settings.school.timeZone)
    const removed = await store.unsuppressBounced(since, auditEntries(store, settings, { by, action: LIFTED }))
    print(`${count(removed, 'address is', 'addresses are')} no longer suppressed.`)
  })
}

async function withAddress(
  text: string,
  work: (
    store: Store,
    address: EmailAddress,
    context: { settings: Settings; secret: string; now: number; times: Times },
  ) => Promise<void>,
): Promise<void> {
  const address = parseAddress(text)
  await withStore(async (store, { config: { settings }, now }) => {
    const secret = await addressSecretOf(store)
    await work(store, address, { settings, secret, now, times: createTimes(settings.school, now) })
  })
}
