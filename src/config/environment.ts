/**
 * The environment: one table of every variable, its default, its meaning and its parser.
 * `.env.example` repeats the table for people; a test keeps the two together.
 */
import { readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'
import { type EmailAddress, parseEmail } from '../leads/email.ts'

export type DatabaseAddress =
  | { engine: 'sqlite'; file: string }
  | { engine: 'postgres'; url: string }

type Variable<T> = {
  /** Used when the variable is unset; `undefined` where another value decides. */
  default?: string
  doc: string
  /** Secrets may come from a file (NAME_FILE) and are never printed. */
  secret?: true
  /** Throws an Error whose message completes "NAME …". */
  parse: (raw: string) => T
}

const variable = <T>(entry: Variable<T>) => entry

export const variables = {
  BASE_URL: variable({
    default: 'http://localhost:3000',
    doc: 'Public address of the site host, where employers and partners write in.',
    parse: origin,
  }),
  LEARN_URL: variable({
    default: 'http://localhost:3001',
    doc: 'Public address of the learn host, where prospective students write in.',
    parse: origin,
  }),
  CONSOLE_URL: variable({
    default: 'http://localhost:3002',
    doc: 'Address of the console host, as the team reaches it.',
    parse: origin,
  }),
  HOST: variable({
    default: '127.0.0.1',
    doc: 'Address to listen on. 0.0.0.0 or :: for every interface.',
    parse: nonEmpty,
  }),
  SITE_PORT: variable({
    doc: 'Port of the site host. Default: the port in BASE_URL, else 3000.',
    parse: port,
  }),
  LEARN_PORT: variable({
    doc: 'Port of the learn host. Default: the port in LEARN_URL, else 3001. The same port as another host is fine: they are told apart by the Host header.',
    parse: port,
  }),
  CONSOLE_PORT: variable({
    doc: 'Port of the console host. Default: the port in CONSOLE_URL, else 3002.',
    parse: port,
  }),
  TRUSTED_PROXIES: variable({
    default: '',
    doc: 'Addresses or networks, separated by commas, whose X-Forwarded-For is believed.',
    parse: networks,
  }),
  DATA_DIR: variable({
    default: 'data',
    doc: 'Folder of the database file, captured mail and the generated secret.',
    parse: nonEmpty,
  }),
  DATABASE_URL: variable({
    default: 'sqlite:frontdesk.db',
    doc: 'sqlite:FILE (relative to DATA_DIR), or postgres://user:password@host:port/database for several replicas.',
    secret: true,
    parse: database,
  }),
  SMTP_URL: variable({
    doc: 'Mail relay, smtp://user:password@host:port or smtps://…. Unset: each message becomes a file DATA_DIR/mail/*.eml.',
    secret: true,
    parse: smtp,
  }),
  IMAP_URL: variable({
    doc: 'The mailbox of MAIL_FROM, imaps://user:password@host/INBOX, to be watched for answers and returned mail. Unset: answers go to the counselor, and nobody watches.',
    secret: true,
    parse: imap,
  }),
  ACCOUNTS_TOKEN: variable({
    doc: 'Sent as a bearer token when the learning site is asked for an account (accounts.url in the settings).',
    secret: true,
    parse: nonEmpty,
  }),
  MAIL_FROM: variable({
    default: 'frontdesk@localhost',
    doc: 'Sender of every message.',
    parse: mailbox,
  }),
  PARTNERSHIPS_EMAIL: variable({
    default: 'partnerships@localhost',
    doc: 'Who is told of site interest.',
    parse: mailbox,
  }),
  ADMISSIONS_EMAIL: variable({
    default: 'admissions@localhost',
    doc: 'Who is told of student interest.',
    parse: mailbox,
  }),
  SECRET_KEY: variable({
    doc: 'At least 32 characters; signs links and message ids. Unset: generated into DATA_DIR/secret-key, or on PostgreSQL into the database.',
    secret: true,
    parse: secret,
  }),
  FRONTDESK_CONFIG: variable({
    default: 'frontdesk.config.ts',
    doc: 'The settings file.',
    parse: nonEmpty,
  }),
  LOG_LEVEL: variable({
    default: 'info',
    doc: 'debug, info, warn, error or silent. JSON lines on standard output, without personal data.',
    parse: level,
  }),
} as const

type Table = typeof variables
type Optional =
  | 'SITE_PORT'
  | 'LEARN_PORT'
  | 'CONSOLE_PORT'
  | 'SMTP_URL'
  | 'IMAP_URL'
  | 'ACCOUNTS_TOKEN'
  | 'SECRET_KEY'
type Values = { [K in keyof Table]: ReturnType<Table[K]['parse']> }

/** The parsed variables; those that have no default are absent when unset. */
export type Environment = Omit<Values, Optional> & Partial<Pick<Values, Optional>>

/**
 * Parses the environment. An empty value counts as unset.
 *
 * Returns the values, every problem found in plain words (no secret is ever quoted), and the names
 * of the variables that were left on their default.
 */
export function readEnvironment(env: NodeJS.ProcessEnv): {
  environment: Environment
  problems: string[]
  onDefault: string[]
} {
  const problems: string[] = []
  const onDefault: string[] = []
  const environment: Record<string, unknown> = {}
  for (const [name, entry] of Object.entries(variables) as [string, Variable<unknown>][]) {
    try {
      const given = rawValue(name, entry, env)
      if (given === undefined) onDefault.push(name)
      const raw = given ?? entry.default
      if (raw !== undefined) environment[name] = entry.parse(raw)
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`)
    }
  }
  return { environment: environment as Environment, problems, onDefault }
}

function rawValue(name: string, entry: Variable<unknown>, env: NodeJS.ProcessEnv) {
  const file = entry.secret ? env[`${name}_FILE`] : undefined
  if (file && env[name]) throw new Error(`and ${name}_FILE are both set; keep one`)
  if (!file) return env[name] || undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new Error(`cannot be read: ${name}_FILE names ${file}, which cannot be opened`)
  }
}

function origin(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  const bare = url && url.pathname === '/' && !url.search && !url.hash && !url.username
  // Of the characters that a URL may have in its host, those that documents can quote anywhere.
  const plain = /^(?:[\w.-]+|\[[\da-f:]+\])$/.test(url?.hostname ?? '')
  if (!bare || !plain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('must be an address such as https://www.example.edu, without a path')
  }
  return url.origin
}

function port(raw: string): number {
  const value = Number(raw)
  if (!/^\d{1,5}$/.test(raw) || value > 65535) throw new Error('must be a port, 0 to 65535')
  return value
}

function networks(raw: string): string[] {
  const entries = raw
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean)
  for (const entry of entries) {
    const valid = entry.includes('/') ? ipaddr.isValidCIDR(entry) : ipaddr.isValid(entry)
    if (!valid) throw new Error(`holds "${entry}", which is neither an address nor a network`)
  }
  return entries
}

function database(raw: string): DatabaseAddress {
  const file = raw.startsWith('sqlite:') ? raw.slice('sqlite:'.length) : ''
  if (file) return { engine: 'sqlite', file }
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol) || url.pathname.length < 2) {
    throw new Error('must be sqlite:FILE or postgres://user:password@host:port/database')
  }
  return { engine: 'postgres', url: raw }
}

function smtp(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || !url.hostname) {
    throw new Error('must be smtp://host:port or smtps://host:port')
  }
  return raw
}

function imap(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (!url || !['imap:', 'imaps:'].includes(url.protocol) || !url.hostname || !url.username) {
    throw new Error('must be imap://user:password@host/INBOX or imaps://…')
  }
  return raw
}

function mailbox(raw: string): EmailAddress {
  const localhost = raw.match(/^[\w.+-]+@localhost$/)
  if (localhost) return raw as EmailAddress
  const parsed = parseEmail(raw)
  if (parsed === undefined) throw new Error('must be one e-mail address')
  return parsed
}

function secret(raw: string): string {
  if (raw.length < 32) throw new Error('must have at least 32 characters')
  return raw
}

function level(raw: string) {
  if (!['debug', 'info', 'warn', 'error', 'silent'].includes(raw)) {
    throw new Error('must be debug, info, warn, error or silent')
  }
  return raw as 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

function nonEmpty(raw: string): string {
  return raw
}

/** A database as people may see it: without the password. */
export function describeDatabase(database: DatabaseAddress): string {
  if (database.engine === 'sqlite') return database.file
  const { username, host, pathname } = new URL(database.url)
  return `postgres://${username ? `${username}@` : ''}${host}${pathname}`
}

/** The port a host listens on when its own variable is unset. */
export function portOf(url: string, fallback: number): number {
  const { port } = new URL(url)
  return port === '' ? fallback : Number(port)
}
