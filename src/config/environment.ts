/**
 * The environment: one table of every variable, its default, its meaning and its parser.
 * `.env.example` repeats the table for people; a test holds the two equal.
 */
import { readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'
import { type EmailAddress, parseEmail } from '../leads/body/email.ts'

export type DatabaseAddress = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }

type Variable = {
  /** Used when the variable is unset; left out where another value decides. */
  default?: string
  doc: string
  /** Secrets may come from a file (NAME_FILE) and are never printed. */
  secret?: true
  /** Throws an Error whose message completes "NAME …". */
  parse: (raw: string) => unknown
}

export const variables = {
  BASE_URL: {
    default: 'http://localhost:3000',
    doc: 'Public URL of the site host, where employers and partners send their inquiries.',
    parse: origin,
  },
  LEARN_URL: {
    default: 'http://localhost:3001',
    doc: 'Public URL of the learn host, where prospective students send their inquiries.',
    parse: origin,
  },
  CONSOLE_URL: {
    default: 'http://localhost:3002',
    doc: 'URL of the console, as your staff reach it: they sign in there, and links in their emails lead to it. Anything but this machine needs https, or browsers do not keep the session secret.',
    parse: origin,
  },
  HOST: {
    default: '127.0.0.1',
    doc: 'IP address to listen on. 0.0.0.0 or :: listens on every interface.',
    parse: asIs,
  },
  SITE_PORT: { doc: 'Port of the site host. Default: the port in BASE_URL, else 3000.', parse: port },
  LEARN_PORT: {
    doc: 'Port of the learn host. Default: the port in LEARN_URL, else 3001. Hosts may share a port: the Host header then tells them apart.',
    parse: port,
  },
  CONSOLE_PORT: { doc: 'Port of the console host. Default: the port in CONSOLE_URL, else 3002.', parse: port },
  TRUSTED_PROXIES: {
    default: '',
    doc: 'IP addresses or networks of your reverse proxies, separated by commas. We read X-Forwarded-For only from these.',
    parse: networks,
  },
  UNLIMITED_NETWORKS: {
    default: '',
    doc: 'IP addresses or networks of people that we do not rate-limit, separated by commas: such as the public address of your school, behind which many people fill in forms on an open day.',
    parse: networks,
  },
  DATA_DIR: { default: 'data', doc: 'Folder of the database file and of captured mail.', parse: asIs },
  DATABASE_URL: {
    default: 'sqlite:frontdesk.db',
    doc: 'sqlite:FILE (relative to DATA_DIR), or postgres://user:password@host:port/database for several replicas.',
    secret: true,
    parse: database,
  },
  SMTP_URL: {
    doc: 'Mail relay: smtp://user:password@host:port or smtps://…. Unset: no email is sent; each message becomes a file DATA_DIR/mail/*.eml.',
    secret: true,
    parse: smtp,
  },
  IMAP_URL: {
    doc: 'The mailbox of MAIL_FROM, imaps://user:password@host/INBOX, which Frontdesk watches for replies and bounces. Unset: replies go to the counselor, and Frontdesk notices neither them nor bounces.',
    secret: true,
    parse: imap,
  },
  ACCOUNTS_TOKEN: {
    doc: 'Bearer token that we send to the learning site when we ask it about an account (accounts.url in the settings).',
    secret: true,
    parse: asIs,
  },
  MAIL_FROM: { default: 'frontdesk@localhost', doc: 'Sender of every message.', parse: mailbox },
  PARTNERSHIPS_EMAIL: {
    default: 'partnerships@localhost',
    doc: 'The team that gets inquiries from employers and partners.',
    parse: mailbox,
  },
  ADMISSIONS_EMAIL: {
    default: 'admissions@localhost',
    doc: 'The team that gets inquiries from prospective students.',
    parse: mailbox,
  },
  SECRET_KEY: {
    doc: 'At least 32 characters; signs links and Message-IDs, and encrypts the secrets of authenticator apps. Unset: generated, and stored in the database.',
    secret: true,
    parse: secret,
  },
  NODE_EXTRA_CA_CERTS: {
    doc: 'A file with certificates (PEM) of authorities to trust in addition to the public ones, such as the authority of your school that signed the certificate of its mail server.',
    parse: certificates,
  },
  FRONTDESK_CONFIG: {
    default: 'frontdesk.config.ts',
    doc: 'The settings file. It may be outside of this folder, such as /etc/frontdesk/frontdesk.config.ts, where an update does not touch it.',
    parse: asIs,
  },
  LOG_LEVEL: {
    default: 'info',
    doc: 'debug, info, warn, error or silent. The log is JSON lines on standard output (plain lines at a terminal), without personal data.',
    parse: level,
  },
} as const satisfies Record<string, Variable>

type Table = typeof variables
type WithDefault = {
  [K in keyof Table]: Table[K] extends { default: string } ? K : never
}[keyof Table]
type Values = { [K in keyof Table]: ReturnType<Table[K]['parse']> }

/** The parsed variables; those without a default are absent when unset. */
export type Environment = Pick<Values, WithDefault> & Partial<Omit<Values, WithDefault>>

/**
 * Parses the environment. An empty value counts as unset.
 *
 * Returns the values, every problem found (no sentence quotes a secret), and the names of the
 * variables that are unset.
 */
export function readEnvironment(env: NodeJS.ProcessEnv): {
  environment: Environment
  problems: string[]
  onDefault: string[]
} {
  const problems: string[] = []
  const onDefault: string[] = []
  const environment: Record<string, unknown> = {}
  for (const [name, entry] of Object.entries(variables) as [string, Variable][]) {
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

function rawValue(name: string, entry: Variable, env: NodeJS.ProcessEnv) {
  const file = entry.secret ? env[`${name}_FILE`] : undefined
  if (file && env[name]) throw new Error(`and ${name}_FILE are both set; remove one of them`)
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
  // A URL may have more characters in its host, but documents cannot quote these everywhere.
  const plain = /^(?:[\w.-]+|\[[\da-f:]+\])$/.test(url?.hostname ?? '')
  if (!bare || !plain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('must be a URL such as https://www.example.edu, without a path')
  }
  return url.origin
}

function port(raw: string): number {
  const value = Number(raw)
  if (!/^\d{1,5}$/.test(raw) || value > 65535) throw new Error('must be a port number from 0 to 65535')
  return value
}

function networks(raw: string): string[] {
  const entries = raw
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean)
  for (const entry of entries) {
    const valid = entry.includes('/') ? ipaddr.isValidCIDR(entry) : ipaddr.isValid(entry)
    if (!valid) throw new Error(`contains "${entry}", which is neither an IP address nor a network such as 10.0.0.0/8`)
  }
  return entries
}

function database(raw: string): DatabaseAddress {
  const file = raw.startsWith('sqlite:') ? raw.slice('sqlite:'.length) : ''
  if (file) return { engine: 'sqlite', file }
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol) || url.pathname.length < 2) {
    throw new Error(
      `must be sqlite:FILE or postgres://user:password@host:port/database${raw.includes('@') ? `. ${ENCODING}` : ''}`,
    )
  }
  return { engine: 'postgres', url: raw }
}

/** RFC 3986 section 2.1. */
const ENCODING = 'In a user or password, write / as %2F, + as %2B, @ as %40, : as %3A, # as %23'

function smtp(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || !url.hostname) {
    throw new Error(
      raw.includes('@')
        ? `cannot be read. It must be smtp://user:password@host:port or smtps://…. ${ENCODING}`
        : 'must be smtp://host:port or smtps://host:port',
    )
  }
  return raw
}

function imap(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (!url || !['imap:', 'imaps:'].includes(url.protocol) || !url.hostname || !url.username) {
    throw new Error(`must be imap://user:password@host/INBOX or imaps://…. ${ENCODING}`)
  }
  return raw
}

function mailbox(raw: string): EmailAddress {
  const localhost = raw.match(/^[\w.+-]+@localhost$/)
  if (localhost) return raw as EmailAddress
  const parsed = parseEmail(raw)
  if (parsed === undefined) throw new Error('must be one email address')
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

function certificates(raw: string): string {
  try {
    if (readFileSync(raw, 'utf8').includes('-----BEGIN CERTIFICATE-----')) return raw
  } catch {
    throw new Error(`names ${raw}, which cannot be read`)
  }
  throw new Error(`names ${raw}, which holds no certificate in PEM form`)
}

function asIs(raw: string): string {
  return raw
}

/** A database as people may see it, without the password. */
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
