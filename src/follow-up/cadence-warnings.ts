/** What a valid cadence would do that its school probably does not want, one sentence each. */
import { DAY, HOUR } from '../platform/time.ts'
import {
  type Cadence,
  delayOf,
  nominalMinutes,
  type Recipient,
  recipientOf,
  type Step,
  templateOf,
  trackOf,
} from './cadence.ts'
import { stepInWords, whenInWords } from './cadence-words.ts'
import type { Span } from './opening-hours.ts'
import { type QuietHours, quietSpans } from './student-hours.ts'

/** More follow-up emails than this to one person are often reported as spam. */
const MOST_LETTERS = 5
/** A working day has about eight hours; a lead that waits longer for the first reminder has gone cold. */
const LATEST_REMINDER = 8 * 60
const ONE_DAY = 24 * 60

/** No one wants automatic emails between these times of the day, in milliseconds. */
const NIGHT: readonly Span[] = [
  { from: 0, to: 8 * HOUR },
  { from: 21 * HOUR, to: DAY },
]

/**
 * Expects a cadence without problems (`cadence-problems.ts`). Sites are treated differently: they get no emails, may
 * wait a day, and may stay open.
 */
export function cadenceWarnings(kind: 'student' | 'site', cadence: Cadence, quietHours: QuietHours): string[] {
  const on = (track: string) => cadence.filter(step => trackOf(step) === track)
  // A channel does not remind anyone in particular.
  const reminders = on('staff').filter(step => recipientOf(step) !== 'chat')
  const letters = on('student')
  const [end] = on('end')
  return [
    ...reminderWarnings(kind, reminders),
    ...letterWarnings(letters, quietHours),
    ...(kind === 'student' ? endWarnings(end, letters) : []),
  ]
}

function reminderWarnings(kind: 'student' | 'site', reminders: readonly Step[]): string[] {
  const [first] = reminders
  if (first === undefined)
    return [
      'No one at the school is reminded: if the first notification is overlooked, no one notices until the weekly list of unattended leads.',
    ]
  const { days, minutes } = delayOf(first)
  const late =
    kind === 'student' && (days > 0 || minutes > LATEST_REMINDER)
      ? [`The first reminder comes late, after ${first.after}: most people choose the school that calls first.`]
      : []
  const atAnyTime = reminders
    .filter(({ clock }) => clock === 'student')
    .map(
      step =>
        `The staff may get an email on weekends and holidays: ${stepInWords(step)} is counted in calendar time (clock: 'student'), not in school hours.`,
    )
  return [...late, ...atAnyTime, ...backupWarnings(reminders)]
}

/** A backup who takes over this early leaves the counselor no time to call. */
function backupWarnings(reminders: readonly Step[]): string[] {
  const firstTo = (to: Recipient) => reminders.find(step => recipientOf(step) === to)
  const [backup, counselor] = [firstTo('backup'), firstTo('counselor')]
  if (backup === undefined || counselor === undefined || distance(backup, counselor) <= 0) return []
  return [
    `The backup is asked to take over ${whenInWords(backup)}, before the counselor is reminded for the first time (${whenInWords(counselor)}).`,
  ]
}

function letterWarnings(letters: readonly Step[], quietHours: QuietHours): string[] {
  if (letters.length === 0) return []
  const many =
    letters.length > MOST_LETTERS
      ? [
          `A student who does not reply gets ${letters.length} follow-up emails. When there are more than ${MOST_LETTERS}, people begin to report them as spam, and then fewer of your emails arrive.`,
        ]
      : []
  const close = letters.flatMap((step, i) => {
    const previous = letters[i - 1]
    return previous && distance(previous, step) < ONE_DAY
      ? [`The emails to the student ${whenInWords(previous)} and ${whenInWords(step)} are less than a day apart.`]
      : []
  })
  const again = letters.flatMap((step, i) => {
    const same = letters.slice(0, i).find(one => templateOf(one) === templateOf(step))
    return same === undefined
      ? []
      : [`The emails to the student ${whenInWords(same)} and ${whenInWords(step)} are the same message.`]
  })
  const atNight = isQuiet(NIGHT, quietHours)
    ? []
    : [
        `Emails can reach students between 21:00 and 8:00: followUp.quietHours are from ${quietHours.from} to ${quietHours.to}.`,
      ]
  return [...many, ...close, ...again, ...atNight]
}

function endWarnings(end: Step | undefined, letters: readonly Step[]): string[] {
  if (end === undefined)
    return ['Nothing closes the lead: a student who never replies stays in the inbox until someone closes the lead.']
  const last = letters.at(-1)
  return last !== undefined && distance(last, end) < ONE_DAY
    ? [
        `The lead is closed ${whenInWords(end)}, less than a day after the last email to the student: there is hardly any time to reply.`,
      ]
    : []
}

/** How much later one step is than another, in minutes, for days of 24 hours. */
const distance = (earlier: Step, later: Step): number =>
  nominalMinutes(delayOf(later)) - nominalMinutes(delayOf(earlier))

const isQuiet = (times: readonly Span[], quietHours: QuietHours): boolean => {
  const quiet = quietSpans(quietHours)
  return times.every(({ from, to }) => quiet.some(span => span.from <= from && to <= span.to))
}
