import { deepEqual, equal, match, throws } from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import listed from '../../frontdesk.config.ts'
import { settingLines } from '../../src/config/all-settings.ts'
import { buildConfig } from '../../src/config/config.ts'
import type { ConfigError } from '../../src/config/config-error.ts'
import { readEnvironment, variables } from '../../src/config/environment.ts'
import { checkSettings, defaultSettings, loadSettings } from '../../src/config/settings.ts'
import { temporaryFolder } from '../support/folder.ts'

type Entry = { default?: string; doc: string; secret?: true }
const noSettings = checkSettings({})

describe('the environment', () => {
  test('.env.example lists every variable with its default and its meaning', () => {
    const written = Object.entries(variables as Record<string, Entry>).map(([name, entry]) => {
      const doc = entry.secret ? `${entry.doc} (secret)` : entry.doc
      return `${doc}\n${name}=${entry.default ?? ''}`
    })
    const blocks = readFileSync('.env.example', 'utf8').trim().split('\n\n').slice(1)
    const read = blocks.map(block => {
      const lines = block.split('\n').map(line => line.replace(/^# /, ''))
      return `${lines.slice(0, -1).join(' ')}\n${lines.at(-1)}`
    })
    deepEqual(read, written)
  })

  test('every problem is reported at once, and no secret is quoted', () => {
    const { problems } = readEnvironment({
      BASE_URL: 'example.edu',
      SITE_PORT: '99999',
      TRUSTED_PROXIES: '10.0.0.0/8, nowhere',
      SMTP_URL: 'http://user:hunter2@mail',
      MAIL_FROM: 'two@a.example, more@b.example',
      SECRET_KEY: 'hunter2',
      NODE_EXTRA_CA_CERTS: '/nowhere.pem',
      LOG_LEVEL: 'loud',
    })
    deepEqual(problems, [
      'BASE_URL must be a URL such as https://www.example.edu, without a path',
      'SITE_PORT must be a port number from 0 to 65535',
      'TRUSTED_PROXIES contains "nowhere", which is neither an IP address nor a network such as 10.0.0.0/8',
      'SMTP_URL must be smtp://user:password@host:port, or smtp://host:port without a login; smtps:// begins with TLS. In a user or password, write / as %2F, + as %2B, @ as %40, : as %3A, # as %23, ? as %3F, % as %25',
      'MAIL_FROM must be one email address',
      'SECRET_KEY must have at least 32 characters',
      'NODE_EXTRA_CA_CERTS names /nowhere.pem, which cannot be read',
      'LOG_LEVEL must be debug, info, warn, error or silent',
    ])
  })

  test('a password with a character that ends it too early is reported, with how to write it, and is not quoted', () => {
    const URLS = {
      SMTP_URL: 'smtp://desk@school.example:PASSWORD@mail.school.example:587',
      IMAP_URL: 'imaps://desk@school.example:PASSWORD@mail.school.example/INBOX',
      DATABASE_URL: 'postgres://desk:PASSWORD@db.school.example:5432/desk',
    }
    for (const password of ['hunter#2', '12#hunter', 'hunter/2', '12/hunter', 'hunter?2', '1@2/hunter', 'hunter%2']) {
      for (const [name, url] of Object.entries(URLS)) {
        const { problems } = readEnvironment({ [name]: url.replace('PASSWORD', password) })
        equal(problems.length, 1, `${name} with ${password}`)
        match(problems[0] ?? '', new RegExp(`^${name} must be .* In a user or password, write / as %2F, .*# as %23`))
        equal(problems[0]?.includes('hunter'), false)
      }
    }
  })

  test('a URL that ends at an unencoded # of .env is reported, with how to write it', () => {
    const cut = {
      SMTP_URL: 'smtp://desk:hunter',
      IMAP_URL: 'imaps://a@b.example:12',
      DATABASE_URL: 'postgres://desk:hunter',
    }
    const { problems } = readEnvironment({ ...cut })
    equal(problems.length, 3)
    for (const problem of problems) match(problem, /# as %23/)
    equal(readEnvironment({ SMTP_URL: 'smtp://a@b.example:12' }).problems.length, 1)
  })

  test('an empty value counts as unset, and unset variables are listed', () => {
    const { environment, onDefault } = readEnvironment({ BASE_URL: '', HOST: '0.0.0.0' })
    equal(environment.BASE_URL, 'http://localhost:3000')
    equal(onDefault.includes('BASE_URL'), true)
    equal(onDefault.includes('HOST'), false)
  })

  test('a secret may come from a file, but not from two places', t => {
    const file = join(temporaryFolder(t), 'smtp')
    writeFileSync(file, 'smtp://mail.example:587\n')
    equal(readEnvironment({ SMTP_URL_FILE: file }).environment.SMTP_URL, 'smtp://mail.example:587')
    match(
      readEnvironment({ SMTP_URL_FILE: file, SMTP_URL: 'smtp://x' }).problems[0] ?? '',
      /SMTP_URL and SMTP_URL_FILE are both set/,
    )
    match(readEnvironment({ SMTP_URL_FILE: '/nowhere' }).problems[0] ?? '', /cannot be opened/)
  })

  test('ports come from the URLs unless they are set', t => {
    const config = buildConfig(
      {
        DATA_DIR: temporaryFolder(t),
        BASE_URL: 'https://www.example.edu',
        LEARN_URL: 'https://learn.example.edu:8443',
        CONSOLE_PORT: '9000',
      },
      noSettings,
    )
    deepEqual([config.sitePort, config.learnPort, config.consolePort], [3000, 8443, 9000])
  })
})

describe('hosts on one port', () => {
  test('must have different names', t => {
    const env = {
      DATA_DIR: temporaryFolder(t),
      BASE_URL: 'http://www.example.edu',
      LEARN_URL: 'http://www.example.edu:81',
      SITE_PORT: '8080',
      LEARN_PORT: '8080',
    }
    throws(
      () => buildConfig(env, noSettings),
      (error: ConfigError) =>
        error.problems[0] === 'BASE_URL and LEARN_URL share port 8080, so they need different host names',
    )
    buildConfig({ ...env, LEARN_URL: 'http://learn.example.edu' }, noSettings)
  })

  test('never have the same URL, on whichever ports, since a client could reach only one of them', t => {
    const env = { DATA_DIR: temporaryFolder(t), BASE_URL: 'https://www.example.edu', SITE_PORT: '1', LEARN_PORT: '2' }
    const problemOf = (urls: Record<string, string>) =>
      throws(
        () => buildConfig({ ...env, ...urls }, noSettings),
        ({ problems: [problem = ''] }: ConfigError) =>
          / and \w+ are both https:\/\/www\.example\.edu, but they need different host names$/.test(problem),
      )
    problemOf({ LEARN_URL: 'https://www.example.edu' })
    problemOf({ LEARN_URL: 'https://learn.example.edu', CONSOLE_URL: 'https://www.example.edu/' })
  })
})

describe('the configuration', () => {
  test('is read without creating anything', t => {
    const DATA_DIR = join(temporaryFolder(t), 'made', 'here')
    const { database, secretKey } = buildConfig({ DATA_DIR }, noSettings)
    deepEqual(database, { engine: 'sqlite', file: join(DATA_DIR, 'frontdesk.db') })
    equal(secretKey, undefined)
    equal(existsSync(DATA_DIR), false)
  })
})

describe('the settings', () => {
  test('the settings file that comes with the project lists every default, and nothing else', () => {
    deepEqual(listed, defaultSettings)
  })

  test('that file names every setting, in its place, at least as an example', async t => {
    const text = readFileSync('frontdesk.config.ts', 'utf8').replace(/^( *)\/\/ /gm, '$1')
    const file = join(temporaryFolder(t), 'examples.ts')
    writeFileSync(file, text)
    const examples: { default: Record<string, unknown> } = await import(file)
    // The fields of forms are alike, and so are the questions and the texts of the two forms: one of each is enough.
    const alike = /^(forms\.site\.|forms\.student\.fields\.|studentInterest\.answers\.(timeline|experience|source)\b)/
    const valueAt = (key: string) =>
      key
        .split('.')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], examples.default)
    const keys = settingLines.flatMap(({ key, parts }) =>
      parts === undefined ? [key] : Object.keys(parts).map(part => `${key}.${part}`),
    )
    deepEqual(
      keys.filter(key => !alike.test(key) && valueAt(key) === undefined),
      [],
    )
  })

  test('every example in that file is valid', async t => {
    const folder = temporaryFolder(t)
    const text = readFileSync('frontdesk.config.ts', 'utf8')
      .replace(/^( *)\/\/ /gm, '$1')
      .replace('my-content', folder)
      .replace('dkim.pem', resolve('LICENSE'))
    for (const name of ['logo.png', 'logo-dark.png']) writeFileSync(join(folder, name), '')
    const file = join(folder, 'examples.ts')
    writeFileSync(file, text)
    const { settings, problems } = await loadSettings(file, { required: true })
    deepEqual(problems, [])
    equal(settings.admissions.manager?.name, 'Dana Kim')
    equal(settings.content, folder)
  })

  test('the settings file may be copied anywhere, and paths in it are relative to it', async t => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'words'))
    writeFileSync(join(folder, 'dkim.pem'), '')
    const text = readFileSync('frontdesk.config.ts', 'utf8')
      .replace("// content: 'my-content'", "content: 'words'")
      .replace('// dkim:', 'dkim:')
    const file = join(folder, 'ours.ts')
    writeFileSync(file, text)
    const { settings, problems } = await loadSettings(file, { required: true })
    deepEqual(problems, [])
    equal(settings.content, join(folder, 'words'))
    equal(settings.mail.dkim?.privateKeyFile, join(folder, 'dkim.pem'))
  })

  test('every problem is reported with its path, what is expected and what may be meant', () => {
    const { problems } = checkSettings({
      school: { name: '', timezone: 'America/Chicago', colour: 'red' },
      admissions: { counselors: [{ id: 'sam', name: 'Sam', e_mail: 'sam@school.example' }] },
      quarantine: { days: 0 },
    })
    deepEqual(problems, [
      'frontdesk.config.ts: school.timezone is not a setting (did you mean timeZone?)',
      'frontdesk.config.ts: school.colour is not a setting',
      'frontdesk.config.ts: school.name must be one line of 1 to 120 characters',
      'frontdesk.config.ts: admissions.counselors[0].e_mail is not a setting (did you mean email?)',
      'frontdesk.config.ts: admissions.counselors[0].email must be one email address',
      'frontdesk.config.ts: quarantine.days must be a whole number from 1 to 365',
    ])
  })

  test('no single screening signal may reach the threshold', () => {
    const { problems } = checkSettings({ screening: { threshold: 2 } })
    match(problems.join('\n'), /screening\.weights\.links must be below screening\.threshold/)
  })

  test('a time zone, folder or key file that does not exist is reported', () => {
    const { problems } = checkSettings({
      school: { timeZone: 'Mars/Olympus' },
      content: '/nowhere/content',
      mail: { dkim: { domain: 'example.edu', selector: 's', privateKeyFile: '/nowhere/key' } },
    })
    equal(problems.length, 3)
  })

  test('a file that FRONTDESK_CONFIG names must exist and be valid', async t => {
    const folder = temporaryFolder(t)
    const missing = await loadSettings(join(folder, 'none.ts'), { required: true })
    match(missing.problems[0] ?? '', /does not exist/)
    mkdirSync(join(folder, 'x'))
    writeFileSync(join(folder, 'broken.ts'), 'export default {')
    const broken = await loadSettings(join(folder, 'broken.ts'), { required: true })
    match(broken.problems[0] ?? '', /cannot be read/)
  })

  test('without a settings file the defaults apply, unless FRONTDESK_CONFIG names one', async t => {
    const { problems } = await loadSettings(join(temporaryFolder(t), 'none.ts'), { required: false })
    deepEqual(problems, [])
  })
})
