/** The starting points of the mail tests. Each test names only the values that it is about. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../src/config/config.ts'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import type { SiteInterest, StudentInterest } from '../../src/leads/body/body-schemas.ts'
import type { EmailAddress } from '../../src/leads/body/email.ts'
import type { Submission } from '../../src/leads/body/submission.ts'
import type { AddressedLead } from '../../src/leads/lead/lead.ts'
import type { PersonView } from '../../src/mail/message-definition.ts'
import type { EventView } from '../../src/mail/messages/event.ts'
import type { ReminderView } from '../../src/mail/messages/reminder.ts'
import type { Messages } from '../../src/mail/messages.ts'
import { createMessages } from '../../src/mail/render-messages.ts'
import type { Message } from '../../src/mail/transport/mailer.ts'
import type { LeadView } from '../../src/mail/variables/lead.ts'
import type { Links } from '../../src/signed-links.ts'

export const address = (text: string) => text as EmailAddress

export function aConfig(over: Partial<Config> = {}): Config {
  return {
    baseUrl: 'http://localhost:3000',
    learnUrl: 'http://localhost:3001',
    consoleUrl: 'http://localhost:3002',
    host: '127.0.0.1',
    sitePort: 0,
    learnPort: 0,
    consolePort: 0,
    trustedProxies: [],
    unlimitedNetworks: [],
    destinationNetworks: [],
    dataDir: 'unused',
    exportDir: 'unused',
    statusDir: 'unused',
    exportSftp: undefined,
    database: { engine: 'sqlite', file: ':memory:' },
    smtpUrl: undefined,
    imapUrl: undefined,
    accountsToken: undefined,
    mailFrom: address('frontdesk@school.example'),
    partnershipsEmail: address('partnerships@school.example'),
    admissionsEmail: address('admissions@school.example'),
    secretKey: 'x'.repeat(32),
    logLevel: 'silent',
    given: {},
    settings: aSettings(),
    fromFile: aSettings(),
    edited: {},
    onDefault: [],
    ...over,
  }
}

export const aSettings = (over: PartialSettings = {}) => checkSettings(over).settings

export function aMessage(over: Partial<Message> = {}): Message {
  return {
    id: 'notify.12@school.example',
    from: { name: 'Northside Trade School', address: 'frontdesk@school.example' },
    to: { name: 'Partnerships', address: 'partnerships@school.example' },
    subject: 'New site lead: Ana Ruiz, Mercy Hospital',
    text: 'Ana Ruiz\nMercy Hospital\n',
    html: '<p>Ana Ruiz<br>Mercy Hospital</p>',
    date: new Date('2026-11-21T07:15:00Z'),
    ...over,
  }
}

/** A folder that is removed after the test. */
export function aFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-mail-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const PROJECT_CONTENT = fileURLToPath(new URL('../../content/', import.meta.url))

/** Links that show their action, subject, actor and time. */
const links: Pick<Links, 'staff' | 'student' | 'operator'> = {
  staff: (action, subject, actor, now) =>
    `https://desk.school.example/act/${action}.${subject}.${actor ?? 'team'}.${now - RECEIVED}`,
  operator: id => `https://desk.school.example/welcome/${id}`,
  student: (action, leadId) => `https://learn.school.example/mail/${action}.${leadId}`,
}

/** The action, subject, actor and time of each staff link in a message, in order. */
export const actsOf = (html: string): string[] =>
  Array.from(html.matchAll(/href="https:\/\/desk\.school\.example\/act\/([^"]*)"/g), ([, act = '']) => act)

/** HTML without the styles that are written into its elements. */
export const unstyled = (html: string): string => html.replace(/ (?:style|bgcolor)="[^"]*"/g, '')

/** The templates of the default cadences. */
export const TEMPLATES = [
  'notifications/reminder.md',
  'notifications/take-over.md',
  'notifications/escalation.md',
  'notifications/site-reminder.md',
  'letters/day-1.md',
  'letters/day-3.md',
  'letters/day-7.md',
]

type MessagesOptions = Partial<Parameters<typeof createMessages>[0]>

export function someMessages(over: MessagesOptions = {}): Messages {
  return createMessages({
    ...aConfig(),
    learnUrl: 'https://learn.school.example',
    settings: aSettings({
      school: { name: 'Northside Trade School' },
      admissions: { counselors: [{ id: 'maria', name: 'Maria', email: 'maria@school.example' }] },
    }),
    links: links as Links,
    contentDirs: [PROJECT_CONTENT],
    templates: TEMPLATES,
    tryOut: true,
    ...over,
  })
}

/** 7:15 a.m. in New York. */
export const RECEIVED = Date.UTC(2026, 10, 21, 12, 15)

const person = { firstName: 'Ana', lastName: 'Ruiz', email: 'ana@mercy.example', phone: '(214) 555-0137' }

export function aSiteSubmission(over: Partial<SiteInterest> = {}): Submission<'site'> {
  const body = {
    ...person,
    company: 'Mercy Hospital',
    address: '100 Main Street\nDallas, TX 75219',
    website: '',
    startedAt: RECEIVED,
    ...over,
  }
  return { id: 7, kind: 'site', receivedAt: RECEIVED, answer: 200, body, form: null }
}

export function aStudentSubmission(over: Partial<StudentInterest> = {}): Submission<'student'> {
  return { id: 8, kind: 'student', receivedAt: RECEIVED, answer: 200, body: { ...person, ...over }, form: null }
}

export const team = { name: 'Admissions', address: address('admissions@school.example') }
export const maria = { name: 'Maria Lopez', address: address('maria@school.example') }

/** A message to the team's mailbox about an unassigned lead. */
export function aView(submission: Submission, over: Partial<LeadView> = {}): LeadView {
  const lead = aLead(submission)
  const now = RECEIVED + 1000
  const to = team
  return { lead, submission, notes: [], earlier: 0, now, to, actor: undefined, owner: null, ...over }
}

/** A message to Maria, who has the lead. */
export function hers(submission: Submission): LeadView {
  const lead = { ...aLead(submission), owner: 'maria' }
  return aView(submission, { lead, to: maria, actor: 'maria', owner: maria.name })
}

export function aReminder(view: LeadView, over: Partial<ReminderView> = {}): ReminderView {
  const waiting = 5 * 60_000
  const untried = { attempts: 0, tried: false }
  return { ...view, role: 'counselor', waiting, ...untried, suppressed: null, ...over }
}

export function someNews(view: LeadView, kind: EventView['event']['kind'], text = 'Yes, please!'): EventView {
  return { ...view, event: { kind, text, at: RECEIVED, recipient: null } }
}

export function aLetter(over: Partial<StudentInterest> = {}, more: Partial<PersonView> = {}) {
  const lead = aLead(aStudentSubmission(over))
  const view: PersonView = { lead, now: RECEIVED, counselor: maria, replyTo: undefined }
  return { ...view, ...more }
}

function aLead({ kind, body }: Submission): AddressedLead {
  const { firstName, lastName, email = '', phone = null } = body
  return {
    id: 12,
    kind,
    stage: 'new',
    closedReason: null,
    email,
    firstName,
    lastName,
    phone,
    phoneE164: null,
    latestPhone: null,
    wrongPhone: null,
    company: 'company' in body ? body.company : null,
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
    language: null,
    languageAt: null,
    campaign: null,
    cameFrom: null,
    program: null,
    bestTime: null,
    campus: null,
    form: null,
    consent: null,
    consentAt: null,
    createdAt: RECEIVED,
    updatedAt: RECEIVED,
    mergedInto: null,
  }
}
