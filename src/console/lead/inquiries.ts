/** What the person wrote: the newest inquiry first; a further inquiry shows only how it differs from the one before. */
import { html } from 'hono/html'
import { formsOf } from '../../config/school-forms.ts'
import type { Settings } from '../../config/settings.ts'
import { addressLine, mapLink } from '../../content/contact-links.ts'
import { createDateFormat } from '../../content/date-format.ts'
import { titleOfNamed } from '../../content/form-titles.ts'
import { urlParts } from '../../content/url-parts.ts'
import { formInWords } from '../../leads/body/came-from.ts'
import { consentRecord } from '../../leads/body/consent.ts'
import { isSameNumber, readablePhone } from '../../leads/body/phone.ts'
import { answersInWords } from '../../leads/body/ranked-answers.ts'
import type { Submission } from '../../leads/body/submission.ts'
import { type Answers, lastGiven } from '../../leads/lead/last-given.ts'
import { fullName } from '../../leads/lead/lead.ts'
import { wholeInquiries } from '../../leads/lead/whole-inquiries.ts'
import type { Html } from '../frame/layout.ts'
import type { LeadOnPage } from './view.ts'

export function leadInquiries({ found, details, deps }: LeadOnPage): Html {
  const { submissionCount, lead } = found
  const submissions = wholeInquiries(found.submissions, one => one.submission)
  const submissionsBefore = wholeInquiries(found.submissionsBefore, one => one)
  if (submissions.length === 0) return html``
  const older = submissions.at(-1)?.entry
  const items = submissions.map(({ submission }, index) => {
    const before = [...submissions.slice(index + 1).map(one => one.submission), ...submissionsBefore]
    return inquiry(submission, before, {
      received: details.submissions[index]?.received ?? '',
      form: formLines(submission, deps.settings),
      country: deps.settings.school.country,
    })
  })
  const all = [...submissions.map(({ submission }) => submission), ...submissionsBefore]
  const theyWrote = all.some(({ form }) => form?.entered === undefined)
  const title = theyWrote ? 'What they wrote' : 'What we know'
  return html`<section class="panel" data-part="inquiries" aria-labelledby="inquiries"><h2 id="inquiries">${
    submissionCount > 1 ? `${title} (${submissionCount} inquiries)` : title
  }</h2>${items}${
    submissionsBefore.length === 0
      ? ''
      : html`<p class="more"><a href="/leads/${lead.id}?inquiries=${older}#inquiries">Earlier inquiries</a></p>`
  }</section>`
}

type Fact = { label: string; value: string; url?: string }

type Told = { received: string; form: Html[]; country: string }

/** `earlier`: the inquiries before it, newest first. */
function inquiry(submission: Submission, earlier: readonly Submission[], { received, form, country }: Told): Html {
  const [before] = earlier
  const facts = factsOf(submission, country)
  const known = new Map(
    (before ? factsOf(before, country, lastGiven(earlier)) : []).map(({ label, value }) => [label, value]),
  )
  const changed = before === undefined ? facts : facts.filter(one => !isSameFact(one, known.get(one.label)))
  const { message } = submission.body
  const said =
    message === undefined || message === ''
      ? html`<p class="quiet">No message.</p>`
      : message === before?.body.message
        ? html`<p class="quiet">The same message as before.</p>`
        : html`<blockquote dir="auto">${message}</blockquote>`
  const lines = changed.map(({ label, value, url }) => {
    const was = known.get(label)
    return html`<dt>${label}</dt><dd>${url === undefined ? value : html`<a href="${url}" rel="noreferrer">${value}</a>`}${
      before === undefined ? '' : html` <span class="quiet">${was === undefined ? '(new)' : `(before: ${was})`}</span>`
    }</dd>`
  })
  return html`<div class="inquiry"><p class="when">${received}${before === undefined ? '' : ', again'}</p>
${said}${lines.length === 0 ? '' : html`<dl class="facts">${lines}</dl>`}${
  before !== undefined && lines.length === 0 ? html`<p class="quiet small">Everything else is as before.</p>` : ''
}${form.length === 0 ? '' : html`<dl class="facts small form-facts">${form}</dl>`}</div>`
}

/** Whether a fact is unchanged. A phone number that is written differently counts as unchanged. */
const isSameFact = ({ label, value }: Fact, was: string | undefined): boolean =>
  was === value || (label === 'Phone' && was !== undefined && isSameNumber(was, value))

/**
 * What the form recorded besides the inquiry. The top of the page says what an answer means; the wording of the consent
 * is here for staff who must prove it.
 */
function formLines(submission: Submission, settings: Settings): Html[] {
  const consent = consentRecord(submission, createDateFormat(settings.school))
  const asked =
    consent === null || consent.asked === null
      ? ''
      : html`<details><summary>What they were asked</summary><p dir="auto">${consent.asked}</p></details>`
  return [
    ...(consent === null ? [] : [html`<dt>Calls and texts</dt><dd>${consent.inShort}${asked}</dd>`]),
    ...formInWords(submission.form, name => titleOfNamed(name, formsOf(settings), settings)).map(
      ({ label, value }) => html`<dt>${label}</dt><dd dir="auto">${breakable(value)}</dd>`,
    ),
  ]
}

const breakable = (text: string): Html | string =>
  /^https?:/.test(text) ? html`${urlParts(text).map(part => html`${part}<wbr>`)}` : text

/** `answers`: the last answer to each question, if the answers come from several inquiries. */
function factsOf(submission: Submission, country: string, answers?: Answers): Fact[] {
  const { body } = submission
  const name = { label: 'Name', value: fullName(body) }
  const phone = { label: 'Phone', value: body.phone ? readablePhone(body.phone, country) : 'Not known yet' }
  if (submission.kind === 'site') {
    const { company, address } = submission.body
    const place = { label: 'Address', value: addressLine(address), url: mapLink(address) }
    return [name, phone, { label: 'Company', value: company }, place]
  }
  return [name, phone, ...answersInWords(answers ?? submission.body)]
}
