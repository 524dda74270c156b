/** Late work, in sentences for the operators: inquiries not filed, emails no one has tried to send, other work. */
import { DAY, HOUR, MINUTE } from '../../platform/time.ts'
import { counted } from '../body/tidy-text.ts'

/** After how long each kind of work is late, in minutes. */
export type LateAfter = { filingMinutes: number; emailMinutes: number; followUpMinutes: number; otherMinutes: number }

/** A jump of the clock that admins were told of. */
export type ClockJump = Told & { since: number }

/** A destination that has rejected events since then, the last one included. */
export type RejectingDestination = { id: number; name: string; since: number }

export type Waiting = {
  unfiled: number
  /** How many of them cannot be filed: attempts have failed again and again. */
  unfileable: number
  /** When the oldest of the other unfiled inquiries came in; null if there are none. */
  unfiledSince: number | null
  /** When the oldest message that no one has tried to send became due; null if there is none. */
  unsentSince: number | null
  /** When the oldest work of each other lane became due, if no one carries it out, or if it fails again and again. */
  waitingSince: Partial<Record<OtherLane, number>>
  clockJump: ClockJump | null
  rejecting: readonly RejectingDestination[]
}

/** The page that lists what cannot be filed. */
export const UNFILED = '/quarantine?state=unfiled'

export type OtherLane = keyof typeof otherLanes

/** A sentence for a heading, and an explanation. */
export type Told = { title: string; text: string }

/** Something that is late. `cause` identifies it in the database. */
export type LateWork = Told & {
  cause: 'filing' | 'unfileable' | 'mail' | 'clock' | `rejecting ${number}` | OtherLane
  /** When the oldest began to wait. */
  since: number
  /** The page of the console that shows more. */
  path: string
  /** The id of the destination that it is about. */
  destination?: number
}

/** The cause of its alarm. */
export const causeOf = (cause: LateWork['cause']): string => `${LATE}${cause}`

export const LATE = 'late '

const otherLanes = {
  'follow-up': {
    limit: 'followUpMinutes',
    title: 'Reminders are late.',
    what: 'reminder',
    advice: 'Call the people who are due in the inbox.',
    path: '/inbox',
  },
  letters: {
    limit: 'followUpMinutes',
    title: 'Follow-up emails are late.',
    what: 'follow-up email',
    advice: 'They go out as soon as they can.',
    path: '/delivery',
  },
  imports: {
    limit: 'otherMinutes',
    title: 'An import is late.',
    what: 'list',
    advice: 'The log says why.',
    path: '/imports',
  },
  scans: {
    limit: 'otherMinutes',
    title: 'Virus scans are late.',
    what: 'email with attachments',
    advice: 'No one can open them until then. The log says why.',
    path: '/inbox',
  },
  deliveries: {
    limit: 'otherMinutes',
    title: 'Destinations get leads late.',
    what: 'event',
    advice: 'Destinations says for which of them, and why.',
    path: '/destinations',
  },
  exports: {
    limit: 'otherMinutes',
    title: 'A nightly export is late.',
    what: 'export',
    advice: 'Until then, the last file is an older one. The log says why.',
    path: '/export/nightly',
  },
} as const satisfies Record<
  string,
  { limit: keyof LateAfter; title: string; what: string; advice: string; path: string }
>

/** Everything that is late; empty if nothing is. */
export function lateWork(
  { unfiled, unfileable, unfiledSince, unsentSince, waitingSince, clockJump, rejecting }: Waiting,
  limits: LateAfter,
  now: number,
): LateWork[] {
  const late: LateWork[] = clockJump === null ? [] : [{ ...clockJump, cause: 'clock', path: '/delivery' }]
  if (unfileable > 0) {
    late.push({
      cause: 'unfileable',
      title: unfileable === 1 ? 'An inquiry cannot be filed.' : 'Inquiries cannot be filed.',
      text: `We could not make ${unfileable === 1 ? 'a lead from it' : `leads from ${counted(unfileable, 'inquiry', 'inquiries')}`}, and have not notified anyone. Quarantine shows what was sent, and why.`,
      since: now,
      path: UNFILED,
    })
  }
  if (isLate(unfiledSince, limits.filingMinutes, now)) {
    const waiting = unfiled - unfileable
    const wait = waiting === 1 ? 'has been waiting' : 'have been waiting, the oldest'
    late.push({
      cause: 'filing',
      title: 'Inquiries are not filed.',
      text: `${counted(waiting, 'inquiry', 'inquiries')} ${wait} for ${minutes(now - unfiledSince)}: no list shows ${waiting === 1 ? 'it' : 'them'}, and we have not notified anyone. The log says why.`,
      since: unfiledSince,
      path: '/inbox',
    })
  }
  if (isLate(unsentSince, limits.emailMinutes, now)) {
    late.push({
      cause: 'mail',
      title: 'Emails are late.',
      text: `The oldest has been waiting for ${minutes(now - unsentSince)} for its first attempt. Call the people who are due in the inbox: reminders may be late, too.`,
      since: unsentSince,
      path: '/delivery',
    })
  }
  for (const [lane, { limit, title, what, advice, path }] of Object.entries(otherLanes)) {
    const cause = lane as OtherLane
    const since = waitingSince[cause] ?? null
    if (!isLate(since, limits[limit], now)) continue
    const text = `The oldest ${what} has been waiting for ${minutes(now - since)}. ${advice}`
    late.push({ cause, title, text, since, path })
  }
  for (const { id, name, since } of rejecting)
    late.push({
      cause: `rejecting ${id}`,
      title: `${name} rejects what we send.`,
      text: 'It has not accepted the last event, and we do not send it again automatically. Under What was sent, the response says why: correct it there or here, then send it again.',
      since,
      path: `/destinations/${id}`,
      destination: id,
    })
  return late
}

/** Mail that is tried again and again while none has gone out for a long time: the server is down, or rejects it. */
export const stuckMail = (
  { retrying, sentAt }: { retrying: number; sentAt: number | null },
  now: number,
): LateWork => ({
  cause: 'mail',
  title: 'No email is going out.',
  text: `No email has gone out ${sentAt === null ? 'yet' : `for ${minutes(now - sentAt)}`}, and ${counted(retrying, 'message is', 'messages are')} waiting for another attempt. Delivery says why.`,
  since: sentAt ?? now,
  path: '/delivery',
})

/** A clock that has jumped by so many milliseconds: ahead, or back if this is negative. Work comes early, or late. */
export const clockJump = (by: number, now: number): LateWork => ({
  cause: 'clock',
  title: by > 0 ? 'The clock jumped ahead.' : 'The clock was set back.',
  text: `It is ${inLargestUnit(Math.abs(by))} ${by > 0 ? 'further than' : 'behind'} the time that has passed. ${
    by > 0
      ? 'If the machine only slept, all is well. If the time is wrong now, reminders, callbacks and emails come too early'
      : 'If the time is wrong now, reminders, callbacks and emails come too late'
  }: correct it, and let a time server set it.`,
  since: now,
  path: '/delivery',
})

function inLargestUnit(time: number): string {
  if (time < 2 * HOUR) return minutes(time)
  return time < DAY ? counted(Math.round(time / HOUR), 'hour') : counted(Math.round(time / DAY), 'day')
}

export const isLate = (since: number | null, limit: number, now: number): since is number =>
  since !== null && now - since >= limit * MINUTE

const minutes = (time: number): string => counted(Math.floor(time / MINUTE), 'minute')
