/** What the mail tests start from; each names only what it is about. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Config } from '../../src/config/config.ts'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import type { EmailAddress } from '../../src/leads/email.ts'
import type { Message } from '../../src/mail/mailer.ts'

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
