/** The variables of the daily digest of an operator. */
import { schoolVariables } from '../../content/school-variables.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

export type DailyView = {
  to: StaffMember
  /** What happened, in the words of the email that it would have been; where to look. */
  entries: { what: string; at: number; url: string }[]
  /** How many more there are. */
  more: number
  /** The page of the console that shows what is due. */
  url: string
  now: number
}

export const dailyVariables = (
  { entries, more, url, now }: Omit<DailyView, 'to'>,
  { settings, shortMoment }: SchoolContext,
) => ({
  school: schoolVariables(settings.school),
  count: entries.length + more,
  more,
  url,
  entries: entries.map(({ what, at, url }) => ({ what, at: shortMoment(at, now), url })),
})
