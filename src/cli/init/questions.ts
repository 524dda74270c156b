/** What `frontdesk init` asks: each question with its explanation, its default and its check. */
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { defaultSettings } from '../../config/all-settings.ts'
import { EXAMPLE_DOMAIN } from '../../config/configuration-notes.ts'
import { variables } from '../../config/environment.ts'
import { isTimeZone } from '../../config/time-checks.ts'
import { parseEmail } from '../../leads/body/email.ts'

/** The answers so far, by the names of the questions. An empty answer leaves the setting out. */
export type Texts = Record<string, string>

export type Question = {
  name: string
  ask: string
  why: string
  default: (answers: Texts) => string
  /** The question is asked only if this returns true. */
  when?: (answers: Texts) => boolean
  /** Whether the answer is hidden while it is typed. */
  secret?: true
  /** Throws an Error whose message completes "NAME …". An empty answer is checked only for a required question. */
  check?: (text: string, answers: Texts) => unknown
  required?: true
}

export const domainOf = ({ mailFrom = '' }: Texts): string => mailFrom.split('@')[1] || EXAMPLE_DOMAIN
const isRoot = (): boolean => process.getuid?.() === 0

export const questions: readonly Question[] = [
  {
    name: 'schoolName',
    ask: "Your school's name",
    why: 'Every page and every email contains it.',
    default: () => defaultSettings.school.name,
    required: true,
  },
  {
    name: 'timeZone',
    ask: 'Time zone',
    why: 'A name such as America/Chicago. Your school hours are in this zone.',
    default: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    check: text => must(isTimeZone(text), 'must be a name such as America/Chicago'),
    required: true,
  },
  {
    name: 'country',
    ask: 'Country',
    why: 'Two letters. Phone numbers without a country code are read as numbers of this country.',
    default: () => 'US',
    check: text => must(/^[A-Z]{2}$/.test(text), 'must be two capital letters, such as US'),
    required: true,
  },
  {
    name: 'postalAddress',
    ask: 'Postal address',
    why: 'In one line. By law, follow-up emails to students must show it; without it none are sent.',
    default: () => '',
  },
  {
    name: 'phone',
    ask: 'Phone',
    why: 'Where people can call you.',
    default: () => '',
    check: text => must(/(?:\d\D*){3}/.test(text), 'must be a phone number'),
  },
  {
    name: 'website',
    ask: 'Website',
    why: 'The address of your own website.',
    default: () => '',
    check: text => must(/^[\w:/.-]+\.\w+/.test(text), 'must be such as https://www.example.edu'),
  },
  {
    name: 'mailFrom',
    ask: 'Sender of all emails',
    why: 'A mailbox of your school, from which your mail server lets Frontdesk send.',
    default: () => `admissions@${EXAMPLE_DOMAIN}`,
    check: email,
    required: true,
  },
  {
    name: 'admissionsEmail',
    ask: 'Admissions team',
    why: 'Gets inquiries from students who have no counselor.',
    default: ({ mailFrom = '' }) => mailFrom,
    check: email,
    required: true,
  },
  {
    name: 'partnershipsEmail',
    ask: 'Partnerships team',
    why: 'Gets inquiries from employers and clinical sites.',
    default: ({ admissionsEmail = '' }) => admissionsEmail,
    check: email,
    required: true,
  },
  {
    name: 'baseUrl',
    ask: 'Public URL for employers and partners',
    why: 'Serves their operation, the forms and the documentation. Not the host name of your website: Frontdesk responds to everything there.',
    default: answers => `https://inquiries.${domainOf(answers)}`,
    check: text => behindProxy(variables.BASE_URL.parse(text)),
    required: true,
  },
  {
    name: 'learnUrl',
    ask: 'Public URL for prospective students',
    why: 'Serves their operation, and the links to unsubscribe. Its host name must differ from the previous one.',
    default: answers => `https://learn.${domainOf(answers)}`,
    check: (text, { baseUrl }) => behindProxy(variables.LEARN_URL.parse(text), [baseUrl]),
    required: true,
  },
  {
    name: 'consoleUrl',
    ask: 'URL for your staff',
    why: 'They sign in to the console there, and the buttons in their emails lead to it. Its host name must differ from both of the others.',
    default: answers => `https://desk.${domainOf(answers)}`,
    check: (text, { baseUrl, learnUrl }) => behindProxy(variables.CONSOLE_URL.parse(text), [baseUrl, learnUrl]),
    required: true,
  },
  {
    name: 'smtpHost',
    ask: 'Mail server',
    why: 'The host that accepts your email, such as smtp.example.edu. Empty: emails become files for a trial.',
    default: () => '',
    check: text => must(/^[\w.-]+$|^\[[\da-f:]+\]$/i.test(text), 'must be a host name'),
  },
  {
    name: 'smtpPort',
    ask: 'Port of the mail server',
    why: '587 starts unencrypted and switches to TLS (STARTTLS); 465 starts with TLS.',
    default: () => '587',
    when: ({ smtpHost }) => Boolean(smtpHost),
    check: variables.SITE_PORT.parse,
    required: true,
  },
  {
    name: 'smtpUser',
    ask: 'User at the mail server',
    why: 'Often the sender address. Empty if the server asks for none.',
    default: () => '',
    when: ({ smtpHost }) => Boolean(smtpHost),
  },
  {
    name: 'smtpPassword',
    ask: 'Password at the mail server',
    why: 'As it is; special characters are encoded for you. It goes into .env, which only you can read.',
    default: () => '',
    when: ({ smtpUser }) => Boolean(smtpUser),
    secret: true,
  },
  {
    name: 'imapHost',
    ask: 'IMAP server of the sender mailbox',
    why: 'Frontdesk then notices replies and bounces. Empty: replies go to the counselors.',
    default: () => '',
    check: text => must(/^[\w.-]+$/.test(text), 'must be a host name'),
  },
  {
    name: 'imapPort',
    ask: 'Port of the IMAP server',
    why: '993 starts with TLS; 143 starts unencrypted and switches to TLS (STARTTLS).',
    default: () => '993',
    when: ({ imapHost }) => Boolean(imapHost),
    check: variables.SITE_PORT.parse,
    required: true,
  },
  {
    name: 'imapUser',
    ask: 'User at the IMAP server',
    why: 'Often the sender address.',
    default: ({ smtpUser = '', mailFrom = '' }) => smtpUser || mailFrom,
    when: ({ imapHost }) => Boolean(imapHost),
    required: true,
  },
  {
    name: 'imapPassword',
    ask: 'Password at the IMAP server',
    why: 'Empty: the same as at the mail server.',
    default: ({ smtpPassword = '' }) => smtpPassword,
    when: ({ imapHost }) => Boolean(imapHost),
    secret: true,
  },
  {
    name: 'dkim',
    ask: 'Sign emails with a key of our own (DKIM)? yes or no',
    why: 'No if your mail server signs, as Google Workspace and Microsoft 365 can. Yes if it does not.',
    default: () => 'no',
    check: text => must(/^(yes|no)$/.test(text), 'must be yes or no'),
    required: true,
  },
  {
    name: 'dataDir',
    ask: 'Folder for the data',
    why: 'The database is in it. Not in a folder that others can read.',
    default: () => (isRoot() ? '/var/lib/frontdesk' : resolve('data')),
    check: text => must(text.startsWith('/') || /^[a-z]:/i.test(text), 'must be a whole path'),
    required: true,
  },
  {
    name: 'user',
    ask: 'User that runs the service',
    why: 'For the systemd unit. Not root.',
    default: () => (isRoot() ? 'frontdesk' : userInfo().username),
    check: text => must(/^[a-z_][\w-]*$/i.test(text), 'must be the name of a user'),
    required: true,
  },
]

/** The questions whose answer is still the example that we offer: a program may run with it, but not a school. */
export const leftAsExamples = (answers: Texts): string[] =>
  questions
    .filter(({ name, default: preset }) => {
      const text = answers[name] ?? ''
      return text.includes(EXAMPLE_DOMAIN) || (name === 'schoolName' && text === preset(answers))
    })
    .map(({ ask }) => ask)

/** Why this text does not answer the question; undefined if it does. `answers`: to the questions before it. */
export function problemOf({ name, check, required }: Question, text: string, answers: Texts): string | undefined {
  if (text === '') return required ? `${name} must not be empty` : undefined
  // The settings file and .env hold each answer in one line.
  if (/[\p{Cc}]/u.test(text)) return `${name} must be one line`
  try {
    check?.(text, answers)
    return undefined
  } catch (error) {
    return `${name} ${(error as Error).message}`
  }
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

/** The proxy files that we write serve HTTPS on its own port, and nothing else. `others` are URLs of other hosts. */
function behindProxy(origin: string, others: (string | undefined)[] = []): void {
  const { protocol, port, hostname } = new URL(origin)
  must(
    protocol === 'https:' && port === '',
    'must begin with https:// and have no port: the proxy in front of Frontdesk serves HTTPS on port 443',
  )
  const own = others.every(other => other === undefined || URL.parse(other)?.hostname !== hostname)
  must(own, `must have a host name that none of the other URLs has; ${hostname} is taken`)
}

function email(text: string): void {
  must(parseEmail(text) !== undefined, 'must be one email address')
}
