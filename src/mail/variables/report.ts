/** The variables of the weekly report. */
import { telLink } from '../../content/contact-links.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import type { Group } from '../../follow-up/weekly-tally.ts'
import { fullName } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import type { WeeklyReport } from '../report/weekly-report.ts'
import {
  advice,
  arrivalsInWords,
  type Grouping,
  groupInWords,
  groupName,
  NOTHING_TO_DO,
  outcomeInWords,
  speedInWords,
  weekInWords,
} from '../report/words.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

export type ReportView = {
  report: WeeklyReport
  to: StaffMember
  /** `manager`, if it goes to the manager; links then act in their name. */
  actor: string | undefined
  now: number
}

/** How many groups of each sort the email lists. The page of the console has them all. */
const MOST_GROUPS = 8

export function reportVariables({ report, actor, now }: ReportView, context: SchoolContext) {
  const { settings, links, consoleUrl, shortMoment } = context
  const { school } = settings
  const { tally, untried, outcomes, week } = report
  const url = (path: string) => new URL(path, consoleUrl).href
  const groups = (grouping: Grouping, list: Group[]) =>
    list
      .slice(0, MOST_GROUPS)
      .map(group => ({ name: groupName(grouping, group.value, settings), what: groupInWords(group) }))
  return {
    school: schoolVariables(school),
    week: weekInWords(week, school),
    count: tally.all.leads,
    untried_count: untried.total,
    untried_more: untried.total - untried.leads.length,
    arrivals: arrivalsInWords(report),
    speed: speedInWords(tally),
    nothing_to_do: NOTHING_TO_DO,
    advice: advice(report, now).map(({ text, path }) => ({ text, url: url(path) })),
    untried: untried.leads.map(lead => ({
      name: fullName(lead),
      since: shortMoment(lead.createdAt, now),
      company: lead.kind === 'site' ? lead.company : null,
      owner: lead.owner && ownerName(lead.owner, settings.admissions),
      phone: lead.phone,
      phone_url: telLink(lead.phone, school.country),
      lead_url: links.staff('open', lead.id, actor, now),
    })),
    counselors: groups('owner', tally.byOwner),
    states: groups('state', tally.byState),
    sources: groups('source', tally.bySource),
    heard: groups('heard', tally.byHeard),
    outcomes: outcomes.map(outcomeInWords),
    report_url: url(`/report?week=${week.first}`),
  }
}
