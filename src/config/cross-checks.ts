/** What no entry of the settings can tell alone: whether they go together. */
import { existsSync } from 'node:fs'
import { cadenceProblems } from '../follow-up/cadence-problems.ts'
import { zonesProblem } from '../follow-up/student-clock.ts'
import type { Settings } from './settings-shape.ts'

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
  if (!isTimeZone(settings.school.timeZone)) {
    problems.push(`school.timeZone is not a time zone (an example: America/Chicago)`)
  }
  if (settings.content !== undefined && !existsSync(settings.content)) {
    problems.push(`content names the folder ${settings.content}, which does not exist`)
  }
  const keyFile = settings.mail.dkim?.privateKeyFile
  if (keyFile !== undefined && !existsSync(keyFile)) {
    problems.push(`mail.dkim.privateKeyFile names ${keyFile}, which does not exist`)
  }
  return [...problems, ...staffProblems(settings), ...followUpProblems(settings)]
}

function staffProblems({ admissions: { counselors } }: Settings): string[] {
  const ids = counselors.map(({ id }) => id)
  const at = (i: number) => `admissions.counselors[${i}]`
  return counselors.flatMap(({ id, backup, absent = [] }, i) => [
    ...(ids.indexOf(id) === i
      ? []
      : [`${at(i)}.id is taken: "${id}" stands for another counselor`]),
    ...(backup === undefined || (backup !== id && ids.includes(backup))
      ? []
      : [`${at(i)}.backup must be the id of another counselor`]),
    ...absent
      .filter(({ from, to }) => from > to)
      .map(({ from, to }) => `${at(i)}.absent ends on ${to}, before it begins on ${from}`),
  ])
}

function followUpProblems({ followUp, school, accounts }: Settings): string[] {
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
  const zones = Object.entries(followUp.zones).flatMap(([code, names]) => {
    const unknown = names.find(name => !isTimeZone(name))
    if (unknown !== undefined) return [`followUp.zones.${code}: ${unknown} is not a time zone`]
    const problem = zonesProblem(
      { zones: names, quietHours: followUp.quietHours },
      Date.UTC(2026, 0),
    )
    return problem === undefined ? [] : [`followUp.zones.${code} must be ${problem}`]
  })
  const open = Object.values(school.hours).some(hours => hours !== 'closed')
  return [
    ...cadences,
    ...toNobody,
    ...misplaced,
    ...zones,
    ...(open ? [] : ['school.hours must have an opening on one day of the week at least']),
    ...(accounts.directory === 'http' && accounts.url === undefined
      ? ['accounts.url must be set when accounts.directory is "http"']
      : []),
    ...(accounts.url !== undefined && hasCredentials(accounts.url)
      ? ['accounts.url must hold no user and password: put a token into ACCOUNTS_TOKEN']
      : []),
  ]
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Such an address is one that fetch refuses. */
const hasCredentials = (address: string): boolean => {
  const url = URL.parse(address)
  return url !== null && (url.username !== '' || url.password !== '')
}
