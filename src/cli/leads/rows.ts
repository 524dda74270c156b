/** Leads as rows: of a table for people, and of JSON and CSV for programs. */
import type { Settings } from '../../config/settings.ts'
import { rankedFields } from '../../leads/body/body-schemas.ts'
import type { Submission } from '../../leads/body/submission.ts'
import { type Label, labelNames } from '../../leads/lead/labels.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { moment } from '../terminal/output.ts'
import type { Row } from '../terminal/table.ts'
import { type Times, wait } from '../terminal/times.ts'
import { nameOf } from './text.ts'

/** The columns of the table to leave out first when it is too wide. */
export const optionalColumns = ['company/state', 'email', 'kind', 'first wrote']

/** A lead as a row of the table; someone waits as long as no one has reached them. */
export function tableRow(lead: Lead, settings: Settings, times: Times, now: number): Row {
  return {
    id: lead.id,
    'first wrote': times.near(lead.createdAt),
    waiting: lead.stage === 'new' ? wait(now - lead.createdAt) : '',
    kind: lead.kind,
    stage: lead.pausedAt === null ? lead.stage : `${lead.stage}, paused`,
    counselor: nameOf(lead.owner, settings),
    name: fullName(lead),
    phone: [lead.phoneE164 ?? lead.phone, lead.latestPhone].filter(Boolean).join(', '),
    email: lead.email,
    'company/state': lead.kind === 'site' ? lead.company : lead.state,
  }
}

/** A lead as JSON and CSV have it, with what its submissions say beyond the lead itself. */
export function dataRow(lead: Lead, { submissions, labels }: { submissions: Submission[]; labels: Label[] }): Row {
  const time = (at: number | null) => at && moment(at)
  const answers = latestAnswers(submissions)
  return {
    id: lead.id,
    kind: lead.kind,
    stage: lead.stage,
    closedReason: lead.closedReason,
    owner: lead.owner,
    firstName: lead.firstName,
    lastName: lead.lastName,
    email: lead.email,
    phone: lead.phone,
    phoneE164: lead.phoneE164,
    latestPhone: lead.latestPhone,
    phones: [...new Set(submissions.map(({ body }) => body.phone))].join('; '),
    company: lead.company,
    address: answers['address'] ?? null,
    city: answers['city'] ?? null,
    state: lead.state,
    ...Object.fromEntries(rankedFields.map(field => [field, answers[field] ?? null])),
    message: [...new Set(submissions.flatMap(({ body }) => body.message || []))].join('\n\n'),
    inquiries: submissions.length,
    createdAt: moment(lead.createdAt),
    firstAttemptAt: time(lead.firstAttemptAt),
    firstContactAt: time(lead.firstContactAt),
    pausedAt: time(lead.pausedAt),
    repliedAt: time(lead.repliedAt),
    updatedAt: moment(lead.updatedAt),
    campaign: lead.campaign,
    cameFrom: lead.cameFrom,
    consent: lead.consent,
    consentAt: time(lead.consentAt),
    language: lead.language,
    tags: labelNames(labels, 'tag').join('; '),
    programs: labelNames(labels, 'program').join('; '),
  }
}

/** What the person answered to each question, when they last did. */
function latestAnswers(submissions: Submission[]): Record<string, string> {
  const answers: Record<string, string> = {}
  for (const { body } of submissions) {
    for (const [name, value] of Object.entries(body)) {
      answers[name] = typeof value === 'object' ? value.text : String(value)
    }
  }
  return answers
}
