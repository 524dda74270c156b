/** For the manager or the team: the figures of the last week. */
import { telLink } from '../../content/contact-links.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import type { ContactTimes } from '../../follow-up/times-to-reach.ts'
import type { Group } from '../../follow-up/weekly-tally.ts'
import { readablePhone } from '../../leads/body/phone.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { DAY, HOUR, MINUTE } from '../../platform/time.ts'
import { signingMoment } from '../../signed-links.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import type { WeeklyReport } from '../report/read-report.ts'
import {
  advice,
  arrivalsInWords,
  changeInWords,
  type Grouping,
  groupInFigures,
  groupName,
  NOTHING_TO_DO,
  outcomeInWords,
  speedInWords,
  weekInWords,
} from '../report/report-words.ts'
import { counselor, lead, now, team } from '../samples.ts'

/** How many groups of each sort the email lists. The page of the console has them all. */
const MOST_GROUPS = 8

export const weeklyReport: StaffMessage<{
  report: WeeklyReport
  to: StaffMember
  /** `manager` if the mail goes to the manager; its links then act in the manager's name. */
  actor: string | undefined
  now: number
}> = {
  template: 'notifications/weekly-report.md',
  variables({ report, actor, now }, context) {
    const { settings, links, consoleUrl, shortMoment } = context
    const { school } = settings
    const { tally, untried, outcomes, week } = report
    const url = (path: string) => new URL(path, consoleUrl).href
    /** A table with only one group besides those that are not known repeats the figures of all. */
    const several = (grouping: Grouping, list: Group[]) =>
      list.filter(({ value }) => value !== null).length > 1 ? groups(grouping, list) : []
    const groups = (grouping: Grouping, list: Group[]) =>
      list
        .slice(0, MOST_GROUPS)
        .map(group => ({ name: groupName(grouping, group.value, settings), ...groupInFigures(group) }))
    const person = ({ lead, since }: { lead: Lead; since: number }, when: string) => ({
      name: fullName(lead),
      when: `${when} ${shortMoment(since, now)}`,
      company: lead.kind === 'site' ? lead.company : null,
      owner: lead.owner && ownerName(lead.owner, settings.admissions),
      phone: lead.phone && readablePhone(lead.phone, school.country),
      phone_url: telLink(lead.phone, school.country),
      lead_url: links.staff('open', lead.id, actor, signingMoment(lead.createdAt, now)),
    })
    return {
      school: schoolVariables(school),
      week: weekInWords(week, school),
      count: tally.all.leads,
      untried_count: untried.total,
      arrivals: arrivalsInWords(report),
      speed: speedInWords(tally),
      all: groupInFigures(tally.all),
      change: changeInWords(report),
      nothing_to_do: NOTHING_TO_DO,
      advice: advice(report).map(({ text, path, link, people }) => ({
        text,
        url: url(path),
        link,
        people: people?.those.map(one => person(one, people.when)) ?? [],
      })),
      counselors: groups('owner', tally.byOwner),
      states: several('state', tally.byState),
      sources: several('source', tally.bySource),
      heard: several('heard', tally.byHeard),
      outcomes: outcomes.map(outcomeInWords),
      report_url: url(`/report?week=${week.first}`),
    }
  },
  samples: () => [
    { to: counselor, actor: 'manager', now, report: full },
    { to: team, actor: undefined, now, report: small },
    { to: counselor, actor: 'manager', now, report: quiet },
  ],
  sampleCounselors: [{ id: 'maria', name: counselor.name, email: counselor.address }],
}

// The sample weeks: one in which everything happened, a quiet one, and one in which no one wrote in.

const week = { first: '2026-11-09', last: '2026-11-15', from: now - 12 * DAY, until: now - 5 * DAY }

const times = (count: number, p50: number): ContactTimes => ({
  count,
  p50: count === 0 ? null : p50,
  p95: count === 0 ? null : 10 * p50,
  bands: [],
})

const group = (value: string | null, leads: number, tried: number, reached: number, p50 = 22 * MINUTE): Group => ({
  value,
  leads,
  tried,
  reached: { working: times(reached, p50), wall: times(reached, 3 * p50) },
})

const nothing = { untried: 0, closing: 0, unanswered: 0, failed: 0, quarantined: 0 }

const untried = [
  { ...lead, kind: 'student' as const, createdAt: now - 11 * DAY, owner: 'maria' },
  { ...lead, firstName: 'Ben', company: 'Mercy Hospital', createdAt: now - 9 * DAY },
]

const full: WeeklyReport = {
  week,
  tally: {
    kinds: { student: 60, site: 3 },
    all: group(null, 63, 40, 28),
    byOwner: [group('maria', 33, 30, 22, 9 * MINUTE), group(null, 30, 10, 6, 2 * HOUR)],
    byState: [group('TX', 40, 30, 20), group('OK', 9, 9, 8), group(null, 14, 1, 0)],
    bySource: [
      group('facebook', 25, 25, 18),
      group('google', 20, 9, 6, 50 * MINUTE),
      group(null, 18, 6, 4, 40 * MINUTE),
    ],
    byHeard: [group('a friend or relative', 35, 20, 16), group(null, 25, 17, 9)],
  },
  entered: 15,
  before: { student: 55, site: 5 },
  untried: { leads: untried, total: 23, others: 7 },
  unanswered: untried.map(one => ({ ...one, unansweredSince: now - DAY })),
  overdue: untried.slice(0, 1).map(lead => ({ lead, dueAt: now - HOUR, words: '', assignee: null })),
  outcomes: [
    { kind: 'student', stage: 'contacted', leads: 28 },
    { kind: 'student', stage: 'enrolled', leads: 3 },
    { kind: 'student', stage: 'closed: no reply', leads: 6 },
    { kind: 'site', stage: 'agreement', leads: 1 },
  ],
  toDo: { untried: 30, closing: 2, unanswered: 5, failed: 4, quarantined: 1 },
}

const alone = group(null, 1, 0, 0)
const small: WeeklyReport = {
  week: { ...week, first: '2026-11-30', last: '2026-12-06' },
  tally: {
    kinds: { student: 1, site: 0 },
    all: alone,
    byOwner: [alone],
    byState: [alone],
    bySource: [alone],
    byHeard: [alone],
  },
  entered: 0,
  before: { student: 1, site: 1 },
  untried: { leads: untried.slice(0, 1), total: 1, others: 0 },
  unanswered: [],
  overdue: [],
  outcomes: [],
  toDo: nothing,
}

const quiet: WeeklyReport = {
  ...small,
  tally: {
    kinds: { student: 0, site: 0 },
    all: group(null, 0, 0, 0),
    byOwner: [],
    byState: [],
    bySource: [],
    byHeard: [],
  },
  untried: { leads: [], total: 0, others: 0 },
}
