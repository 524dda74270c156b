/** The settings as they are in force, each with where it comes from. Secrets are never shown. */
import { html } from 'hono/html'
import { settingNames, type WrittenSettings } from '../../config/all-settings.ts'
import type { Config } from '../../config/config.ts'
import { adviceOn, configurationNotes } from '../../config/configuration-notes.ts'
import { type EditedPart, parts } from '../../config/edited-parts.ts'
import { editionNotes, lastEdit, partOf } from '../../config/edition-notes.ts'
import { describeDatabase, type variables } from '../../config/environment.ts'
import type { Words } from '../../config/setting.ts'
import type { Settings } from '../../config/settings.ts'
import { brandNotes } from '../../content/brand.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { may } from '../frame/access.ts'
import type { ConsoleContext, ConsoleRoute } from '../frame/context.ts'
import { type Html, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { editedPages } from '../versions/edited-pages.ts'

const PATH = '/settings'

export const settingsRoutes: ConsoleRoute[] = [
  get(PATH, 'see settings', (c, { config, settings }) => settingsPage(c, config, settings), { menu: 'Settings' }),
]

const groups: Record<keyof WrittenSettings, string> = {
  school: 'School',
  languages: 'Languages',
  admissions: 'Counselors and manager',
  followUp: 'Follow-up',
  accounts: 'Accounts of the learning site',
  contacts: 'Contacts on the public pages',
  programs: 'Programs',
  pricing: 'Prices',
  siteInterest: 'Inquiries from employers and partners',
  studentInterest: 'Inquiries from students',
  forms: 'Forms',
  screening: 'Screening',
  attachments: 'Attachments of emails',
  quarantine: 'Quarantine',
  privacy: 'Privacy',
  reports: 'Reports',
  mail: 'Mail',
  content: 'Your own texts',
}

function settingsPage(c: ConsoleContext, config: Config, settings: Settings) {
  const fromFile = (Object.keys(groups) as (keyof WrittenSettings)[]).map(name => {
    const rows = entriesOf(settingNames[name], settings[name], config.given[name], name).map(entry => ({
      ...entry,
      origin: editOf(entry.name, config) ?? entry.origin,
    }))
    return rows.length === 0 ? '' : html`<section class="panel"><h2>${groups[name]}</h2>${facts(rows)}</section>`
  })
  return page(
    c,
    { title: 'Settings', current: PATH, width: 'narrow' },
    html`<section class="panel"><h2>What you edit here</h2><ul>${editedPages
      .filter(({ action }) => may(c.get('operator'), action))
      .map(
        ({ part, path }) => html`<li><a href="${path}">${capital(parts[part].name)}</a> ${whoEdits(part, config)}</li>`,
      )}</ul></section>
<p>Everything else is set by the person who runs Frontdesk, in the settings file or the environment. The small names below are for them. After a change, they run <code>npx frontdesk check</code>, which says what is wrong, and restart.</p>
${notesOn('Edited in the console', editionNotes(config))}
${notesOn('Before production', adviceOn(config))}
${notesOn('Please check', [...configurationNotes(config), ...brandNotes(settings.school.brand)])}
${fromFile}
<section class="panel"><h2>The server</h2>${facts(environmentOf(config))}</section>`,
  )
}

/** Who edited a part last, or that no one has. */
function whoEdits(part: EditedPart, config: Config): Html {
  const edition = config.edited[part]
  const words =
    edition === undefined || edition.fromFile
      ? 'as the settings file says'
      : `last edited on ${lastEdit(edition, config)}`
  return html`<span class="quiet small">${words}</span>`
}

const notesOn = (title: string, notes: string[]): Html | '' =>
  notes.length === 0
    ? ''
    : html`<section class="panel"><h2>${title}</h2><ul>${notes.map(note => html`<li>${note}</li>`)}</ul></section>`

/** A setting in words, and as the settings file or the environment names it. */
type Entry = { words: string; name: string; value: string | Html; origin: string }

const facts = (entries: Entry[]): Html =>
  html`<dl class="facts settings">${entries.map(
    ({ words, name, value, origin }) =>
      html`<dt>${words}<br><code class="small">${name}</code></dt><dd>${value} <span class="quiet small">${origin}</span>${changeLink(name)}</dd>`,
  )}</dl>`

/** The setting with these words, or every setting of a group. `given` is what the settings file says. */
function entriesOf(words: Words, value: unknown, given: unknown, name: string): Entry[] {
  if (value === undefined) return []
  if (typeof words !== 'string') {
    const [values, fromFile] = [value, given ?? {}] as Record<string, unknown>[]
    return Object.entries(words).flatMap(([key, inner]) =>
      entriesOf(inner, values?.[key], fromFile?.[key], `${name}.${key}`),
    )
  }
  const origin = given === undefined ? 'default' : 'settings file'
  return [{ words, name, value: listed(value), origin }]
}

/** Where a setting comes from that is edited in the console. */
function editOf(name: string, config: Config): string | undefined {
  const part = partOf(name)
  const edition = part && config.edited[part]
  return edition === undefined || edition.fromFile ? undefined : `edited in the console on ${lastEdit(edition, config)}`
}

/** Where managers change a setting; nothing for what is set in a file. */
function changeLink(name: string): Html | '' {
  const part = partOf(name)
  const found = editedPages.find(one => one.part === part)
  return found === undefined
    ? ''
    : html` <a class="small" href="${found.path}">Change<span class="hidden"> ${name}</span></a>`
}

/** A list of groups, such as the steps of the follow-up, has a line for each. */
const listed = (value: unknown): string | Html =>
  Array.isArray(value) && typeof value[0] === 'object'
    ? html`<ol class="groups">${value.map(one => html`<li>${inWords(one)}</li>`)}</ol>`
    : inWords(value)

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inWords).join('; ')
  if (typeof value !== 'object' || value === null) return withoutPassword(String(value))
  const parts = Object.entries(value).filter(([, one]) => one !== undefined)
  if (parts.length === 0) return 'nothing of your own'
  return parts.map(([key, one]) => `${key}: ${inWords(one)}`).join(', ')
}

/** A URL keeps its user, and loses its password and its query, which may hold a token. */
function withoutPassword(text: string): string {
  if (!/^\w+:\/\//.test(text) || !URL.canParse(text)) return text
  const url = new URL(text)
  if (url.password !== '') url.password = '***'
  if (url.search !== '') url.search = '?***'
  return url.href
}

function environmentOf(config: Config): Entry[] {
  const unset = new Set(config.onDefault)
  const list = (values: string[]) => values.join(', ') || 'none'
  const values: Record<string, string | undefined> = {
    BASE_URL: config.baseUrl,
    LEARN_URL: config.learnUrl,
    CONSOLE_URL: config.consoleUrl,
    HOST: config.host,
    SITE_PORT: String(config.sitePort),
    LEARN_PORT: String(config.learnPort),
    CONSOLE_PORT: String(config.consolePort),
    TRUSTED_PROXIES: list(config.trustedProxies),
    UNLIMITED_NETWORKS: list(config.unlimitedNetworks),
    DATA_DIR: config.dataDir,
    DATABASE_URL: describeDatabase(config.database),
    SMTP_URL: config.smtpUrl && withoutPassword(config.smtpUrl),
    IMAP_URL: config.imapUrl && withoutPassword(config.imapUrl),
    MAIL_FROM: config.mailFrom,
    PARTNERSHIPS_EMAIL: config.partnershipsEmail,
    ADMISSIONS_EMAIL: config.admissionsEmail,
    LOG_LEVEL: config.logLevel,
  }
  return Object.entries(variableNames).map(([name, words]) => {
    const value = values[name]
    return unset.has(name)
      ? { words, name, value: value ?? 'not set', origin: value ? 'default' : '' }
      : { words, name, value: value ?? 'set, not shown', origin: 'set by your IT in the environment' }
  })
}

/** The words for each environment variable. */
const variableNames: Record<keyof typeof variables, string> = {
  BASE_URL: 'URL of the site host',
  LEARN_URL: 'URL of the learn host',
  CONSOLE_URL: 'URL of the console',
  HOST: 'Address that Frontdesk listens on',
  SITE_PORT: 'Port of the site host',
  LEARN_PORT: 'Port of the learn host',
  CONSOLE_PORT: 'Port of the console',
  TRUSTED_PROXIES: 'Your reverse proxies',
  UNLIMITED_NETWORKS: 'Networks without rate limits',
  DATA_DIR: 'Folder of the data',
  DATABASE_URL: 'Database',
  SMTP_URL: 'Mail server that sends',
  IMAP_URL: 'Watched mailbox',
  ACCOUNTS_TOKEN: 'Token for the learning site',
  MAIL_FROM: 'Sender of every message',
  PARTNERSHIPS_EMAIL: 'Team for employers and partners',
  ADMISSIONS_EMAIL: 'Team for students',
  SECRET_KEY: 'Secret that signs links',
  NODE_EXTRA_CA_CERTS: 'Further certificate authorities',
  FRONTDESK_CONFIG: 'Settings file',
  LOG_LEVEL: 'Level of the log',
}
