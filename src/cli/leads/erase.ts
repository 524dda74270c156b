/** `frontdesk leads erase`: erases a person, with everything they sent. */
import { erasePerson } from '../../lead-actions/erase-person.ts'
import { isAddress } from '../../leads/body/person-key.ts'
import { tidy } from '../../leads/body/tidy-text.ts'
import type { AskedReason } from '../../leads/lead/erasure-reasons.ts'
import { COMMAND_LINE } from '../../leads/lead/staff.ts'
import type { By } from '../terminal/actor.ts'
import { count, print } from '../terminal/output.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { leadServices, withStore } from '../terminal/with-store.ts'
import { findPerson } from './find.ts'

/** Erases a person, named by a lead id, an address or a number. Without `yes`, throws what it would erase. */
export async function erase(text: string, { yes, why, by }: { yes?: true; why: AskedReason } & By): Promise<void> {
  await withStore(async (store, { config }) => {
    const person = await findPerson(store, text, config.settings)
    const addresses = await store.addressesOfPerson(person)
    const known = addresses.length === 0 ? [person] : addresses
    const which = isAddress(person) ? 'that address' : 'that number'
    if (!yes) {
      throw new CommandFailed(
        `This would permanently erase ${known.join(' and ')}: every lead with ${known.length === 1 ? which : 'one of these addresses, whose leads were merged'}, and all its submissions,
notes and emails in files. Nothing has been erased yet. To erase, add --yes.`,
      )
    }
    const rows = await store.readPersonRows(person)
    const askedBy = by === undefined ? COMMAND_LINE : `${tidy(by)} (${COMMAND_LINE})`
    const erased = await erasePerson(await leadServices(store, config), person, { askedBy, reason: why })
    const found = erased.submissions + erased.messages.length + rows.length
    if (found === 0 && erased.overwritten) {
      throw new CommandFailed(`Nothing is stored about ${person}.`)
    }
    print(
      [
        `Erased ${count(erased.leads, 'lead')}, ${count(erased.submissions, 'submission')} and ${count(erased.captured, 'email in a file', 'emails in files')}.${rows.length === 0 ? '' : ` Erased ${count(rows.length, 'row')} of uploaded lists.`}${why === 'asked' && addresses.length > 0 ? ' The address gets no more follow-up emails.' : ''}`,
        'Out of reach: emails already sent, logs of mail servers, backups.',
        ...(erased.overwritten
          ? []
          : [
              'Another program is reading the database file, so what was erased is still in its log, frontdesk.db-wal. The service overwrites it within an hour after that program has ended; without the service, run this command again then.',
            ]),
        ...(config.database.engine === 'postgres' ? ['PostgreSQL overwrites deleted rows with its next vacuum.'] : []),
      ].join('\n'),
    )
  })
}
