/** The files that `frontdesk init` writes: copies of files that come with Frontdesk, with the answers filled in. */
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { freeName, slug } from '../../platform/free-name.ts'
import { ourPath } from '../../platform/places.ts'
import type { Answers, Person } from './answers.ts'
import { domainOf, type Texts } from './questions.ts'

const ours = (name: string): string => readFileSync(ourPath(name), 'utf8')

export const DKIM_SELECTOR = 'frontdesk'
export const DKIM_FILE = 'dkim.pem'

/** The settings in `folder`. `today` is a date, yyyy-mm-dd. */
export function settingsFile({ texts, counselors, manager }: Answers, folder: string, today: string) {
  const types = relative(folder, ourPath('src/config/settings.ts')).split(sep).join('/')
  return filledIn(ours('frontdesk.config.ts'), [
    ["'./src/config/settings.ts'", `'${types}'`],
    ["name: 'Example Vocational School'", `name: ${quoted(texts['schoolName'])}`],
    ["timeZone: 'America/New_York'", `timeZone: ${quoted(texts['timeZone'])}`],
    ["country: 'US'", `country: ${quoted(texts['country'])}`],
    ...given('phone', texts['phone']),
    ...given('website', texts['website']),
    ...given('postalAddress', texts['postalAddress']),
    ['    counselors: [', ['    counselors: [', ...counselorLines(counselors)].join('\n')],
    ...(manager === undefined ? [] : [[/\/\/ manager: .*/, `manager: ${personText(manager)},`] as const]),
    [/asOf: '[\d-]+'/, `asOf: '${today}'`],
    ...(texts['dkim'] === 'yes'
      ? [
          [
            /\/\/ dkim: .*/,
            `dkim: { domain: ${quoted(domainOf(texts))}, selector: '${DKIM_SELECTOR}', privateKeyFile: '${DKIM_FILE}' },`,
          ] as const,
        ]
      : []),
  ])
}

type Change = readonly [from: string | RegExp, to: string]

const given = (name: string, text: string | undefined): Change[] =>
  text ? [[new RegExp(`// ${name}: .*`), `${name}: ${quoted(text)},`]] : []

const personText = ({ name, email }: Person): string => `{ name: ${quoted(name)}, email: ${quoted(email)} }`

function counselorLines(counselors: Person[]): string[] {
  const ids: string[] = []
  return counselors.map(({ name, email }) => {
    const [firstName = ''] = slug(name, 30).split('-')
    const id = freeName(firstName || 'counselor', ids)
    ids.push(id)
    return `      { id: '${id}', name: ${quoted(name)}, email: ${quoted(email)} },`
  })
}

/** A text literal of TypeScript, in single quotes like the others. */
const quoted = (text = ''): string => `'${text.replace(/[\\']/g, '\\$&')}'`

export function environmentFile(texts: Texts, settings: string): string {
  const values: [name: string, value: string | undefined][] = [
    ['BASE_URL', texts['baseUrl']],
    ['LEARN_URL', texts['learnUrl']],
    ['CONSOLE_URL', texts['consoleUrl']],
    // The proxy takes over the ports of the URLs.
    ['SITE_PORT', '3000'],
    ['LEARN_PORT', '3001'],
    ['CONSOLE_PORT', '3002'],
    ['TRUSTED_PROXIES', '127.0.0.1'],
    ['DATA_DIR', texts['dataDir']],
    ['SMTP_URL', smtpUrl(texts)],
    ['IMAP_URL', imapUrl(texts)],
    ['MAIL_FROM', texts['mailFrom']],
    ['PARTNERSHIPS_EMAIL', texts['partnershipsEmail']],
    ['ADMISSIONS_EMAIL', texts['admissionsEmail']],
    ['FRONTDESK_CONFIG', settings],
  ]
  const lines = values.flatMap(([name, value]) =>
    value ? [`${name}=${/[\s#"']/.test(value) ? JSON.stringify(value) : value}`] : [],
  )
  return [
    '# The environment of Frontdesk. .env.example explains each variable and lists the others.',
    '# It holds passwords: only the user of the service may read it.',
    ...lines,
    '',
  ].join('\n')
}

function smtpUrl(texts: Texts): string | undefined {
  const { smtpHost: host, smtpPort: port, smtpUser: user, smtpPassword: password } = texts
  if (!host) return undefined
  return `${port === '465' ? 'smtps' : 'smtp'}://${credentials(user, password)}${host}:${port}`
}

function imapUrl(texts: Texts): string | undefined {
  const { imapHost: host, imapPort: port, imapUser: user, imapPassword: password } = texts
  if (!host) return undefined
  return `${port === '143' ? 'imap' : 'imaps'}://${credentials(user, password)}${host}:${port}/INBOX`
}

const credentials = (user = '', password = ''): string => (user === '' ? '' : `${encoded(user)}:${encoded(password)}@`)

/** Encoded as in a URL (RFC 3986 section 2.1), so that no reader of the file of variables misreads it. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** A proxy's configuration, `Caddyfile` or `nginx.conf`, for these host names. */
export function proxyFile(name: string, { baseUrl = '', learnUrl = '', consoleUrl = '' }: Texts) {
  return filledIn(ours(`deploy/${name}`), [
    [/inquiries\.example\.edu/g, new URL(baseUrl).host],
    [/learn\.example\.edu/g, new URL(learnUrl).host],
    [/desk\.example\.edu/g, new URL(consoleUrl).host],
  ])
}

export function unitFile({ user = '', dataDir = '' }: Texts, home: string): string {
  const state = /^\/var\/lib\/([\w-]+)$/.exec(dataDir)?.[1]
  const inHome = [home, dataDir].some(path => /^\/(home|root|run\/user)\//.test(`${path}/`))
  return filledIn(ours('deploy/frontdesk.service'), [
    [/^# The one-machine.*?\n\n/s, '# Written by npx frontdesk init. Frontdesk reads .env in its folder.\n\n'],
    [/\/opt\/frontdesk/g, home],
    ['User=frontdesk', `User=${user}`],
    [/EnvironmentFile=.*\n/, ''],
    [
      /StateDirectory=.*\nStateDirectoryMode=.*\n/,
      state === undefined ? `ReadWritePaths=${dataDir}\n` : `StateDirectory=${state}\nStateDirectoryMode=0700\n`,
    ],
    ...(inHome ? [['ProtectHome=yes', 'ProtectHome=read-only'] as const] : []),
  ])
}

/** Replaces texts. Throws if one is missing, because the file that comes with Frontdesk has changed. */
function filledIn(text: string, changes: readonly Change[]): string {
  return changes.reduce((before, [from, to]) => {
    if (typeof from === 'string' ? !before.includes(from) : before.search(from) === -1)
      throw new Error(`${from} is missing, so it cannot be filled in`)
    return before.replace(from, () => to)
  }, text)
}
