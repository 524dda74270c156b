/** The environment: one table of every variable, its default, its meaning and its parser, as in `.env.example`. */
import { readFileSync } from 'node:fs'
import {
  asIs,
  certificates,
  database,
  imap,
  level,
  mailbox,
  networks,
  origin,
  port,
  secret,
  sftp,
  smtp,
} from './environment-values.ts'
import { type Told, under } from './setting-topics.ts'

export type DatabaseAddress = ReturnType<typeof database>

type Variable = {
  /** Used when the variable is unset; absent if another value decides. */
  default?: string
  doc: string
  /** What the console says about it. */
  words: Told
  /** Secrets may come from a file (NAME_FILE) and are never printed. */
  secret?: true
  /** Throws an Error whose message completes "NAME …". */
  parse: (raw: string) => unknown
}

const leads = under('leads')
const emails = under('emails')
const accounts = under('accounts')
const server = under('server')

export const variables = {
  BASE_URL: {
    default: 'http://localhost:3000',
    doc: 'Public URL of the site host, where employers and partners send their inquiries.',
    words: server('Site host', 'The website where employers and partners send their inquiries.'),
    parse: origin,
  },
  LEARN_URL: {
    default: 'http://localhost:3001',
    doc: 'Public URL of the learn host, where prospective students send their inquiries.',
    words: server('Learn host', 'The website where students send their inquiries.'),
    parse: origin,
  },
  CONSOLE_URL: {
    default: 'http://localhost:3002',
    doc: 'URL of the console, as your staff reach it: they sign in there, and links in their emails lead to it. Anything but this machine needs https, or browsers do not keep the session secret.',
    words: accounts('The console', 'Where your staff sign in. Links in their emails lead there.'),
    parse: origin,
  },
  HOST: {
    default: '127.0.0.1',
    doc: 'IP address to listen on. 0.0.0.0 or :: listens on every interface.',
    words: server('Network address', 'The address on which the server listens.'),
    parse: asIs,
  },
  SITE_PORT: {
    doc: 'Port of the site host. Default: the port in BASE_URL, else 3000.',
    words: server('Port of the site host', 'Where the server listens for inquiries from employers and partners.'),
    parse: port,
  },
  LEARN_PORT: {
    doc: 'Port of the learn host. Default: the port in LEARN_URL, else 3001. Hosts may share a port: the Host header then tells them apart.',
    words: server('Port of the learn host', 'Where the server listens for inquiries from students.'),
    parse: port,
  },
  CONSOLE_PORT: {
    doc: 'Port of the console host. Default: the port in CONSOLE_URL, else 3002.',
    words: server('Port of the console', 'Where the server listens for your staff.'),
    parse: port,
  },
  TRUSTED_PROXIES: {
    default: '',
    doc: 'IP addresses or networks of your reverse proxies, separated by commas. We read X-Forwarded-For only from these.',
    words: server('Your reverse proxies', 'The servers in front of this one, which know where a request comes from.'),
    parse: networks,
  },
  UNLIMITED_NETWORKS: {
    default: '',
    doc: 'IP addresses or networks of people that we do not rate-limit, separated by commas: such as the public address of your school, behind which many people fill in forms on an open day.',
    words: server(
      'Networks without limits',
      'People there can send as many inquiries as they like, such as on an open day.',
    ),
    parse: networks,
  },
  DESTINATION_NETWORKS: {
    default: '',
    doc: 'IP addresses or networks inside your school that destinations may be in, separated by commas: such as 10.20.0.0/16. Elsewhere, only public addresses, https and port 443 are allowed.',
    words: server(
      'Networks of destinations',
      'Servers inside your school to which we may send leads. All others need a public address and https.',
    ),
    parse: networks,
  },
  DATA_DIR: {
    default: 'data',
    doc: 'Folder of the database file and of captured mail.',
    words: server('Data folder', 'Where this server keeps its files.'),
    parse: asIs,
  },
  EXPORT_DIR: {
    doc: 'Folder of nightly exports. Default: exports in DATA_DIR.',
    words: server('Folder of nightly exports', 'Where the CSV files of nightly exports are.'),
    parse: asIs,
  },
  EXPORT_SFTP: {
    doc: 'Where nightly exports are sent as well: sftp://user@host/folder, or sftp://user@host/~/folder for one in the home folder. The program sftp logs in with a key of the user that the service runs as. Unset: they stay in EXPORT_DIR.',
    words: server(
      'Receiver of nightly exports',
      'The server to which the CSV files of nightly exports are sent by SFTP.',
    ),
    parse: sftp,
  },
  STATUS_DIR: {
    doc: 'Folder from which status lists of the student information system are imported. Default: status in DATA_DIR.',
    words: server('Folder of status lists', 'Where the student information system puts its CSV files.'),
    parse: asIs,
  },
  DATABASE_URL: {
    default: 'sqlite:frontdesk.db',
    doc: 'sqlite:FILE (relative to DATA_DIR), or postgres://user:password@host:port/database for several replicas.',
    secret: true,
    words: server('Database', 'Where leads and everything about them are stored.'),
    parse: database,
  },
  SMTP_URL: {
    doc: 'Mail relay: smtp://user:password@host:port or smtps://…. Unset: no email is sent; each message becomes a file DATA_DIR/mail/*.eml.',
    secret: true,
    words: emails('Mail server', 'Sends our emails. Without it, no one receives any: they become files.'),
    parse: smtp,
  },
  IMAP_URL: {
    doc: 'The mailbox of MAIL_FROM, imaps://user:password@host/INBOX, which Frontdesk watches for replies and bounces. Unset: replies go to the counselor, and Frontdesk notices neither them nor bounces.',
    secret: true,
    words: emails(
      'Watched mailbox',
      'Where replies and bounces come in. Without it, replies go to the counselor only, and no one notices bounces.',
    ),
    parse: imap,
  },
  ACCOUNTS_TOKEN: {
    doc: 'Bearer token that we send to the learning site when we ask it about an account (accounts.url in the settings).',
    secret: true,
    words: accounts('Key for the learning site', 'Shows the learning site that it is us who ask about an account.'),
    parse: asIs,
  },
  MAIL_FROM: {
    default: 'frontdesk@localhost',
    doc: 'Sender of every message.',
    words: emails('Sender', 'The address from which every email comes.'),
    parse: mailbox,
  },
  PARTNERSHIPS_EMAIL: {
    default: 'partnerships@localhost',
    doc: 'The team that gets inquiries from employers and partners.',
    words: leads('Team for employers', 'Gets the inquiries from employers and partners.'),
    parse: mailbox,
  },
  ADMISSIONS_EMAIL: {
    default: 'admissions@localhost',
    doc: 'The team that gets inquiries from prospective students.',
    words: leads('Team for students', 'Gets inquiries from students that have no counselor.'),
    parse: mailbox,
  },
  SECRET_KEY: {
    doc: 'At least 32 characters; signs links and Message-IDs, and encrypts the secrets of authenticator apps. Unset: generated, and stored in the database.',
    secret: true,
    words: accounts('Secret of links', 'Protects links in emails and the codes of second factors.'),
    parse: secret,
  },
  NODE_EXTRA_CA_CERTS: {
    doc: 'A file with certificates (PEM) of authorities to trust in addition to the public ones, such as the authority of your school that signed the certificate of its mail server.',
    words: server(
      'Further certificate authorities',
      'For servers with a certificate of your own, such as the mail server of the school.',
    ),
    parse: certificates,
  },
  FRONTDESK_CONFIG: {
    default: 'frontdesk.config.ts',
    doc: 'The settings file. It may be outside of this folder, such as /etc/frontdesk/frontdesk.config.ts, where an update does not touch it.',
    words: server('Settings file', 'Where the settings are that this page shows.'),
    parse: asIs,
  },
  LOG_LEVEL: {
    default: 'info',
    doc: 'debug, info, warn, error or silent. The log is JSON lines on standard output (plain lines at a terminal), without personal data.',
    words: server('Log', 'How much the server writes about its work, without personal data.'),
    parse: level,
  },
} as const satisfies Record<string, Variable>

/** The variables whose value may come from a file, which NAME_FILE names. */
export const secretNames: string[] = Object.entries<Variable>(variables)
  .filter(([, { secret }]) => secret)
  .map(([name]) => name)

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
