/** The top of a lead's page: who it is, how long they have waited, whether staff may call now, and the buttons. */
import { html, raw } from 'hono/html'
import { mailtoLink } from '../../content/contact-links.ts'
import { shorten } from '../../content/one-line.ts'
import { isWrongAddress, whySuppressed } from '../../follow-up/stop-conditions.ts'
import { LONGEST_NOTE } from '../../lead-actions/add-note.ts'
import { reasonsToClose } from '../../lead-actions/close.ts'
import { warmthOf } from '../../leads/body/ranked-answers.ts'
import { stateName } from '../../leads/body/states.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import type { CallOutcome } from '../../leads/lead/call-outcomes.ts'
import { beganInWords } from '../../leads/lead/entered.ts'
import { fullName } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { endedByItself } from '../../leads/lead/stages.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { bestTimeInWords, callTimes } from './call-times.ts'
import { callbackButtons } from './callback-forms.ts'
import { fieldsWith, kept, keptLine, othersDrafts, ownDraft } from './drafts.ts'
import { hasWrongNumber } from './further-numbers.ts'
import type { Fields } from './lead-button.ts'
import { isWriteFirst, unbroken } from './list-row-words.ts'
import type { LeadOnPage } from './view.ts'

export function leadHead(view: LeadOnPage, typed: Fields): Html {
  const { found, details, deps, work, write, operatorId, suppressed, now } = view
  const { lead } = found
  const { settings } = deps
  const warmth = warmthOf(found.answers, settings.studentInterest.answers)
  const from =
    lead.kind === 'student' && lead.state ? stateName(lead.state, settings.studentInterest.states) : details.from
  const writes =
    write && lead.email !== null && suppressed === null && (lead.stage !== 'closed' || lead.unansweredSince !== null)
  const writeFirst = writes && isWriteFirst(lead, { suppressed: suppressed !== null, now })
  return html`<header class="lead-head">
<div class="lead-title"><h1>${details.name}</h1>
<p class="tags"><span class="tag">${lead.kind === 'site' ? 'Site' : 'Student'}</span>${
    warmth === null ? '' : html`<span class="tag ${warmth.toLowerCase()}">${warmth}</span>`
  }<span class="tag ${lead.stage === 'new' ? 'strong' : ''}">${details.stage_words}</span>${
    details.paused === null || details.waits ? '' : html`<span class="tag">Paused</span>`
  }${callbackTag(view)}${lead.unansweredSince === null ? '' : html`<span class="tag strong">Wrote back</span>`}${
    details.language === null ? '' : html`<span class="tag">${details.language}</span>`
  }${lead.account ? html`<span class="tag">Has an account</span>` : ''}</p>
<p class="lead-sub">${from ?? ''}${from ? ' · ' : ''}${ownerName(lead.owner, settings.admissions)}</p></div>
<div class="lead-now">${waitingOf(view)}${localTime(view)}</div>
${wroteBack(view)}
<div class="call-bar">
${writeFirst ? html`${writeButton(view, 'button first')}${callLink(view, 'button secondary call')}` : callLink(view, 'button call')}
${work ? callButtons(view) : ''}
${writes && !writeFirst ? writeButton(view, 'button secondary') : ''}
${work && lead.stage !== 'closed' ? html`<details class="more-outcomes" data-part="call-back"><summary class="button secondary">Call back …</summary><div class="days">${callbackButtons(view, { form: CALL_FORM })}<a class="button secondary small" href="#day">Another time</a></div></details>` : ''}
${work ? closeMenu(view) : ''}
</div>
${work ? html`<div class="others" data-others>${othersDrafts(deps, { ...found, operatorId, kind: 'note' })}</div>${noteForm(view, typed)}` : ''}
<p class="lead-contact">${details.email === null ? 'No email address yet: ask for it on the phone' : html`<a href="${details.email_url}">${details.email}</a>`}${otherAddresses(view)} · ${began(view)} ${details.since}${details.came_from === null ? '' : html`, came from ${details.came_from}`}${
    work
      ? html`<span class="screen"> · <a href="/leads/${lead.id}/correct">Correct<span class="hidden"> email, phone or language</span></a> · <a href="/leads/${lead.id}/merge">Same person as&nbsp;…</a>${view.handsOver ? html` · <a href="/leads/${lead.id}/destinations">Hand over again</a>` : ''}</span>`
      : ''
  }</p>
${wrongNumber(view)}${numberLines(view)}
${suppressedAddress(view)}
${alikeLeads(view)}
${details.calls_and_texts === null ? '' : html`<div class="lead-consent">${details.calls_and_texts}${withdrawForm(view)}</div>`}
</header>`
}

/** The message that no one has answered, how long ago it came, and the button that says that it needs no answer. */
function wroteBack({ found, details, work }: LeadOnPage): Html {
  const { lead, timeline, submissions } = found
  if (details.wrote_back === null) return html``
  const { at, waiting } = details.wrote_back
  const last = timeline.find(({ kind }) => kind === 'reply' || kind === 'submission')
  const text = last?.kind === 'reply' ? last.detail : (submissions[0]?.submission.body.message ?? '')
  return html`<section class="wrote-back" aria-label="Wrote back"><p><strong>Wrote back ${at}</strong>, waiting ${waiting} for an answer</p>
${text === '' ? '' : html`<blockquote dir="auto">${shorten(text.trim(), MOST_SHOWN)}</blockquote>`}
${
  work
    ? html`<form method="post" action="/leads/${lead.id}">${hidden({ seen: found.version })}<button class="secondary small" name="do" value="no answer needed">No answer needed</button></form>`
    : ''
}</section>`
}

/** How many characters of the message are shown here; the whole message is further down. */
const MOST_SHOWN = 600

/** A number that turned out to be wrong is not offered again, but another number that the person gave is. */
function callLink({ details, found: { lead }, further }: LeadOnPage, style: string): Html {
  const [other] = further
  const call = (phone: string, url: string | null) =>
    html`<a class="${style}" data-part="call" href="${url}">Call <span class="number">${phone}</span></a>`
  if (details.phone !== null && !hasWrongNumber(lead)) return call(details.phone, details.phone_url)
  if (other !== undefined) return call(other.phone, other.url)
  return html`<p class="no-reach" data-part="call">${lead.phone === null ? 'No phone number yet' : 'No number that works'}: ask for it by email</p>`
}

function writeButton({ found: { lead, drafts }, operatorId }: LeadOnPage, style: string): Html {
  const label = ownDraft(drafts, operatorId, 'email') === undefined ? 'Write' : 'Go on writing'
  return html`<a class="${style}" data-part="write" href="/leads/${lead.id}/write" data-key="w">${label}</a>`
}

/** The next callback. It stands out once it is due. */
function callbackTag({ found: { lead }, now, moment }: LeadOnPage): Html {
  const { callbackAt } = lead
  if (callbackAt === null) return html``
  return callbackAt <= now
    ? html`<span class="tag strong">Callback overdue: ${moment(callbackAt)}</span>`
    : html`<span class="tag">Callback ${moment(callbackAt)}</span>`
}

/** Other leads that may belong to the same person, each with a link that compares the two. */
const alikeLeads = ({ found: { lead }, alike }: LeadOnPage): Html[] =>
  alike.map(
    ({ lead: other, alike: [like] }) =>
      html`<p class="lead-alike">Same ${like === 'phone' ? 'phone number' : 'mailbox'} as <a href="/leads/${lead.id}/merge?with=${other.id}">${fullName(other)}, lead ${other.id}</a>. The same person?</p>`,
  )

/** The inquiry that opened a lead has the lead's id. If a lead has very many, the page may not have read it. */
function began({ found: { lead, submissions, submissionsBefore } }: LeadOnPage): string {
  const all = [...submissions.map(({ submission }) => submission), ...submissionsBefore]
  const first = all.find(({ id }) => id === lead.id)
  return beganInWords(first?.form?.entered)
}

/** The addresses of leads that were merged into this one. */
function otherAddresses({ found: { lead, merged } }: LeadOnPage): Html[] {
  const addresses = new Set(merged.flatMap(one => one.lead.email ?? []))
  if (lead.email !== null) addresses.delete(lead.email)
  return [...addresses].map(email => html` · also <a href="${mailtoLink(email)}">${email}</a>`)
}

/** The button that records that a person took back their consent, for example on the phone. */
function withdrawForm({ found: { lead }, work }: LeadOnPage): Html {
  if (!work || lead.consent !== 'given') return html``
  return html` <form method="post" action="/leads/${lead.id}" class="here"><button class="plain small" name="do" value="withdraw consent">They took it back</button></form>`
}

function waitingOf({ found, details }: LeadOnPage): Html {
  if (details.waiting === null) return html``
  const words = found.tried ? 'tried, not reached' : 'no one has tried yet'
  return html`<p class="wait-now waiting"><strong>Waiting ${details.waiting}</strong>, ${words}</p>`
}

/** The local time where they are, and until when staff may call there. */
function localTime({ found, deps, now }: LeadOnPage): Html {
  const { open, local, by, words } = callTimes({ ...deps, now })(found.lead)
  return html`<p class="local ${open ? 'may-call' : 'quiet-hours'}"><strong>${local}</strong> ${
    found.lead.state === null ? 'at the school (their state is not known)' : 'where they are'
  }${by && ` (${by})`}, ${unbroken(words)}${bestTimeInWords(found.lead, { ...deps, now })}</p>`
}

/** The buttons for the outcome of a call also belong to this form, so that they save the note typed during the call. */
function noteForm({ found, deps, operatorId }: LeadOnPage, typed: Fields): Html {
  const path = `/leads/${found.lead.id}`
  const draft = ownDraft(found.drafts, operatorId, 'note')
  return html`<form method="post" action="${path}" class="note-form" id="${CALL_FORM}" ${kept(`${path}/note/draft`, draft)}>${hidden({ seen: found.version })}
<label for="note" class="hidden">Note</label>
<textarea id="note" name="note" rows="1" maxlength="${LONGEST_NOTE}" placeholder="Note for the staff" data-key="n">${fieldsWith(typed, draft)['note'] ?? ''}</textarea>
<button class="secondary small" name="do" value="note">Save note</button>
${keptLine(deps, `${path}/note/draft`, draft)}</form>`
}

/** Each reason closes the lead. If a lead was closed automatically, its reason can be changed. */
function closeMenu({ found: { lead, version } }: LeadOnPage): Html {
  if (lead.stage === 'closed' && !endedByItself(lead.closedReason)) return html``
  return html`<details class="more-outcomes" data-part="close"><summary class="button secondary">Close …</summary>
<form method="post" action="/leads/${lead.id}" class="days">${hidden({ seen: version, do: 'close' })}${reasonsToClose.map(
    reason => html`<button class="secondary small" name="reason" value="${reason}">${capital(reason)}</button>`,
  )}</form></details>`
}

const CALL_FORM = 'call-form'

function callButtons(view: LeadOnPage): Html {
  const { lead } = view.found
  if (lead.stage === 'closed' && !endedByItself(lead.closedReason) && lead.unansweredSince === null) return html``
  const button = (outcome: CallOutcome, label: string, key = '') =>
    html`<button class="secondary" form="${CALL_FORM}" name="do" value="${outcome}"${key && raw(` data-key="${key}"`)}>${label}</button>`
  return html`${button('reached', 'Reached', 'c')}${button('no answer', 'No answer', 'x')}${button('voicemail', 'Voicemail')}
<details class="more-outcomes" data-part="outcomes"><summary class="button secondary">Other</summary><div class="days">${button('busy', 'Busy')}${lead.phone === null || hasWrongNumber(lead) ? '' : button('wrong number', 'Wrong number')}${
    lead.stage === 'closed'
      ? ''
      : html`<p>They asked to be called</p>${callbackButtons(view, { form: CALL_FORM, name: 'asked' })}`
  }</div></details>`
}

/** Why no email goes to an address, and what to do about it. */
function suppressedAddress({ found: { lead }, suppressed, work }: LeadOnPage): Html {
  if (lead.email === null || suppressed === null) return html``
  const what = isWrongAddress(suppressed)
    ? html` Ask for the right address on the phone${work ? html`, and <a href="/leads/${lead.id}/correct">correct it</a>` : ''}.`
    : html` Call them.`
  return html`<p class="lead-alike bad"><strong>No email goes to ${lead.email}:</strong> ${whySuppressed[suppressed]}.${what}</p>`
}

/** Says that the number is wrong, and offers a way to ask for another. */
function wrongNumber({ details, found: { lead }, suppressed, work, write }: LeadOnPage): Html {
  if (!hasWrongNumber(lead)) return html``
  const ask =
    write && lead.email !== null && suppressed === null && lead.stage !== 'closed'
      ? html` <a href="/leads/${lead.id}/write">Ask for another by email</a>`
      : ''
  const correct = work ? html` <a href="/leads/${lead.id}/correct">Correct it</a>` : ''
  return html`<p class="lead-alike bad"><strong>${details.phone} is a wrong number.</strong>${ask}${ask && correct ? ' · ' : ''}${correct}</p>`
}

/** The other numbers; pressing a button makes one the number to call. */
const numberLines = ({ found: { lead, version }, further, work }: LeadOnPage): Html[] =>
  further.map(
    ({ phone, url, given }) =>
      html`<div class="lead-number">They also gave <a href="${url}">${phone}</a>, ${given}.${
        work
          ? html` <form method="post" action="/leads/${lead.id}" class="here">${hidden({ seen: version, phone })}<button class="plain small" name="do" value="use number" aria-label="Call ${phone} from now on">Call this one from now on</button></form>`
          : ''
      }</div>`,
  )
