/** The report of each week: scheduled for the first school morning of the next week; and its content. */
import type { Settings } from '../../config/settings.ts'
import type { Calendar } from '../../follow-up/calendar.ts'
import { numberOfWeek, reportMorning, weekBefore, weekOfNumber, weeksToReport } from '../../follow-up/weeks.ts'
import { MANAGER } from '../../leads/lead/staff.ts'
import { readWeeklyReport } from '../../mail/report/read-report.ts'
import type { Addressee, Addressees } from '../../mail/staff-addressees.ts'
import type { Clock } from '../../platform/time.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import type { MakeContent, MessageServices } from './message-data.ts'

type Scheduling = { store: Pick<Store, 'addReport'>; clock: Clock; calendar: Calendar }

/** How many people the email names for each thing to do. */
const MOST_NAMED = 5

/** The email of a task. It waits for its morning, even if a wrong clock has made it due. */
export const reportContent: MakeContent = async (
  { store, clock, calendar, config: { settings }, addressees, messages },
  { subject },
) => {
  const now = clock.now()
  const week = weekOfNumber(subject, calendar)
  const morning = reportMorning(week, calendar)
  if (morning > now) return { waitUntil: morning, why: 'waits for the end of its week' }
  if (settings.reports.weekly === 'off') return { skip: 'the settings turn the weekly report off' }
  const report = await readWeeklyReport(store, {
    week,
    before: weekBefore(week, calendar),
    calendar,
    mostNamed: MOST_NAMED,
    now,
  })
  return messages.weeklyReport({ report, ...(await recipient(store, settings, addressees)), now })
}

/**
 * The recipient: the address in the settings, unless its owner can no longer sign in; otherwise, the manager;
 * otherwise, the students' team.
 */
async function recipient(
  store: Pick<Store, 'findOperator'>,
  { reports: { to }, admissions }: Settings,
  addressees: Addressees,
): Promise<Addressee> {
  const isOther = to !== undefined && to !== admissions.manager?.email
  if (isOther && !(await store.findOperator(to))?.operator.disabled)
    return { to: { name: '', address: to }, actor: undefined }
  return addressees.member(MANAGER, 'student') ?? { to: addressees.team('student'), actor: undefined }
}

/** Tells destinations about the week of a task, once. */
export async function tellOfWeek(
  { store, clock, calendar, config: { consoleUrl } }: MessageServices,
  { subject }: Pick<Task, 'subject'>,
): Promise<void> {
  const now = clock.now()
  const week = weekOfNumber(subject, calendar)
  const before = weekBefore(week, calendar)
  const { tally, untried } = await readWeeklyReport(store, { week, before, calendar, mostNamed: 0, now })
  const { first, last } = week
  const { student: students, site: sites } = tally.kinds
  const reached = tally.all.reached.wall.count
  const url = `${consoleUrl}/report?week=${first}`
  await store.recordWeek({ first, last, students, sites, reached, untried: untried.total, url }, now)
}

/** Schedules the reports whose morning is still to come, each once. */
export async function scheduleReports({ store, clock, calendar }: Scheduling): Promise<void> {
  const now = clock.now()
  for (const week of weeksToReport(now, calendar)) {
    const dueAt = reportMorning(week, calendar)
    await store.addReport({ week: numberOfWeek(week), dueAt, now })
  }
}
