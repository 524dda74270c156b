/** What the mail tests start from; each names only what it is about. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../src/config/config.ts'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import type { EmailAddress } from '../../src/leads/email.ts'
import type { SiteInterest, StudentInterest } from '../../src/leads/schema.ts'
import type { Lead, Submission } from '../../src/leads/submission.ts'
import type { Message } from '../../src/mail/mailer.ts'
import { createMessages, type LeadView, type Messages } from '../../src/mail/messages.ts'

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
    dataDir: 'unused',
    database: { engine: 'sqlite', file: ':memory:' },
    smtpUrl: undefined,
    mailFrom: address('frontdesk@school.example'),
    partnershipsEmail: address('partnerships@school.example'),
    admissionsEmail: address('admissions@school.example'),
    secretKey: 'x'.repeat(32),
    logLevel: 'silent',
    settings: aSettings(),
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

/** A folder that is gone after the test. */
export function aFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-mail-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const PROJECT_CONTENT = fileURLToPath(new URL('../../content/', import.meta.url))

type MessagesOptions = Partial<Parameters<typeof createMessages>[0]>

export function someMessages(over: MessagesOptions = {}): Messages {
  const config = aConfig({ consoleUrl: 'https://desk.school.example' })
  const settings = aSettings({ school: { name: 'Northside Trade School' } })
  return createMessages({ ...config, settings, contentDirs: [PROJECT_CONTENT], ...over })
}

/** 7:15 in the morning in New York. */
export const RECEIVED = Date.UTC(2026, 10, 21, 12, 15)

const person = {
  firstName: 'Ana',
  lastName: 'Ruiz',
  email: 'ana@mercy.example',
  phone: '(214) 555-0137',
}

export function aSiteSubmission(over: Partial<SiteInterest> = {}): Submission<'site'> {
  const body = {
    ...person,
    company: 'Mercy Hospital',
    address: '100 Main Street\nDallas, TX 75219',
    website: '',
    startedAt: RECEIVED,
    ...over,
  }
  return { id: 7, kind: 'site', receivedAt: RECEIVED, answer: 200, body }
}

export function aStudentSubmission(over: Partial<StudentInterest> = {}): Submission<'student'> {
  return { id: 8, kind: 'student', receivedAt: RECEIVED, answer: 200, body: { ...person, ...over } }
}

export function aView(submission: Submission, over: Partial<LeadView> = {}): LeadView {
  const { firstName, lastName, email, phone } = submission.body
  const lead: Lead = {
    id: 12,
    kind: submission.kind,
    stage: 'new',
    closedReason: null,
    email,
    firstName,
    lastName,
    phone,
    phoneE164: null,
    company: submission.kind === 'site' ? submission.body.company : null,
    state: null,
    createdAt: RECEIVED,
    updatedAt: RECEIVED,
  }
  return { lead, submission, notes: [], earlier: 0, now: RECEIVED + 1000, ...over }
}
