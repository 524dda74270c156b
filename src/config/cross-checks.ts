/** Checks whether settings that are each valid alone also fit together. */
import { existsSync } from 'node:fs'
import { recipientOf, templateOf } from '../follow-up/cadence.ts'
import { cadenceProblems } from '../follow-up/cadence-problems.ts'
import { statesWith } from '../leads/body/states.ts'
import { kinds } from '../leads/body/submission.ts'
import { MANAGER, TEAM } from '../leads/lead/staff.ts'
import { isUrl } from '../platform/is-url.ts'
import { isLoopback } from '../platform/loopback.ts'
import type { Settings } from './all-settings.ts'
import { timeProblems } from './time-checks.ts'

/** One sentence for each problem of settings that have the right shape. */
export const crossChecks = (settings: Settings): string[] => [
  ...screeningProblems(settings),
  ...fileProblems(settings),
  ...timeProblems(settings),
  ...staffProblems(settings),
  ...cadencesProblems(settings),
  ...accountsProblems(settings),
  ...answersProblems(settings.studentInterest.answers),
]

/** One signal alone must never quarantine a submission. */
const screeningProblems = ({ screening: { threshold, weights } }: Settings): string[] =>
  Object.entries(weights)
    .filter(([, weight]) => weight >= threshold)
    .map(([signal]) => `screening.weights.${signal} must be below screening.threshold`)

/** What is wrong with the logos, one sentence each. */
export function brandProblems(brand: Settings['school']['brand']): string[] {
  const problems: string[] = []
  for (const entry of ['logo', 'logoDark'] as const) {
    const logo = brand[entry]
    if (logo !== undefined && !isUrl(logo) && !existsSync(logo)) {
      problems.push(`school.brand.${entry} names ${logo}, which does not exist`)
    }
  }
  if ((brand.logoFile ?? brand.logo) === undefined && (brand.logoDarkFile ?? brand.logoDark) !== undefined) {
    problems.push('school.brand.logo must be set when school.brand.logoDark is')
  }
  return problems
}

function fileProblems({ school: { brand }, content, mail }: Settings): string[] {
  const problems = brandProblems(brand)
  if (content !== undefined && !existsSync(content)) {
    problems.push(`content names the folder ${content}, which does not exist`)
  }
  const keyFile = mail.dkim?.privateKeyFile
  if (keyFile !== undefined && !existsSync(keyFile)) {
    problems.push(`mail.dkim.privateKeyFile names ${keyFile}, which does not exist`)
  }
  return problems
}

export function staffProblems({
  admissions: { counselors },
  studentInterest,
}: Pick<Settings, 'admissions' | 'studentInterest'>): string[] {
  const known = new Set(statesWith(studentInterest.states).values())
  const ids = counselors.map(({ id }) => id)
  const problems: string[] = []
  for (const [i, { id, backup, states = [], absent = [] }] of counselors.entries()) {
    const at = `admissions.counselors[${i}]`
    if (ids.indexOf(id) !== i) {
      problems.push(`${at}.id must be unique; "${id}" is also the id of another counselor`)
    }
    if (id === MANAGER || id === TEAM) {
      problems.push(`${at}.id must not be "${id}", which means the ${id} itself`)
    }
    if (backup !== undefined && (backup === id || !ids.includes(backup))) {
      problems.push(`${at}.backup must be the id of another counselor`)
    }
    for (const code of states.filter(code => !known.has(code))) {
      problems.push(`${at}.states: ${code} is not the code of a known state; add it to studentInterest.states`)
    }
    for (const { from, to } of absent.filter(({ from, to }) => from > to)) {
      problems.push(`${at}.absent must not end (${to}) before it begins (${from})`)
    }
  }
  return problems
}

export function cadencesProblems({ followUp }: { followUp: Pick<Settings['followUp'], 'student' | 'site'> }): string[] {
  const cadences = kinds.flatMap(kind => cadenceProblems(followUp[kind]).map(problem => `followUp.${kind}: ${problem}`))
  const toWrongPerson = followUp.site
    .filter(step => !['team', 'manager', 'chat', undefined].includes(recipientOf(step)))
    .map(({ name }) => `followUp.site: step '${name}' must go to the team or the manager`)
  // Emails to students and messages to the staff have different variables; the folder decides which.
  const misplaced = [...followUp.student, ...followUp.site].flatMap(step => {
    const folder = recipientOf(step) === 'student' ? 'letters/' : 'notifications/'
    return templateOf(step)?.startsWith(folder) !== false
      ? []
      : [`followUp: the message of step '${step.name}' must be in ${folder}`]
  })
  return [...cadences, ...toWrongPerson, ...misplaced]
}

function accountsProblems({ accounts: { directory, url: text, feedback } }: Settings): string[] {
  const problems: string[] = []
  if (directory === 'http' && text === undefined) {
    problems.push("accounts.url must be set when accounts.directory is 'http'")
  }
  if (text !== undefined) problems.push(...accountsUrlProblems(text))
  if (directory === 'none' && feedback === 'conceal') {
    problems.push(
      "accounts.feedback must be 'reveal' while accounts.directory is 'none', because we then ask no one about accounts",
    )
  }
  return problems
}

function accountsUrlProblems(text: string): string[] {
  const url = URL.parse(text)
  if (url === null) return ['accounts.url must be a valid URL']
  const problems: string[] = []
  // fetch rejects such a URL.
  if (url.username !== '' || url.password !== '') {
    problems.push('accounts.url must not contain a user or password; put a token into ACCOUNTS_TOKEN')
  }
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    problems.push(
      'accounts.url must begin with https://, or email addresses and the token would cross the network unencrypted',
    )
  }
  return problems
}

export const answersProblems = (answers: Settings['studentInterest']['answers']): string[] =>
  Object.entries(answers).flatMap(([question, { allowed = [], labels = {} }]) =>
    Object.entries(labels)
      .filter(([, words]) => words.length !== allowed.length)
      .map(
        ([language, words]) =>
          `studentInterest.answers.${question}.labels.${language} must have ${allowed.length} lines, one for each answer, and has ${words.length}`,
      ),
  )
