/** The report of a week in words, for the email and the page of the console. */
import type { Settings } from '../../config/settings.ts'
import { dayInWords, roughly } from '../../content/date-format.ts'
import type { Group } from '../../follow-up/weekly-tally.ts'
import type { Week } from '../../follow-up/weeks.ts'
import { answerNamed } from '../../leads/body/ranked-answers.ts'
import { stateName } from '../../leads/body/states.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { capital, share } from '../../leads/body/tidy-text.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import type { Outcome } from '../../store/insight/report-queries.ts'
import type { WeeklyReport } from './read-report.ts'

/** `no students`, `1 student`, `40 students`. */
export const peopleInWords = (count: number, kind: Kind): string =>
  `${count === 0 ? 'no' : count} ${kind}${count === 1 ? '' : 's'}`

/** `November 16 to 22`, or `November 30 to December 6`. */
export function weekInWords({ first, last }: Week, school: { country: string }): string {
  const until = dayInWords(last, school)
  return `${dayInWords(first, school)} to ${first.slice(0, 7) === last.slice(0, 7) ? Number(last.slice(8)) : until}`
}

/** How many people of each kind wrote in, compared with the week before, and how many the school added itself. */
export function arrivalsInWords(report: WeeklyReport): string {
  const { entered } = report
  if (entered === 0) return wroteInWords(report)
  const people = entered === 1 ? 'One person was' : `${entered} people were`
  return `${wroteInWords(report)} ${people} imported or entered by hand, and ${entered === 1 ? 'is' : 'are'} not counted here.`
}

function wroteInWords({ tally, before }: WeeklyReport): string {
  const { student, site } = tally.kinds
  if (student + site === 0) {
    const was = before.student + before.site
    return was === 0
      ? 'No one wrote in, as in the week before.'
      : `No one wrote in; in the week before it was ${was === 1 ? 'one person' : `${was} people`}.`
  }
  const part = (kind: Kind) =>
    `${peopleInWords(tally.kinds[kind], kind)} (${difference(tally.kinds[kind], before[kind])})`
  return capital(`${part('student')} and ${part('site')} wrote in.`)
}

/** Such as `3 more than the week before`. */
export function difference(count: number, before: number): string {
  if (count === before) return 'as many as the week before'
  return `${moreOrFewer(count, before)} than the week before`
}

const moreOrFewer = (count: number, before: number): string =>
  count > before ? `${count - before} more` : `${before - count} fewer`

/** How many more wrote in than in the week before, in two words, since it is below the figure. */
export function changeInWords({ tally: { kinds }, before }: WeeklyReport): string {
  const [count, was] = [kinds.student + kinds.site, before.student + before.site]
  return count === was ? 'as before' : moreOrFewer(count, was)
}

/** How many of them were reached and how quickly, in one sentence; empty if there were none. */
export function speedInWords({ all }: WeeklyReport['tally']): string {
  const { count, p50, p95 } = all.reached.working
  if (all.leads === 0) return ''
  if (count === 0) return 'No one has been reached yet.'
  const part = share(count, all.leads)
  if (count === 1) return `One of them (${part}) has been reached, within ${roughly(p95)} of school hours.`
  const half = p50 === null ? 'fewer than half were reached' : `half of everyone was reached within ${roughly(p50)}`
  return `${count} of them (${part}) have been reached. In school hours, ${half}, and 95% of those reached within ${roughly(p95)}.`
}

/**
 * What the manager should do first, the most urgent on top, each with its page and the text of its link. `people`: the
 * ones that the page lists first. The word `when` stands before the time from which each has waited.
 */
export type Advice = { text: string; path: string; link: string; people?: People }

type People = { when: string; those: { lead: Lead; since: number }[] }

export function advice({ untried, unanswered, overdue, toDo, week }: WeeklyReport): Advice[] {
  const people = (count: number) => (count === 1 ? 'One person' : `${count} people`)
  const list: (Advice | undefined)[] = [
    atLeast(untried.total, {
      text: `No one has tried to reach ${untried.total === 1 ? 'one person who wrote in' : `${untried.total} of the people who wrote in`}. Have someone call them.`,
      path: `/report?week=${week.first}#untried`,
      link: untried.total === 1 ? 'Show this lead' : `Show the ${untried.total}`,
      people: { when: 'since', those: untried.leads.map(lead => ({ lead, since: lead.createdAt })) },
    }),
    atLeast(untried.others, {
      text: `No one has tried to reach ${untried.others === 1 ? 'one other person' : `${untried.others} other people`}. Have someone call them.`,
      path: '/inbox?waiting=untried',
      link: 'Show everyone not called yet',
    }),
    atLeast(toDo.closing, {
      text: `${toDo.closing === 1 ? 'One lead is' : `${toDo.closing} leads are`} about to be closed, and no one has called.`,
      path: '/today',
      link: 'Open Today',
    }),
    atLeast(overdue.length, {
      text: `${overdue.length === 1 ? 'Someone was' : 'People were'} promised a call, and no one has recorded one.`,
      path: '/today',
      link: 'Open Today',
      people: { when: 'promised for', those: overdue.map(({ lead, dueAt }) => ({ lead, since: dueAt })) },
    }),
    atLeast(toDo.unanswered, {
      text: `${people(toDo.unanswered)} wrote back and ${toDo.unanswered === 1 ? 'waits' : 'wait'} for an answer.`,
      path: '/inbox?waiting=unanswered',
      link: 'Open the inbox',
      people: {
        when: 'wrote',
        those: unanswered.map(lead => ({ lead, since: lead.unansweredSince ?? lead.createdAt })),
      },
    }),
    atLeast(toDo.failed, {
      text: `${toDo.failed === 1 ? 'One email' : `${toDo.failed} emails`} could not be sent.`,
      path: '/delivery?state=failed',
      link: 'Open Delivery',
    }),
    atLeast(toDo.quarantined, {
      text: `${toDo.quarantined === 1 ? 'One inquiry is' : `${toDo.quarantined} inquiries are`} quarantined: release or dismiss ${toDo.quarantined === 1 ? 'it' : 'them'}.`,
      path: '/quarantine',
      link: 'Open Quarantine',
    }),
  ]
  return list.filter(one => one !== undefined)
}

const atLeast = (count: number, one: Advice): Advice | undefined => (count > 0 ? one : undefined)

/** Shown with the figures of *Insight* and of the report. */
export const NOT_COUNTED = 'Leads closed as spam, as a duplicate or as not a lead do not count.'

export const NOTHING_TO_DO = 'Nothing waits for you.'

export type Grouping = 'owner' | 'state' | 'source' | 'heard'

/** The name of a group: a counselor, a state, a source, an answer. */
export function groupName(grouping: Grouping, value: string | null, settings: Settings): string {
  if (grouping === 'owner') return value === null ? 'The team' : ownerName(value, settings.admissions)
  if (value === null) return 'Not known'
  const { states, answers } = settings.studentInterest
  if (grouping === 'heard') return answerNamed(value, answers.source?.allowed)
  return grouping === 'state' ? stateName(value, states) : value
}

/**
 * The figures of one group, each as a text: how many wrote in, how many were reached, within how many school hours half
 * of them were reached, and how many no one has tried to reach.
 */
export function groupInFigures({ leads, tried, reached: { working } }: Group) {
  return {
    leads: `${leads}`,
    reached: `${working.count}`,
    share: leads === 0 ? '–' : share(working.count, leads),
    half: working.p50 === null ? '–' : roughly(working.p50),
    left: `${leads - tried}`,
  }
}

/** The stages that leads entered, such as `3 students enrolled`, or `6 students closed (no reply)`. */
export function outcomeInWords({ kind, stage, leads }: Outcome): string {
  const [, reason] = /^closed: (.*)$/.exec(stage) ?? []
  const became = reason === undefined ? (stageAsOutcome[stage] ?? stage) : `closed (${reason})`
  return `${peopleInWords(leads, kind)} ${became}`
}

const stageAsOutcome: Record<string, string> = {
  new: 'open again',
  contacted: 'reached',
  meeting: 'with a meeting',
  agreement: 'with an agreement',
}
