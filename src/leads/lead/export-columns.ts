/**
 * The columns of an exported lead, in order. The console and the command line write them into CSV and XLSX, for people;
 * the command line also into JSON, for programs.
 */
import { moment } from '../../platform/time.ts'
import { clicksInWords } from '../body/came-from.ts'
import { consentInShort } from '../body/consent.ts'
import { withoutRank } from '../body/ranked-answers.ts'
import type { Submission } from '../body/submission.ts'
import { timelineWords } from '../words/timeline-words.ts'
import { type Label, labelNames } from './labels.ts'
import type { Answers } from './last-given.ts'
import type { Lead } from './lead.ts'
import { ownerName, type Roster } from './staff.ts'
import { reasonName, stageName } from './stages.ts'
import type { TimelineEntry } from './timeline-entries.ts'

export type ExportedLead = {
  lead: Lead
  /** The latest inquiry; undefined if it cannot be read. */
  submission: Submission | undefined
  /** The latest inquiry that the person wrote. */
  written: Submission | undefined
  answers: Answers
  inquiries: number
  /** The latest inquiries, newest first. */
  latest: readonly Submission[]
  labels: readonly Label[]
  last: TimelineEntry | null
}

type Cell = string | number | Date | null

export type Cells = (string | number | Date)[]

type Column = {
  /** The name in JSON, as programs and the other commands know it. */
  key: string
  title: string
  value: (row: ExportedLead) => Cell
  /** The text for people, if it differs from the value itself. */
  words?: (row: ExportedLead, roster: Roster) => string
}

const columns: readonly Column[] = [
  { key: 'id', title: 'Lead', value: ({ lead }) => lead.id },
  { key: 'createdAt', title: 'First wrote', value: ({ lead }) => time(lead.createdAt) },
  { key: 'kind', title: 'Kind', value: ({ lead }) => lead.kind },
  { key: 'stage', title: 'Stage', value: ({ lead }) => lead.stage, words: ({ lead }) => stageName(lead.stage) },
  {
    key: 'closedReason',
    title: 'Closed because',
    value: ({ lead }) => lead.closedReason,
    words: ({ lead }) => reasonName(lead.closedReason ?? ''),
  },
  {
    key: 'owner',
    title: 'Counselor',
    value: ({ lead }) => lead.owner,
    words: ({ lead }, roster) => ownerName(lead.owner, roster),
  },
  { key: 'firstName', title: 'First name', value: ({ lead }) => lead.firstName },
  { key: 'lastName', title: 'Last name', value: ({ lead }) => lead.lastName },
  { key: 'email', title: 'Email', value: ({ lead }) => lead.email },
  { key: 'phone', title: 'Phone', value: ({ lead }) => lead.phone },
  { key: 'phoneE164', title: 'Phone (E.164)', value: ({ lead }) => lead.phoneE164 },
  { key: 'latestPhone', title: 'Latest phone', value: ({ lead }) => lead.latestPhone },
  {
    key: 'phones',
    title: 'All phones',
    value: ({ latest }) => distinct(latest.flatMap(({ body }) => body.phone ?? [])).join('; '),
  },
  { key: 'company', title: 'Company', value: ({ lead }) => lead.company },
  {
    key: 'address',
    title: 'Address',
    value: ({ written }) => (written?.kind === 'site' ? written.body.address : null),
  },
  { key: 'city', title: 'City', value: ({ answers }) => answers.city ?? null },
  { key: 'state', title: 'State', value: ({ lead }) => lead.state },
  answer('timeline', 'Start'),
  answer('interestLevel', 'Interest'),
  answer('experience', 'Experience'),
  answer('source', 'Source'),
  { key: 'employer', title: 'Employer', value: ({ answers }) => answers.employer ?? null },
  { key: 'language', title: 'Language', value: ({ lead }) => lead.language },
  { key: 'form', title: 'Form', value: ({ lead }) => lead.form },
  { key: 'bestTime', title: 'Best time to call', value: ({ lead }) => lead.bestTime },
  { key: 'campus', title: 'Campus', value: ({ lead }) => lead.campus },
  {
    key: 'ownAnswers',
    title: 'Own questions',
    value: ({ written }) =>
      written?.form?.answers?.map(({ question, answer }) => `${question}: ${answer}`).join('\n') ?? null,
  },
  { key: 'cameFrom', title: 'Came from', value: ({ lead }) => lead.cameFrom },
  { key: 'campaign', title: 'Campaign', value: ({ lead }) => lead.campaign },
  { key: 'page', title: 'Page', value: ({ submission }) => submission?.form?.page ?? null },
  { key: 'landing', title: 'Visit began on', value: ({ submission }) => submission?.form?.landing ?? null },
  { key: 'referrer', title: 'Linked from', value: ({ submission }) => submission?.form?.referrer ?? null },
  {
    key: 'clicks',
    title: 'Clicks on ads',
    value: ({ submission: sent }) => (sent?.form && clicksInWords(sent.form)) || null,
  },
  {
    key: 'consent',
    title: 'Calls and texts',
    value: ({ lead }) => lead.consent,
    words: ({ lead }) => consentInShort[lead.consent ?? 'not asked'].toLowerCase(),
  },
  { key: 'consentAt', title: 'Asked', value: ({ lead }) => time(lead.consentAt) },
  { key: 'tags', title: 'Tags', value: ({ labels }) => labelNames(labels, 'tag').join('; ') },
  { key: 'programs', title: 'Programs', value: ({ labels }) => labelNames(labels, 'program').join('; ') },
  { key: 'message', title: 'Message', value: ({ written }) => written?.body.message ?? null },
  {
    key: 'earlierMessages',
    title: 'Earlier messages',
    value: ({ latest, written }) =>
      distinct(latest.map(({ body }) => body.message ?? ''))
        .filter(text => text !== '' && text !== written?.body.message)
        .join('\n\n'),
  },
  { key: 'inquiries', title: 'Inquiries', value: ({ inquiries }) => inquiries },
  { key: 'firstAttemptAt', title: 'First tried', value: ({ lead }) => time(lead.firstAttemptAt) },
  { key: 'firstContactAt', title: 'First reached', value: ({ lead }) => time(lead.firstContactAt) },
  { key: 'repliedAt', title: 'Replied', value: ({ lead }) => time(lead.repliedAt) },
  { key: 'unansweredSince', title: 'Unanswered since', value: ({ lead }) => time(lead.unansweredSince) },
  { key: 'pausedAt', title: 'Paused', value: ({ lead }) => time(lead.pausedAt) },
  { key: 'callbackAt', title: 'Next callback', value: ({ lead }) => time(lead.callbackAt) },
  { key: 'lastActivityAt', title: 'Last activity', value: ({ last }) => time(last?.at ?? null) },
  {
    key: 'lastActivity',
    title: 'What happened',
    value: ({ last }) => last?.kind ?? null,
    words: ({ last }, roster) => (last === null ? '' : timelineWords(last, roster).what),
  },
  { key: 'updatedAt', title: 'Changed', value: ({ lead }) => time(lead.updatedAt) },
]

/** The answer to a ranked question. Programs get it with its rank, as it was given. */
function answer(key: 'timeline' | 'interestLevel' | 'experience' | 'source', title: string): Column {
  return {
    key,
    title,
    value: ({ answers }) => answers[key]?.text ?? null,
    words: ({ answers }) => withoutRank(answers[key]?.text),
  }
}

/** The texts, each once, from the oldest inquiry to the newest. */
const distinct = (texts: readonly string[]): string[] => [...new Set(texts.toReversed())]

const time = (at: number | null): Date | null => (at === null ? null : new Date(at))

export const exportTitles: Cells = columns.map(({ title }) => title)

/** A row of CSV or XLSX. Moments are dates: each format has its own way to write them. */
export const exportCells = (row: ExportedLead, roster: Roster): Cells =>
  columns.map(({ value, words }) => words?.(row, roster) ?? value(row) ?? '')

/** An object of JSON. */
export const exportData = (row: ExportedLead): Record<string, string | number | null> =>
  Object.fromEntries(
    columns.map(({ key, value }) => {
      const cell = value(row)
      return [key, cell instanceof Date ? moment(cell.getTime()) : cell]
    }),
  )
