/**
 * Sample variables to try out templates: for each message, one sample with every value, one with
 * almost none, and one for each case that the message distinguishes.
 */
import type { SuppressionReason } from '../../follow-up/stop-conditions.ts'
import type { EmailAddress } from '../../leads/body/email.ts'
import type { FormDetails } from '../../leads/body/form-details.ts'
import type { Submission } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { DAY, HOUR } from '../../platform/time.ts'
import { digestVariables } from '../variables/digest.ts'
import { forwardedVariables } from '../variables/forwarded.ts'
import { gatheredVariables } from '../variables/gathered.ts'
import { type LeadView, siteVariables, studentVariables } from '../variables/lead.ts'
import { leadChangeVariables } from '../variables/lead-change.ts'
import { letterVariables, receiptVariables, writtenVariables } from '../variables/letter.ts'
import { operatorVariables } from '../variables/operator.ts'
import { type EventView, eventVariables, reminderVariables } from '../variables/reminder.ts'
import type { SchoolContext } from '../variables/school-context.ts'
import { unattendedVariables } from '../variables/unattended.ts'

const person = { firstName: 'Ana', lastName: 'Ruiz', email: 'ana@mercy.example', phone: '(214) 555-0137' }
export const now = Date.UTC(2026, 10, 21)

const site: Submission<'site'> = {
  id: 1,
  kind: 'site',
  receivedAt: now,
  answer: 200,
  form: null,
  body: {
    ...person,
    company: 'Mercy Hospital',
    address: '100 Main Street\nDallas, TX 75219',
    website: '',
    startedAt: now,
  },
}

const student: Submission<'student'> = {
  id: 1,
  kind: 'student',
  receivedAt: now,
  answer: 200,
  body: person,
  form: null,
}

/** Of a person who has given only what every inquiry has. */
export const lead: Lead = {
  id: 1,
  kind: 'site',
  stage: 'new',
  closedReason: null,
  ...person,
  phoneE164: null,
  latestPhone: null,
  company: null,
  state: null,
  owner: null,
  firstAttemptAt: null,
  firstContactAt: null,
  pausedAt: null,
  pausedUntil: null,
  repliedAt: null,
  account: false,
  correctedAt: null,
  language: 'es',
  languageAt: null,
  campaign: null,
  cameFrom: null,
  consent: null,
  consentAt: null,
  createdAt: now,
  updatedAt: now,
  mergedInto: null,
}

export const team = { name: 'Admissions', address: 'admissions@school.example' as EmailAddress }
export const counselor = { name: 'Maria Lopez', address: 'maria@school.example' as EmailAddress }

const first = { lead, notes: [], earlier: 0, now, to: team, actor: undefined, owner: null }
const again = {
  lead: { ...lead, firstName: 'Anna', owner: 'maria' },
  notes: ['The form was filled in within 3 seconds.'],
  earlier: 2,
  now: now + 24 * HOUR,
  to: team,
  actor: undefined,
  owner: counselor.name,
}
/** To the counselor who has the lead. */
const own = { ...again, to: counselor, actor: 'maria' }

/** What a form knew that came by a campaign. */
const form: FormDetails = {
  page: 'https://www.school.example/welding',
  referrer: 'https://search.example/',
  campaign: { source: 'facebook', medium: 'paid', campaign: 'spring-2027' },
  language: 'es',
  placement: 'element',
  startedAt: now,
  consent: {
    text: 'The school may call and text me at this number, also with automated systems.',
    given: true,
    at: now,
    page: 'https://www.school.example/welding',
  },
}

/** Its local part needs SMTPUTF8. */
const unreachable = 'añа@mercy.example'
const message = 'Good morning,\n\nwhen would be a good time to talk?\nI am free in the afternoon.'

export function siteSamples(context: SchoolContext): object[] {
  const full = { ...site, form, body: { ...site.body, email: unreachable, message } }
  return [
    siteVariables({ ...first, submission: site }, site, context),
    siteVariables({ ...again, submission: full }, full, context),
  ]
}

export function studentSamples(context: SchoolContext): object[] {
  const state = 'TX'
  const timeline = { rank: 1, text: '1 - Within a month' }
  const interestLevel = { rank: 2, text: '2 - Comparing schools' }
  const answers = { city: 'Dallas', state, timeline, interestLevel, employer: 'Lone Star Care' }
  const body = { ...student.body, email: unreachable, ...answers, message }
  const full = { ...student, form, body }
  return [
    studentVariables({ ...first, submission: student }, student, context),
    studentVariables({ ...again, submission: full }, full, context),
    studentVariables(withAccount({ ...own, submission: student }), student, context),
  ]
}

const withAccount = <V extends LeadView>(view: V): V => {
  const kind = view.submission.kind
  return { ...view, lead: { ...view.lead, kind, account: true } }
}

const untried = { attempts: 0, tried: false }
const calledOnce = { attempts: 1, tried: true }

const REASONS: SuppressionReason[] = ['unsubscribed', 'bounced', 'complaint', 'not me']

export function reminderSamples(context: SchoolContext): object[] {
  const full = { ...site, body: { ...site.body, email: unreachable, message } }
  const waits = { role: 'team' as const, waiting: HOUR, ...untried, suppressed: null }
  const late = { ...waits, role: 'manager' as const, waiting: 50 * HOUR, attempts: 2, tried: true }
  const reminder = { ...waits, ...own, submission: student, role: 'counselor' as const }
  const views = [
    { ...waits, ...first, submission: site },
    { ...waits, ...first, submission: student },
    { ...late, ...again, lead: { ...again.lead, repliedAt: now }, submission: full },
    withAccount({ ...reminder, ...calledOnce, role: 'backup' as const }),
    ...REASONS.map(suppressed => ({ ...reminder, suppressed })),
  ]
  return views.map(view => reminderVariables(view, context))
}

/** Of messages about what a colleague did with a lead. */
export function leadChangeSamples(context: SchoolContext): object[] {
  const { admissions } = context.settings
  const counselors = [
    { id: 'maria', name: counselor.name, email: counselor.address },
    { id: 'sam', name: 'Sam Ortiz', email: counselor.address },
  ]
  const settings = { ...context.settings, admissions: { ...admissions, counselors } }
  const waits = { role: 'counselor' as const, waiting: HOUR, ...calledOnce, suppressed: null }
  const change = { from: null, by: 'Dana Kim', undone: false, awayUntil: null, reminders: 0 }
  const reached = { ...again.lead, stage: 'contacted' }
  const views = [
    { ...waits, ...own, ...change, submission: student, assignedTo: 'maria' },
    { ...waits, ...first, ...change, submission: site, assignedTo: null, from: 'tom', reminders: 1 },
    { ...waits, ...again, ...change, submission: site, assignedTo: 'sam', awayUntil: 'May 1' },
    {
      ...waits,
      ...own,
      lead: reached,
      ...change,
      submission: student,
      assignedTo: 'maria',
      from: 'sam',
      by: null,
      undone: true,
      reminders: 3,
    },
  ]
  return views.map(view => leadChangeVariables(view, { ...context, settings }))
}

export function forwardedSamples(context: SchoolContext): object[] {
  const receivedAt = now
  const bare = { sender: 'a@b.example', subject: '', text: '', attachments: [], receivedAt }
  const attachments = [{ name: 'transcript.pdf', size: 120_000 }]
  const full = { ...bare, subject: 'A question', text: message, attachments }
  return [[bare], [full], [bare, full]].map(mails => forwardedVariables({ mails, more: mails.length > 1 }, context))
}

export function gatheredSamples(context: SchoolContext): object[] {
  const [one, other] = [
    { lead, submission: site },
    { lead, submission: { ...student, body: { ...student.body, message } } },
  ]
  return [
    gatheredVariables({ kind: 'site', inquiries: [one], more: 0, now }, context),
    gatheredVariables({ kind: 'student', inquiries: [other, other], more: 3, now }, context),
  ]
}

export function unattendedSamples(context: SchoolContext): object[] {
  const none = { leads: [], total: 0 }
  const old = { ...lead, createdAt: now - 9 * DAY }
  const one = { leads: [{ lead: old, closingAt: null, owner: null }], total: 1 }
  const many = {
    leads: [
      { lead: { ...old, repliedAt: now }, closingAt: now, owner: counselor.name },
      { lead: { ...old, kind: 'site' as const }, closingAt: null, owner: null },
    ],
    total: 1002,
  }
  const over = { ...many, leads: many.leads.map(one => ({ ...one, closingAt: null })) }
  const kind = 'student' as const
  const all = { kind, closing: none, closed: none, waiting: none, to: team, actor: undefined, now }
  return [
    { ...all, closing: one, closed: one },
    { ...all, closing: many, closed: over, waiting: over },
    { ...all, closed: one, waiting: one },
    { ...all, closed: over },
    { ...all, waiting: one },
    { ...all, waiting: { ...over, total: 2 } },
    { ...all, kind: 'site' as const, waiting: over },
  ].map(view => unattendedVariables(view, context))
}

export const operatorSamples = (context: SchoolContext): object[] => [
  operatorVariables({ to: counselor, link: { id: 1, nonce: '' }, expiresAt: now }, context),
]

const EVENTS: EventView['event']['kind'][] = [
  ...(['reply', 'bounce', 'complaint', 'not-me', 'unsubscribed', 'undelivered'] as const),
  ...(['claim', 'staff-mail', 'corrected', 'merged', 'unmerged', 'unsent'] as const),
]

export function eventSamples(context: SchoolContext): object[] {
  const full = { ...site, body: { ...site.body, email: unreachable } }
  const mail = { from: lead.email }
  return EVENTS.flatMap(kind => {
    // What such an event always has: without it, its sentences have gaps.
    const always =
      kind === 'undelivered'
        ? { recipient: counselor.name, text: 'The mail server does not know this address.' }
        : { recipient: null, ...(kind === 'claim' && { mail }) }
    return [
      { ...first, submission: full, event: { kind, text: message, at: now, ...always } },
      { ...first, submission: full, event: { kind, text: message, at: now, mail, ...always } },
      { ...own, submission: student, event: { kind, text: '', at: now, ...always } },
    ].map(view => eventVariables(view, context))
  })
}

export const letterView = { lead, now, counselor, replyTo: undefined }
const letters = [letterView, { ...letterView, lead: { ...lead, firstName: 'A.' }, counselor: undefined }]

export const letterSamples = (context: SchoolContext, language: string) =>
  letters.map(view => letterVariables(view, context, language))

export const receiptSamples = (context: SchoolContext, language: string) =>
  letters.map(view => receiptVariables(view, context, language))

export const writtenSamples = (context: SchoolContext) => [
  writtenVariables({ author: counselor.name, subject: 'Re: Your inquiry', text: message }, context),
]

export function digestSamples(context: SchoolContext): object[] {
  const entry = { submission: site, reason: 'honeypot' as const, notes: [], heldAt: now }
  const submission = { ...site, body: { ...site.body, message } }
  const other = {
    submission,
    reason: 'screening' as const,
    notes: ['The message has three or more links.'],
    heldAt: now,
  }
  const ofStudent = { ...other, submission: student, reason: 'lockout' as const }
  const common = { date: 'November 21, 2026', now }
  return [
    digestVariables({ held: [entry], more: 0, ...common }, context),
    digestVariables({ held: [entry, other], more: 3, ...common }, context),
    digestVariables({ held: [ofStudent], more: 1, ...common }, context),
  ]
}
