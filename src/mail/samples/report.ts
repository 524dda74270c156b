/** Sample variables of the weekly report: a week with everything, a small one, and one in which no one wrote in. */
import type { SpeedSummary } from '../../follow-up/response-times.ts'
import type { Group } from '../../follow-up/weekly-tally.ts'
import { DAY, HOUR, MINUTE } from '../../platform/time.ts'
import type { WeeklyReport } from '../report/weekly-report.ts'
import { reportVariables } from '../variables/report.ts'
import type { SchoolContext } from '../variables/school-context.ts'
import { counselor, lead, now, team } from './messages.ts'

export function reportSamples(context: SchoolContext): object[] {
  const { admissions } = context.settings
  const counselors = [{ id: 'maria', name: counselor.name, email: counselor.address }]
  const settings = { ...context.settings, admissions: { ...admissions, counselors } }
  const named = { ...context, settings }
  const to = { to: counselor, actor: 'manager', now }
  return [
    reportVariables({ ...to, report: full }, named),
    reportVariables({ ...to, to: team, actor: undefined, report: small }, named),
    reportVariables({ ...to, report: quiet }, named),
  ]
}

const week = { first: '2026-11-09', last: '2026-11-15', from: now - 12 * DAY, until: now - 5 * DAY }

const times = (count: number, p50: number): SpeedSummary => ({
  count,
  p50: count === 0 ? null : p50,
  p95: count === 0 ? null : 10 * p50,
  bands: [],
})

const group = (value: string | null, leads: number, tried: number, reached: number, p50 = 22 * MINUTE): Group => ({
  value,
  leads,
  tried,
  reached: { school: times(reached, p50), wall: times(reached, 3 * p50) },
})

const nothing = { closing: 0, replied: 0, failed: 0, quarantined: 0 }

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
    bySource: [group('facebook', 25, 25, 18), group(null, 38, 15, 10, 40 * MINUTE)],
    byHeard: [group('a friend or relative', 35, 20, 16), group(null, 25, 17, 9)],
  },
  entered: 15,
  before: { student: 55, site: 5 },
  untried: { leads: untried, total: 23 },
  outcomes: [
    { kind: 'student', stage: 'contacted', leads: 28 },
    { kind: 'student', stage: 'enrolled', leads: 3 },
    { kind: 'student', stage: 'closed: no reply', leads: 6 },
    { kind: 'site', stage: 'agreement', leads: 1 },
  ],
  toDo: { closing: 2, replied: 1, failed: 4, quarantined: 1 },
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
  untried: { leads: untried.slice(0, 1), total: 1 },
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
  untried: { leads: [], total: 0 },
}
