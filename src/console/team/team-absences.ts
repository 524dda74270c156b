/** The absences of the team: who is away soon, and how managers' calendar and one's own account record them. */
import { html } from 'hono/html'
import { dayAsOf } from '../../content/date-format.ts'
import { MANAGER, staffIds } from '../../leads/lead/staff.ts'
import { DAY, isDay } from '../../platform/time.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { field } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'

/** `id` is set if the absence is recorded in the database. Otherwise, it is part of the team in the settings file. */
export type Absence = { id?: number; counselor: string; from: string; to: string; where: string }

/** The absences that end on that day or later, by default today, in order of their first day. */
export async function readAbsences(
  { store, settings, config, calendar, clock }: ConsoleDeps,
  day = calendar.today(clock.now()),
): Promise<Absence[]> {
  const edited = config.edited.team?.fromFile === false
  const where = edited ? 'from the settings file, kept here' : 'in the settings file'
  const { counselors } = settings.admissions
  const isHere = new Set(staffIds(settings.admissions))
  const recorded = await store.listAbsences(day)
  return [
    ...counselors.flatMap(({ id, absent = [] }) =>
      absent.filter(({ to }) => to >= day).map(span => ({ counselor: id, ...span, where })),
    ),
    ...recorded
      // The absences of someone who has left the team stay stored, and count again if that person comes back.
      .filter(({ counselor }) => isHere.has(counselor))
      .map(({ id, counselor, firstDay, lastDay, createdBy }) => ({
        id,
        counselor,
        from: firstDay,
        to: lastDay,
        where: createdBy === null ? 'from the command line' : `recorded by ${createdBy}`,
      })),
  ].toSorted((one, other) => (one.from < other.from ? -1 : 1))
}

/** An absence is mentioned if it begins within this many milliseconds. */
const SOON = 14 * DAY

export type Away = { from: string; until: string; now: boolean }

/** Returns a function that says when a person (by id) is away; undefined if they are not away today or soon. */
export function awaySoon({ clock, calendar }: ConsoleDeps, absences: readonly Absence[]) {
  const today = calendar.today(clock.now())
  const soon = calendar.today(clock.now() + SOON)
  return (id: string): Away | undefined => {
    const own = absences.filter(({ counselor }) => counselor === id)
    const now = own.filter(({ from, to }) => from <= today && today <= to).map(({ to }) => to)
    const until = now.toSorted().at(-1)
    if (until !== undefined) return { from: today, until, now: true }
    const next = own.find(({ from }) => from > today && from <= soon)
    return next && { from: next.from, until: next.to, now: false }
  }
}

export function spanInWords(
  { from, to }: Pick<Absence, 'from' | 'to'>,
  { settings, calendar, clock }: ConsoleDeps,
): string {
  const inWords = (day: string) => dayAsOf(day, calendar.today(clock.now()), settings.school)
  return from === to ? inWords(from) : `${inWords(from)} to ${inWords(to)}`
}

/** Who gets the messages of someone who is away. */
export function messagesInWords(
  { counselor, from, to }: Pick<Absence, 'counselor' | 'from' | 'to'>,
  all: readonly Absence[],
  { settings }: ConsoleDeps,
): string {
  const { counselors } = settings.admissions
  if (counselor === MANAGER) return 'warnings, reminders and lists go to the team'
  const person = counselors.find(one => one.id === counselor)
  const backup = counselors.find(one => one.id === person?.backup)
  const alsoAway = all.some(one => one.counselor === backup?.id && one.from <= to && one.to >= from)
  if (backup === undefined) return 'notifications and reminders go to the team'
  return alsoAway
    ? `notifications and reminders go to ${backup.name}, and to the team while they are away, too`
    : `notifications and reminders go to ${backup.name}`
}

/** The fields for the days of an absence. `problem` is about them, `hint` about the last one. */
export const dayFields = (
  fields: Record<string, string | undefined>,
  problem: string | undefined,
  hint: string,
): Html => html`${field({ name: 'from', label: 'First day', type: 'date', value: fields['from'], problem })}
${field({ name: 'to', label: 'Last day (optional)', type: 'date', value: fields['to'], required: false, hint })}`

/** How far ahead an absence may end, in days. Someone who mistyped the year would never get new leads again. */
const FARTHEST = 731

/**
 * How many absences that are not over one person can have: more than anyone needs. All of them are read whenever
 * someone on the team gets a message.
 */
const MOST = 50

/**
 * Records that someone on the team is away from the day `from` to the day `to` or, without `to`, for one day. The same
 * days are recorded only once. Returns what is wrong with the days, or else the days in words, and who gets the
 * counselor's messages meanwhile.
 */
export async function recordAbsence(
  c: ConsoleContext,
  deps: ConsoleDeps,
  { id, name }: { id: string; name: string },
  fields: Record<string, string | undefined>,
): Promise<{ problem: string } | { days: string; messages: string }> {
  const { store, clock, calendar } = deps
  const { from = '' } = fields
  const to = fields['to'] || from
  const today = calendar.today(clock.now())
  if (![from, to].every(day => day.startsWith('20') && isDay(day)))
    return { problem: 'Enter a day, such as 2026-12-24.' }
  if (to < from) return { problem: 'The last day must not be before the first.' }
  if (to < today) return { problem: 'The last day must be today or later.' }
  if (Date.parse(to) - Date.parse(today) > FARTHEST * DAY)
    return { problem: 'The last day must be within two years from today.' }
  const all = await readAbsences(deps)
  const known = all.filter(({ counselor }) => counselor === id)
  if (!known.some(one => one.from === from && one.to === to)) {
    if (known.length >= MOST)
      return { problem: `${name} has ${MOST} absences that are not over. Remove one, or record several as one.` }
    const audit = auditEntries(c, 'recorded an absence', { detail: `${name}, ${from} to ${to}` })
    await store.addAbsence({ counselor: id, firstDay: from, lastDay: to, createdBy: c.get('operator').name, audit })
  }
  const messages = messagesInWords({ counselor: id, from, to }, all, deps)
  return { days: spanInWords({ from, to }, deps), messages }
}

/** Deletes an absence that is recorded in the database. Throws a ConsoleError with status 404 if there is none. */
export async function deleteAbsence(
  c: ConsoleContext,
  { store }: ConsoleDeps,
  { id, detail }: { id: number; detail: string },
): Promise<void> {
  if (!(await store.removeAbsence(id, auditEntries(c, 'deleted an absence', { detail }))))
    throw new ConsoleError(404, 'This absence was already removed.')
}
