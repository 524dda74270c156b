/** `frontdesk leads attachment`: saves a file that came or went with an email. */
import type { Command } from 'commander'
import { whyNotStored } from '../../leads/attachments/attachment.ts'
import { actorName } from '../../leads/lead/staff.ts'
import { attachmentContent } from '../../store/attachments/attachment-content.ts'
import { actorNamed, type By, byOption } from '../terminal/actor.ts'
import { parseId } from '../terminal/arguments.ts'
import { writeNew } from '../terminal/new-file.ts'
import { print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { withStore } from '../terminal/with-store.ts'

export function addAttachment(command: Command): void {
  command
    .command('attachment <attachment> <file>')
    .description('save an attachment as a new file; leads show prints its number')
    .addOption(byOption('the audit log'))
    .action(save)
}

async function save(number: string, file: string, { by }: By): Promise<void> {
  const id = parseId(number)
  await withStore(async (store, { config: { settings }, now }) => {
    const attachment = await store.readAttachment(id)
    if (attachment === undefined) throw new CommandFailed(`The attachment ${id} does not exist. See: leads show <lead>`)
    const { name, state, leadId } = attachment
    const why = whyNotStored(state)
    if (why !== undefined) throw new CommandFailed(`${name} was not stored: ${why}.`)
    if (state === 'unchecked') throw new CommandFailed(`${name} is being checked for viruses. Try again in a minute.`)
    const actor = actorName(actorNamed(by, settings), settings.admissions)
    const entry = { at: now, operatorId: null, actor, action: 'downloaded an attachment of', leadId }
    await writeNew(file, attachmentContent(store, attachment), () => store.recordAudit(entry))
    print(`Saved ${name}, from an email of lead ${leadId}, as ${file}.`)
  })
}
