/** The invented people in the samples of messages. */
import type { Settings } from '../config/settings.ts'
import type { EmailAddress } from '../leads/body/email.ts'
import type { FormDetails } from '../leads/body/form-details.ts'
import type { Submission } from '../leads/body/submission.ts'
import type { AddressedLead, Lead } from '../leads/lead/lead.ts'
import { programNames } from '../leads/lead/programs.ts'
import { HOUR } from '../platform/time.ts'
import type { PersonView } from './message-definition.ts'

const person = { firstName: 'Ana', lastName: 'Ruiz', email: 'ana@mercy.example', phone: '(214) 555-0137' }
export const now = Date.UTC(2026, 10, 21)

export const site: Submission<'site'> = {
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

export const student: Submission<'student'> = {
  id: 1,
  kind: 'student',
  receivedAt: now,
  answer: 200,
  body: person,
  form: null,
}

/** The lead of a person who gave only what every inquiry has. */
export const lead: AddressedLead = {
  id: 1,
  kind: 'site',
  stage: 'new',
  closedReason: null,
  ...person,
  phoneE164: null,
  latestPhone: null,
  wrongPhone: null,
  company: null,
  state: null,
  owner: null,
  firstAttemptAt: null,
  firstContactAt: null,
  pausedAt: null,
  callbackAt: null,
  callbackFor: [],
  repliedAt: null,
  unansweredSince: null,
  account: false,
  correctedAt: null,
  language: 'es',
  languageAt: null,
  campaign: null,
  cameFrom: null,
  program: null,
  bestTime: null,
  campus: null,
  form: null,
  consent: null,
  consentAt: null,
  createdAt: now,
  updatedAt: now,
  mergedInto: null,
}

export const team = { name: 'Admissions', address: 'admissions@school.example' as EmailAddress }
export const counselor = { name: 'Maria Lopez', address: 'maria@school.example' as EmailAddress }

/** The notification to the team about the first inquiry of one of the team's leads. */
export const first = { lead, notes: [], earlier: 0, now, to: team, actor: undefined, owner: null }
/** The notification to the team about a later inquiry of a counselor's lead. */
export const again = {
  lead: { ...lead, firstName: 'Anna', owner: 'maria' },
  notes: ['The form was filled in within 3 seconds.'],
  earlier: 2,
  now: now + 24 * HOUR,
  to: team,
  actor: undefined,
  owner: counselor.name,
}
/** The same notification, to that counselor. */
export const own = { ...again, to: counselor, actor: 'maria' }

/** What the form recorded about a person who came through a campaign. */
export const form: FormDetails = {
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
export const unreachable = 'añа@mercy.example'
export const message = 'Good morning,\n\nwhen would be a good time to talk?\nI am free in the afternoon.'

/** Makes the same view about someone who has an account at the learning site. */
export const withAccount = <V extends { lead: Lead; submission: Submission }>(view: V): V => ({
  ...view,
  lead: { ...view.lead, kind: view.submission.kind, account: true },
})

export const personView: PersonView = { lead, now, counselor, replyTo: undefined }

/** A lead with a greeting and a counselor, a lead with neither, and a lead who is interested in a program. */
export const personViews = (settings: Pick<Settings, 'programs' | 'languages'>): PersonView[] => [
  personView,
  { ...personView, lead: { ...lead, firstName: 'A.' }, counselor: undefined },
  { ...personView, lead: { ...lead, program: programNames(settings)[0] ?? null } },
]
