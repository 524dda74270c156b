/** `frontdesk quarantine digest`: sends the digest of the quarantine now, without waiting for its hour. */
import { asciiDomain } from '../leads/email.ts'
import { loadContent } from '../load-content.ts'
import { createMailer, describeMailError } from '../mail/mailer.ts'
import { openLinks } from '../open-links.ts'
import { digestContent } from '../tasks/quarantine-digest.ts'
import { parseAddress } from './arguments.ts'
import { print } from './output.ts'
import { CommandFailed } from './terminal.ts'
import { withStore } from './with-store.ts'

/** The daily digest stays as it is scheduled. */
export async function sendDigest(options: { to?: string }): Promise<void> {
  const address = options.to === undefined ? undefined : parseAddress(options.to)
  await withStore(async (store, { config, now }) => {
    const { clock } = store
    const { messages } = loadContent(config, await openLinks(config, store), clock)
    const content = await digestContent({ store, clock, config, messages })
    if ('skip' in content) return print('No submissions are quarantined, so there is no digest.')
    const to = address === undefined ? content.to : { name: '', address }
    const id = `digest-on-request.${now}@${asciiDomain(config.mailFrom)}`
    const mailer = createMailer(config)
    try {
      await mailer.send(messages.asMessage({ ...content, to }, { id, date: new Date(now) }))
    } catch (error) {
      throw new CommandFailed(describeMailError(error))
    } finally {
      await mailer.close()
    }
    print(`The digest was sent to ${to.address}, through ${mailer.destination}.`)
  })
}
