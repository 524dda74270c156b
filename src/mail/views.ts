/**
 * What the templates get to see: every variable of each message, in words and links made for
 * people. A variable that has nothing to say is null, never absent. `content/README.md` lists them.
 */
import type { Settings } from '../config/settings.ts'
import { isPlainMailbox } from '../leads/email.ts'
import { phoneDigits } from '../leads/phone.ts'
import type { RankedField, StudentInterest } from '../leads/schema.ts'
import type { Lead, Submission } from '../leads/submission.ts'
import { mailtoLink, mapLink, telLink, webLink } from './links.ts'
import { span } from './moments.ts'
import { shorten } from './text.ts'

export type LeadView = {
  lead: Lead
  submission: Submission
  /** What screening noticed, in sentences. */
  notes: string[]
  /** How many submissions this lead sent before this one. */
  earlier: number
  now: number
}

export type DigestView = {
  held: {
    submission: Submission<'site'>
    reason: 'honeypot' | 'screening'
    notes: string[]
    heldAt: number
  }[]
  /** How many further entries there are. */
  more: number
  /** As people write it. */
  date: string
}

/** What all messages of this school have in common. */
export type Place = { settings: Settings; consoleUrl: string; moment: (time: number) => string }

/** How much of each message a digest shows: it is for deciding, not for reading everything. */
const EXCERPT = 280

/** From this age on, a notification says that it comes late. */
const LATE = 30 * 60_000

export function schoolVariables({ school }: Settings) {
  const { phone, website, postalAddress } = school
  return {
    name: school.name,
    phone: phone ?? null,
    phone_url: phone ? telLink(phone, school.country) : null,
    website: website ?? null,
    website_url: website ? webLink(website) : null,
    postal_address: postalAddress ?? null,
  }
}

export function siteVariables(view: LeadView, submission: Submission<'site'>, place: Place) {
  const { company, address, message } = submission.body
  const { lead } = view
  return {
    ...leadVariables(view, submission, place),
    company,
    address,
    map_url: mapLink(address),
    message: message || null,
    on_file: onFile(view, ['Company', lead.company, company]),
  }
}

export function studentVariables(view: LeadView, submission: Submission<'student'>, place: Place) {
  const { state, timeline, message } = submission.body
  return {
    ...leadVariables(view, submission, place),
    headline: [state, timeline?.text].filter(Boolean).join(', ') || null,
    answers: answers(submission.body, place.settings),
    message: message || null,
    on_file: onFile(view),
  }
}

export function digestVariables({ held, more, date }: DigestView, { settings, moment }: Place) {
  return {
    school: schoolVariables(settings),
    date,
    count: held.length + more,
    more,
    days: settings.quarantine.days,
    entries: held.map(({ submission, reason, notes, heldAt }) => ({
      id: submission.id,
      person: personVariables(submission, settings),
      company: submission.body.company,
      message: shorten(submission.body.message ?? '', EXCERPT) || null,
      honeypot: reason === 'honeypot',
      notes,
      held: moment(heldAt),
    })),
  }
}

function leadVariables(view: LeadView, submission: Submission, place: Place) {
  const { settings, consoleUrl, moment } = place
  const age = view.now - submission.receivedAt
  return {
    school: schoolVariables(settings),
    person: personVariables(submission, settings),
    again: view.earlier > 0,
    earlier: view.earlier,
    notes: view.notes,
    received: moment(submission.receivedAt),
    late: age >= LATE ? span(age) : null,
    lead_url: `${consoleUrl}/leads/${view.lead.id}`,
  }
}

function personVariables({ body }: Submission, { school }: Settings) {
  const { firstName, lastName, email, phone } = body
  return {
    name: `${firstName} ${lastName}`,
    email,
    email_url: mailtoLink(email),
    phone,
    phone_url: telLink(phone, school.country),
    can_reply: isPlainMailbox(email),
  }
}

type OnFile = [what: string, before: string | null, now: string]

/**
 * What the lead said before and says differently now. Contact data on file is never overwritten by
 * a form that anybody can fill in, so the team has to compare.
 */
function onFile({ lead, submission, earlier }: LeadView, ...more: OnFile[]): string[] {
  if (earlier === 0) return []
  const { firstName, lastName, phone } = submission.body
  const facts: OnFile[] = [
    ['Name', `${lead.firstName} ${lead.lastName}`, `${firstName} ${lastName}`],
    ['Phone', lead.phone, phoneDigits(phone) === phoneDigits(lead.phone) ? lead.phone : phone],
    ...more,
  ]
  return facts
    .filter(([, before, now]) => before && before !== now)
    .map(([what, was]) => `${what}: ${was}`)
}
const RANKED: [RankedField, string][] = [
  ['timeline', 'Timeline'],
  ['interestLevel', 'Interest level'],
  ['experience', 'Experience'],
  ['source', 'Heard of us through'],
]

/** The answers somebody gave, with the labels that people know them by. */
function answers(body: StudentInterest, { studentInterest }: Settings) {
  const location = [body.city, body.state].filter(Boolean).join(', ')
  const ranked = RANKED.map(([field, label]) => {
    const hotter = studentInterest.answers[field]?.hotter
    const hint = hotter && (hotter === 'low' ? 'lower is warmer' : 'higher is warmer')
    return { label, value: body[field]?.text, hint: hint ?? null }
  })
  return [
    { label: 'Location', value: location, hint: null },
    ...ranked,
    { label: 'Employer', value: body.employer, hint: null },
  ].filter(({ value }) => value)
}
