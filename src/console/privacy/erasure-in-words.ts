/** Erasing a person in the console: what it will delete, what stays, and what it has deleted. */
import { html } from 'hono/html'
import type { Erased } from '../../lead-actions/erase-person.ts'
import { isAddress } from '../../leads/body/person-key.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import type { AskedReason } from '../../leads/lead/erasure-reasons.ts'
import type { PersonSummary } from '../../store/privacy/person-summary.ts'
import type { Html } from '../frame/layout.ts'

/** What would be erased, and what would stay. */
export function effectOf(person: PersonSummary, reason?: AskedReason): Html {
  const erased = [
    counted(person.leads.length, 'lead'),
    `${counted(person.submissions, 'inquiry', 'inquiries')} with everything that was sent, and what the forms recorded`,
    ...some(person.quarantined, n => counted(n, 'entry in quarantine', 'entries in quarantine')),
    ...some(person.emails, n => `what the timeline says about ${counted(n, 'email')} to them, from them or about them`),
    ...some(person.notes, n => counted(n, 'note')),
    ...some(
      person.waiting,
      n => `${counted(n, 'email or step', 'emails and steps')} of the follow-up, which will not go out`,
    ),
    ...some(person.strays, n => `${counted(n, 'email')} of theirs, not yet forwarded`),
    ...some(person.rows, n => `${counted(n, 'row')} of uploaded lists`),
    ...some(person.views, n => `${counted(n, 'saved view')} that ${n === 1 ? 'looks' : 'look'} for them`),
    'everything else in the timeline: stages, assignments, corrections, consent, holds',
  ]
  const stays = [
    'emails that are in mailboxes already, and what mail servers logged',
    'backups, until you delete them',
    'what others wrote about them: inquiries and notes of other people, and tags that other leads have',
    'one line in the register of erasures, and the number of the lead in the audit log: neither says who it was',
    ...(reason === 'not needed' || !isAddress(person.reach)
      ? []
      : ['if they asked for it: a keyed hash of the address, so that they never get follow-up emails again']),
  ]
  const list = (items: string[]) => html`<ul>${items.map(item => html`<li>${item}</li>`)}</ul>`
  return html`<div class="columns"><div><h3>Erased for good</h3>${list(erased)}</div>
<div><h3>What stays</h3>${list(stays)}</div></div>`
}

const some = (number: number, words: (number: number) => string): string[] => (number === 0 ? [] : [words(number)])

/** The message after an erasure; `words` says what was erased. */
export function erasedInWords(
  { leads, submissions, captured, overwritten }: Erased,
  words = `${counted(leads, 'lead')}, ${counted(submissions, 'inquiry', 'inquiries')}`,
): string {
  const more = captured === 0 ? '' : ` and ${counted(captured, 'captured email')}`
  const still = overwritten
    ? ''
    : ' Another program is reading the database file, so its log still holds what was erased. Frontdesk overwrites it within an hour after that program has ended.'
  return `Erased: ${words}${more}.${still}`
}
