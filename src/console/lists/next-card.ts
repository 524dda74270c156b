/** The first person of Today: what to know before the call or the email, and buttons for its outcome. */
import { html } from 'hono/html'
import { telLink } from '../../content/contact-links.ts'
import { LONGEST_NOTE } from '../../lead-actions/add-note.ts'
import { readablePhone } from '../../leads/body/phone.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { type CallOutcome, plainOutcomes } from '../../leads/lead/call-outcomes.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { InboxRow } from '../../store/lists/inbox-rows.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { callbackChoices } from '../lead/callback-choices.ts'
import { isWriteFirst, type RowContext, type RowWords } from '../lead/list-row-words.ts'
import { fromOf, nextOf, waitOf, whatOf } from './lead-rows.ts'

type Shown = {
  words: RowWords
  context: RowContext & { columns: ReadonlySet<string> }
  work: boolean
  /** Why this person is next. */
  why: keyof typeof reasons
}

const reasons = { promised: 'Next: promised a call', 'wrote back': 'Next: wrote back', new: 'Next: to call now' }

/** The card. For the keys and for actions in place, it is a row of the list: see content/console/lists.js. */
export function nextCard({ lead }: InboxRow, shown: Shown): Html {
  const { words, context, work, why } = shown
  const { columns } = context
  const { name, waiting } = words
  const from = fromOf(words, columns)
  return html`<section class="next-card${waiting?.late ? ' late' : ''}" id="next-${lead.id}" data-lead="${lead.id}" aria-label="Next">
<div class="next-who"><p class="quiet small">${reasons[why]}</p>
<h2><a class="lead-link" dir="auto" href="/leads/${lead.id}">${name}</a></h2>
<p class="next-wait">${waiting === null ? html`<span class="stage">${words.stage}</span>` : waitOf(waiting)}</p>
<p class="quiet small">${from && html`<span dir="auto">${from}</span> · `}${words.call}</p>
${whatOf(words, columns)}
${nextOf(words, columns)}</div>
<div class="next-do">${waysToReach(lead, shown)}${work ? outcomeForm(lead, shown) : ''}</div>
</section>`
}

/** A call and an email, the likelier one first. */
function waysToReach(lead: Lead, { words: { name, wroteBack }, context, work }: Shown): Html {
  const { country } = context.settings.school
  const { phone, wrongPhone, latestPhone, email } = lead
  const suppressed = context.suppressed.has(lead.id)
  const writeFirst = work && isWriteFirst(lead, { suppressed, now: context.now })
  const style = (first: boolean) => (first ? 'button' : 'button secondary')
  const write =
    work && wroteBack && email !== null && !suppressed
      ? html`<a class="${style(writeFirst)}" href="/leads/${lead.id}/write" aria-label="Write to ${name}">Write</a>`
      : ''
  const call = (number: string, first: boolean) => {
    const readable = readablePhone(number, country)
    return html`<a class="${style(first)}" href="${telLink(number, country)}" aria-label="Call ${readable}, ${name}">Call ${readable}</a>`
  }
  const calls = html`${
    phone === null
      ? html`<p class="no-reach">No phone number yet: ask for it by email</p>`
      : phone === wrongPhone
        ? html`<p class="no-reach">${readablePhone(phone, country)} is a wrong number</p>`
        : call(phone, !writeFirst)
  }${latestPhone === null ? '' : call(latestPhone, false)}`
  return html`<div class="ways">${writeFirst ? html`${write}${calls}` : html`${calls}${write}`}</div>`
}

/** The buttons for the outcome of a call also save the note typed during the call. The usual ones are in sight. */
function outcomeForm(lead: Lead, { words: { name, wroteBack }, context }: Shown): Html {
  const { id } = lead
  const button = (outcome: string, { key = '', says = '' } = {}) =>
    html`<button class="secondary small" name="do" value="${outcome}:${id}"${key && html` data-key="${key}"`}${says && html` aria-label="${says}"`}>${capital(outcome)}</button>`
  const [usual, ...others]: (CallOutcome | 'no answer needed')[] = wroteBack
    ? ['no answer needed', 'voicemail', 'busy', 'wrong number']
    : plainOutcomes.filter(outcome => outcome !== 'reached' && outcome !== 'no answer')
  return html`<form method="post" action="/inbox/actions" class="next-outcome">${hidden({ back: '/today' })}
<textarea name="note" rows="1" maxlength="${LONGEST_NOTE}" aria-label="Note for the staff about ${name}" placeholder="Note for the staff"></textarea>
${button('reached', { key: 'c', says: `Reached ${name}` })}
${button('no answer', { key: 'x', says: `No answer from ${name}` })}
${usual === undefined ? '' : button(usual)}
<details class="more-outcomes"><summary class="button secondary small">Other</summary><div class="days">${others.map(one => button(one))}${
    lead.stage === 'closed' ? '' : callbackButtons(lead, context, name)
  }</div></details></form>
<form method="post" action="/inbox/actions" id="${CALLBACK_FORM}">${hidden({ back: '/today', do: `callback:${id}` })}</form>`
}

const CALLBACK_FORM = 'callback-form'

/** Each promises a call in one tap, such as in an hour. */
const callbackButtons = (lead: Lead, context: RowContext, name: string): Html =>
  html`<p>Promise a call</p>${callbackChoices(context, lead).map(
    choice =>
      html`<button class="secondary small" form="${CALLBACK_FORM}" name="callback" value="${choice.when}" aria-label="Call ${name} back: ${choice.name}">${choice.name}</button>`,
  )}`
