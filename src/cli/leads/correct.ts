/** `frontdesk leads correct`: gives a lead the right email address, phone number or language. */
import type { Command } from 'commander'
import { correct as correctContact } from '../../lead-actions/correct.ts'
import { correctionInWords } from '../../leads/lead/corrections.ts'
import { actorNamed, type By, byOption } from '../terminal/actor.ts'
import { assertWritten } from '../terminal/arguments.ts'
import { count, print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { findLead, leadDoesNotExist, leadServices, withStore } from '../terminal/with-store.ts'
import { findLeadId } from './find.ts'

export function addLeadCorrect(command: Command): void {
  command
    .command('correct <lead>')
    .description('correct a mistyped email address or phone number, or the language; what was sent stays as it is')
    .option('--email <address>', 'the right email address')
    .option('--phone <number>', 'the right phone number')
    .option('--language <tag>', 'the language in which we write to them')
    .option('--send-again', 'send what did not arrive again, to the new address')
    .addOption(byOption())
    .action(correct)
}

type Options = { email?: string; phone?: string; language?: string; sendAgain?: true } & By

async function correct(text: string, { sendAgain, by, language, ...given }: Options): Promise<void> {
  if ([given.email, given.phone, language].every(one => one === undefined)) {
    throw new CommandFailed('Nothing to correct was given; use --email, --phone or --language.')
  }
  await withStore(async (store, { config }) => {
    const { settings } = config
    const actor = actorNamed(by, settings)
    if (language !== undefined) assertWritten(language, settings)
    const id = await findLeadId(store, text, settings)
    const lead = await findLead(store, id)
    const { email } = lead
    const contact = { email: email ?? '', phone: lead.phone ?? '', ...given }
    const failed = (await store.listEmailsToPerson(lead)).filter(one => one.failed)
    const again = sendAgain ? failed.map(({ task }) => task.id) : []
    const services = await leadServices(store, config)
    const result = await correctContact(services, lead, { ...contact, language, again }, { actor })
    if (result.outcome === 'invalid') throw new CommandFailed(Object.values(result.problems).join(' '))
    if (result.outcome === 'gone') throw leadDoesNotExist(id)
    if (result.outcome === 'taken') {
      throw new CommandFailed(
        `${given.email ?? given.phone} has another open lead, ${result.by}. Nothing was changed. If both are one person: npx frontdesk leads merge ${id} ${result.by}`,
      )
    }
    if (result.outcome !== 'done') return print(`Lead ${id} has this contact data already.`)
    const sent = again.length > 0 && result.lead.email !== email
    print(
      [
        `Lead ${id} is corrected.`,
        correctionInWords(lead, { email: result.lead.email, phone: result.lead.phone, language }),
        ...(sent ? [`Sending ${count(again.length, 'email')} again.`] : []),
      ].join('\n'),
    )
  })
}
