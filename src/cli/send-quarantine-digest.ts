/** `frontdesk quarantine digest`: sends the digests of the quarantine now, without waiting for their hour. */
import { asciiDomain } from '../leads/body/email.ts'
import { loadContent } from '../load-content.ts'
import { createMailer, describeMailError } from '../mail/transport/mailer.ts'
import { openLinks } from '../open-links.ts'
import { digestContent } from '../tasks/messages/quarantine-digest.ts'
import { parseAddress } from './terminal/arguments.ts'
import { print } from './terminal/output.ts'
import { CommandFailed } from './terminal/terminal.ts'
import { withStore } from './terminal/with-store.ts'

/** Sends them. The daily digests stay as they are scheduled. */
export async function sendDigest(options: { to?: string }): Promise<void> {
  const address = options.to === undefined ? undefined : parseAddress(options.to)
  await withStore(async (store, { config, now }) => {
    const { clock } = store
    const { messages } = loadContent(config, await openLinks(config, store), clock)
    const contents = await Promise.all(
      (['site', 'student'] as const).map(async kind => ({
        kind,
        content: await digestContent({ store, clock, config, messages }, kind),
      })),
    )
    const mailer = createMailer(config)
    let sent = 0
    try {
      for (const { kind, content } of contents) {
        if ('skip' in content) continue
        const to = address === undefined ? content.to : { name: '', address }
        const id = `digest-on-request.${kind}.${now}@${asciiDomain(config.mailFrom)}`
        await mailer.send(messages.asMessage({ ...content, to }, { id, date: new Date(now) }))
        print(`The digest was sent to ${to.address}, through ${mailer.destination}.`)
        sent++
      }
    } catch (error) {
      throw new CommandFailed(describeMailError(error))
    } finally {
      await mailer.close()
    }
    if (sent === 0) print('No submissions are quarantined, so there is no digest.')
  })
}
