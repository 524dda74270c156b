/** *Call again*: pauses a follow-up until a moment, at which the counselor gets an email. */
import { createDateFormat } from '../content/date-format.ts'
import { callMoment } from '../follow-up/call-moment.ts'
import type { Changed } from '../store/actions/change-lead.ts'
import { actedOn, andTell, type Invalid, invalid, type LeadAction } from './services.ts'

/** A day (yyyy-mm-dd) and a time (hh:mm) at the school; without a time, when the school opens. */
type Input = { day: string; time: string }

/** `words` say until when. */
export type CallPlanned = Changed & { words: string }

export const callAgain: LeadAction<Input, CallPlanned | Invalid> = async (services, lead, at, by) => {
  const { store, calendar, settings } = services
  const { school } = settings
  const context = actedOn(services, by, { detail: 'call again' })
  const hours = calendar.hoursFor(lead.state).school
  const until = callMoment(at, { hours, timeZone: school.timeZone, now: context.now })
  if (typeof until === 'string') return invalid(until)
  const words = `until ${createDateFormat(school)(until)}`
  return { ...(await andTell(services, store.pauseLead(lead.id, { end: { until, words }, ...context }))), words }
}
