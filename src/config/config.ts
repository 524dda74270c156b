/** The whole configuration: environment and settings, checked together, with all problems in one list. */
import { join, resolve } from 'node:path'
import type { EmailAddress } from '../leads/body/email.ts'
import { ConfigError } from './config-error.ts'
import type { SettingsInForce } from './edited-settings.ts'
import { type DatabaseAddress, type Environment, portOf, readEnvironment } from './environment.ts'
import type { SftpTarget } from './environment-values.ts'
import { loadSettings, type PartialSettings, type Settings } from './settings.ts'

export type Config = SettingsInForce & {
  baseUrl: string
  learnUrl: string
  consoleUrl: string
  host: string
  sitePort: number
  learnPort: number
  consolePort: number
  trustedProxies: string[]
  unlimitedNetworks: string[]
  destinationNetworks: string[]
  /** The folder of nightly exports. */
  exportDir: string
  statusDir: string
  /** The server that nightly exports are also sent to; undefined if they are only stored here. */
  exportSftp: SftpTarget | undefined
  dataDir: string
  database: DatabaseAddress
  smtpUrl: string | undefined
  imapUrl: string | undefined
  accountsToken: string | undefined
  mailFrom: EmailAddress
  partnershipsEmail: EmailAddress
  admissionsEmail: EmailAddress
  /** The secret that signs links; undefined if it is in the database. */
  secretKey: string | undefined
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** What the settings file says; everything else in `settings` is a default. */
  given: PartialSettings
  /** The environment variables that are unset, for the start-up report. */
  onDefault: string[]
}

/**
 * Builds the configuration from the environment and the settings file that it names. Creates nothing.
 *
 * Throws ConfigError with every problem found.
 */
export async function loadConfig(env: NodeJS.ProcessEnv): Promise<Config> {
  const file = env['FRONTDESK_CONFIG'] || 'frontdesk.config.ts'
  return buildConfig(env, await loadSettings(file, { required: Boolean(env['FRONTDESK_CONFIG']) }))
}

/** Like `loadConfig`, with settings that have been read already. */
export function buildConfig(
  env: NodeJS.ProcessEnv,
  { settings, given = {}, problems }: { settings: Settings; given?: PartialSettings; problems: string[] },
): Config {
  const read = readEnvironment(env)
  const all = [...read.problems, ...problems]
  if (all.length > 0) throw new ConfigError(all)
  return assemble(read.environment, { settings, given }, read.onDefault)
}

function assemble(
  environment: Environment,
  { settings, given }: Pick<Config, 'settings' | 'given'>,
  onDefault: string[],
): Config {
  const dataDir = resolve(environment.DATA_DIR)
  const database = environment.DATABASE_URL
  const config: Config = {
    baseUrl: environment.BASE_URL,
    learnUrl: environment.LEARN_URL,
    consoleUrl: environment.CONSOLE_URL,
    host: environment.HOST,
    sitePort: environment.SITE_PORT ?? portOf(environment.BASE_URL, 3000),
    learnPort: environment.LEARN_PORT ?? portOf(environment.LEARN_URL, 3001),
    consolePort: environment.CONSOLE_PORT ?? portOf(environment.CONSOLE_URL, 3002),
    trustedProxies: environment.TRUSTED_PROXIES,
    unlimitedNetworks: environment.UNLIMITED_NETWORKS,
    destinationNetworks: environment.DESTINATION_NETWORKS,
    dataDir,
    exportSftp: environment.EXPORT_SFTP,
    exportDir: resolve(environment.EXPORT_DIR ?? join(dataDir, 'exports')),
    statusDir: resolve(environment.STATUS_DIR ?? join(dataDir, 'status')),
    database: database.engine === 'sqlite' ? { ...database, file: resolve(dataDir, database.file) } : database,
    smtpUrl: environment.SMTP_URL,
    imapUrl: environment.IMAP_URL,
    accountsToken: environment.ACCOUNTS_TOKEN,
    mailFrom: environment.MAIL_FROM,
    partnershipsEmail: environment.PARTNERSHIPS_EMAIL,
    admissionsEmail: environment.ADMISSIONS_EMAIL,
    secretKey: environment.SECRET_KEY,
    logLevel: environment.LOG_LEVEL,
    given,
    // A copy of the file's settings, since edits in the console change the other object in place.
    settings: structuredClone(settings),
    fromFile: settings,
    edited: {},
    onDefault,
  }
  requireDistinctHosts(config)
  return config
}

/** Each host needs a URL of its own, and the host name distinguishes those that share a port. */
function requireDistinctHosts(config: Config): void {
  const hosts = [
    ['BASE_URL', config.baseUrl, config.sitePort],
    ['LEARN_URL', config.learnUrl, config.learnPort],
    ['CONSOLE_URL', config.consoleUrl, config.consolePort],
  ] as const
  const problems = hosts.flatMap(([name, url, port], i) =>
    hosts.slice(i + 1).flatMap(([other, otherUrl, otherPort]) => {
      if (url === otherUrl) return [`${name} and ${other} are both ${url}, but they need different host names`]
      const oneName = new URL(url).hostname === new URL(otherUrl).hostname
      return port !== 0 && port === otherPort && oneName
        ? [`${name} and ${other} share port ${port}, so they need different host names`]
        : []
    }),
  )
  if (problems.length > 0) throw new ConfigError(problems)
}
