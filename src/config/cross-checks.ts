/** What no entry of the settings can tell alone: whether they go together. */
import { existsSync } from 'node:fs'
import { cadenceProblems } from '../follow-up/cadence-problems.ts'
import { statesWith } from '../leads/states.ts'
import { isLoopback } from '../loopback.ts'
import type { Settings } from './settings-shape.ts'
import { timeProblems } from './time-checks.ts'

/** What is wrong with settings whose entries are each of their shape, one sentence each. */
export function crossChecks(settings: Settings): string[] {
  const problems: string[] = []
  const { threshold, weights } = settings.screening
  for (const [signal, value] of Object.entries(weights)) {
    // One signal alone never holds a lead back.
    if (value >= threshold) {
      problems.push(`screening.weights.${signal} must be below screening.threshold`)
    }
  }
  if (settings.content !== undefined && !existsSync(settings.content)) {
    problems.push(`content names the folder ${settings.content}, which does not exist`)
  }
  const keyFile = settings.mail.dkim?.privateKeyFile
  if (keyFile !== undefined && !existsSync(keyFile)) {
    problems.push(`mail.dkim.privateKeyFile names ${keyFile}, which does not exist`)
  }
  return [
    ...problems,
    ...timeProblems(settings),
    ...staffProblems(settings),
    ...cadencesProblems(settings),
    ...accountsProblems(settings),
  ]
}

function staffProblems({ admissions: { counselors }, studentInterest }: Settings): string[] {
  const states = new Set(statesWith(studentInterest.states).values())
  const ids = counselors.map(({ id }) => id)
  const at = (i: number) => `admissions.counselors[${i}]`
  return counselors.flatMap(({ id, backup, states: own = [], absent = [] }, i) => [
    ...(ids.indexOf(id) === i
      ? []
      : [`${at(i)}.id is taken: "${id}" stands for another counselor`]),
    ...(backup === undefined || (backup !== id && ids.includes(backup))
      ? []
      : [`${at(i)}.backup must be the id of another counselor`]),
    ...own
      .filter(code => !states.has(code))
      .map(
        code =>
          `${at(i)}.states: ${code} is the code of no state (more can be named in studentInterest.states)`,
      ),
    ...absent
      .filter(({ from, to }) => from > to)
      .map(({ from, to }) => `${at(i)}.absent ends on ${to}, before it begins on ${from}`),
  ])
}

function cadencesProblems({ followUp }: Settings): string[] {
  const cadences = (['student', 'site'] as const).flatMap(kind =>
    cadenceProblems(followUp[kind]).map(problem => `followUp.${kind}: ${problem}`),
  )
  const toNobody = followUp.site
    .filter(step => 'to' in step && step.to !== 'team' && step.to !== 'manager')
    .map(({ name }) => `followUp.site: the step ${name} must go to the team or the manager`)
  // What a letter must hold, and what the staff must see, is not the same.
  const misplaced = [...followUp.student, ...followUp.site].flatMap(step => {
    if ('close' in step) return []
    const folder = step.to === 'student' ? 'letters/' : 'notifications/'
    return step.message.startsWith(folder)
      ? []
      : [`followUp: the message of the step ${step.name} must be in ${folder}`]
  })
  return [...cadences, ...toNobody, ...misplaced]
}

function accountsProblems({ accounts: { directory, url: address, feedback } }: Settings): string[] {
  const url = URL.parse(address ?? '')
  return [
    ...(directory === 'http' && address === undefined
      ? ['accounts.url must be set when accounts.directory is "http"']
      : []),
    ...(url === null && address !== undefined ? ['accounts.url must be an address'] : []),
    // Such an address is one that fetch refuses.
    ...(url !== null && (url.username !== '' || url.password !== '')
      ? ['accounts.url must hold no user and password: put a token into ACCOUNTS_TOKEN']
      : []),
    ...(url !== null && url.protocol !== 'https:' && !isLoopback(url.hostname)
      ? [
          'accounts.url must begin with https://: addresses and the token would cross the network in clear',
        ]
      : []),
    ...(directory === 'none' && feedback === 'conceal'
      ? [
          "accounts.feedback must be 'reveal' where accounts.directory is 'none': nobody is asked then",
        ]
      : []),
  ]
}
