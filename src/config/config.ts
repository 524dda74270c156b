/** The whole configuration: environment and settings, checked together, problems listed at once. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { EmailAddress } from '../leads/email.ts'
import { type DatabaseAddress, type Environment, portOf, readEnvironment } from './environment.ts'
import { loadSettings, type Settings } from './settings.ts'

export type Config = {
  baseUrl: string
  learnUrl: string
  consoleUrl: string
  host: string
  sitePort: number
  learnPort: number
  consolePort: number
  trustedProxies: string[]
  dataDir: string
  database: DatabaseAddress
  smtpUrl: string | undefined
  imapUrl: string | undefined
  accountsToken: string | undefined
  mailFrom: EmailAddress
  partnershipsEmail: EmailAddress
  admissionsEmail: EmailAddress
  /** Undefined where it is kept in the database that several processes share. */
  secretKey: string | undefined
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  settings: Settings
  /** The environment variables that nobody set, for the start-up report. */
  onDefault: string[]
}

/** A configuration that cannot be used; `problems` says why, one sentence each. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * Builds the configuration from the environment and the settings file it names. Creates the data
 * folder, and in it the secret key when none is given.
 *
 * Throws ConfigError with every problem found.
 */
export async function loadConfig(env: NodeJS.ProcessEnv): Promise<Config> {
  const file = env['FRONTDESK_CONFIG'] || 'frontdesk.config.ts'
  return buildConfig(env, await loadSettings(file, { required: Boolean(env['FRONTDESK_CONFIG']) }))
}

/** As `loadConfig`, with settings that were read already. */
export function buildConfig(
  env: NodeJS.ProcessEnv,
  { settings, problems }: { settings: Settings; problems: string[] },
): Config {
  const read = readEnvironment(env)
  const all = [...read.problems, ...problems]
  if (all.length > 0) throw new ConfigError(all)
  return assemble(read.environment, settings, read.onDefault)
}

function assemble(environment: Environment, settings: Settings, onDefault: string[]): Config {
  const dataDir = resolve(environment.DATA_DIR)
  makeDataDir(dataDir)
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
    dataDir,
    database:
      database.engine === 'sqlite'
        ? { ...database, file: resolve(dataDir, database.file) }
        : database,
    smtpUrl: environment.SMTP_URL,
    imapUrl: environment.IMAP_URL,
    accountsToken: environment.ACCOUNTS_TOKEN,
    mailFrom: environment.MAIL_FROM,
    partnershipsEmail: environment.PARTNERSHIPS_EMAIL,
    admissionsEmail: environment.ADMISSIONS_EMAIL,
    secretKey: environment.SECRET_KEY ?? generatedSecret(dataDir, database),
    logLevel: environment.LOG_LEVEL,
    settings,
    onDefault,
  }
  requireDistinctHosts(config)
  return config
}

/** Hosts on one port are told apart by their names, so these must differ. */
function requireDistinctHosts(config: Config): void {
  const hosts = [
    ['BASE_URL', config.baseUrl, config.sitePort],
    ['LEARN_URL', config.learnUrl, config.learnPort],
    ['CONSOLE_URL', config.consoleUrl, config.consolePort],
  ] as const
  const problems = hosts.flatMap(([name, url, port], i) =>
    hosts
      .slice(i + 1)
      .filter(
        ([, otherUrl, other]) =>
          port !== 0 && port === other && new URL(url).hostname === new URL(otherUrl).hostname,
      )
      .map(
        ([other]) => `${name} and ${other} share port ${port}, so they need different host names`,
      ),
  )
  if (problems.length > 0) throw new ConfigError(problems)
}

/** Does one thing of the start; what it throws becomes a problem told in plain words. */
export async function orConfigError<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new ConfigError([`${what}: ${(error as Error).message}`])
  }
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new ConfigError([`DATA_DIR cannot be created: ${(error as Error).message}`])
  }
}

export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Reads the secret of this installation, or makes it. Of two starts at once, one secret wins whole. */
function generatedSecret(dataDir: string, { engine }: DatabaseAddress): string | undefined {
  if (engine !== 'sqlite') return undefined
  const file = resolve(dataDir, 'secret-key')
  if (existsSync(file)) return readSecret(file)
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, `${newSecret()}\n`, { mode: 0o600, flush: true })
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new ConfigError([`DATA_DIR cannot be written to: ${(error as Error).message}`])
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return readSecret(file)
}

/** The secret in a file of DATA_DIR. Throws ConfigError. */
export function readSecret(file: string): string {
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < 32) {
    throw new ConfigError([
      `${file} holds no secret of 32 characters or more; delete it to get a new one`,
    ])
  }
  return secret
}
