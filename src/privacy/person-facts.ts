/** What the page of an export says about each stored thing, in words and in the school's time. */
import type { Settings } from '../config/settings.ts'
import { createDateFormat } from '../content/date-format.ts'
import type { Cadence } from '../follow-up/cadence.ts'
import { stepOfEntry } from '../follow-up/sent-steps.ts'
import { formInWords, originOfLead } from '../leads/body/came-from.ts'
import { consentOfLead, consentRecord } from '../leads/body/consent.ts'
import { languageName } from '../leads/body/languages.ts'
import { withoutRank } from '../leads/body/ranked-answers.ts'
import { stateName } from '../leads/body/states.ts'
import { capital } from '../leads/body/tidy-text.ts'
import { type Label, labelNames } from '../leads/lead/labels.ts'
import { fullName, type Lead } from '../leads/lead/lead.ts'
import { ownerName } from '../leads/lead/staff.ts'
import { stageInWords } from '../leads/lead/stages.ts'
import { signalsIn } from '../leads/lead/timeline-details.ts'
import type { TimelineEntry } from '../leads/lead/timeline-entries.ts'
import { type QuarantineReason, quarantineNotes } from '../leads/words/quarantine-reasons.ts'
import { timelineWords } from '../leads/words/timeline-words.ts'
import type { Callback } from '../store/leads/callbacks.ts'
import type { Draft, DraftFields } from '../store/leads/drafts.ts'
import type { PersonSubmission } from '../store/privacy/person-data.ts'

/** A label and a text. A fact without text is left out. */
export type Fact = readonly [label: string, value: string | null]

/** The fields of a new lead's form, in order. */
const typedIn = ({ once: _, ...fields }: DraftFields): string => Object.values(fields).join(' · ')

/** The facts about each kind of thing, without the ids and codes that are only for programs. */
export function createPersonFacts(settings: Settings) {
  const moment = createDateFormat(settings.school)
  const when = (at: number | null) => (at === null ? null : moment(at))
  const until = (at: number | null) => (at === null ? '' : `, until ${moment(at)}`)

  return {
    moment,

    draft: ({ kind, author, savedAt, fields }: Pick<Draft, 'kind' | 'author' | 'savedAt' | 'fields'>): Fact[] => [
      ['What', kind === 'email' ? 'An email to them' : kind === 'note' ? 'A note' : 'A new lead'],
      ['By', author],
      ['Last changed', moment(savedAt)],
      ['Subject', fields['subject'] ?? null],
      ['Words', fields['text'] ?? fields['note'] ?? typedIn(fields)],
    ],

    callback: ({ leadId, dueAt, assignee, words }: Callback): Fact[] => [
      ['Lead', String(leadId)],
      ['Promised for', moment(dueAt)],
      [
        'Who calls',
        assignee === null ? 'The counselor of the lead' : capital(ownerName(assignee, settings.admissions)),
      ],
      ['About', words],
    ],

    lead: (lead: Lead, labels: readonly Label[], hold: { reason: string; until: number | null } | null): Fact[] => [
      ['Lead', `${lead.id} (${lead.kind})`],
      ['Name', fullName(lead)],
      ['Email', lead.email],
      ['Phone', lead.phone],
      ['Other phone', lead.latestPhone],
      [lead.kind === 'site' ? 'Company' : 'Employer', lead.company],
      ['State', lead.state && stateName(lead.state, settings.studentInterest.states)],
      ['Stage', stageInWords(lead.stage, lead.closedReason)],
      ['Counselor', capital(ownerName(lead.owner, settings.admissions))],
      ['Recorded', moment(lead.createdAt)],
      ['First call attempt', when(lead.firstAttemptAt)],
      ['First reached', when(lead.firstContactAt)],
      ['Last reply', when(lead.repliedAt)],
      ['Unanswered since', when(lead.unansweredSince)],
      ['Paused', when(lead.pausedAt)],
      ['Wrong number', lead.wrongPhone],
      ['Calls and texts', consentOfLead(lead, moment)],
      ['Language', lead.language && languageName(lead.language)],
      ['Best time to call', lead.bestTime],
      ['Campus', lead.campus],
      ['Came from', originOfLead(lead)],
      ['Account', lead.account ? 'Had one at the learning site when they wrote' : null],
      ['Contact data corrected', when(lead.correctedAt)],
      ['Merged', lead.mergedInto === null ? null : `Into lead ${lead.mergedInto}`],
      ['Tags', labelNames(labels, 'tag').join(', ')],
      ['Programs', labelNames(labels, 'program').join(', ')],
      ['Kept from being erased', hold && `${hold.reason}${until(hold.until)}`],
    ],

    inquiry: ({ receivedAt, body, form, clientAddress, quarantine }: PersonSubmission): Fact[] => {
      const { phone = '' } = (body ?? {}) as { phone?: string }
      const consent = consentRecord({ form, body: { phone } as never }, moment)
      return [
        ['Received', moment(receivedAt)],
        ...sentFacts(body, settings),
        ['Calls and texts', consent && [consent.said, consent.asked].filter(Boolean).join('. ')],
        ...formInWords(form).map(({ label, value }): Fact => [label, value]),
        ['Language of the form', form && languageName(form.language)],
        ['Network address', clientAddress],
        ['Quarantined', quarantine && moment(quarantine.heldAt)],
        ['Why', quarantine && whyHeld(quarantine)],
      ]
    },

    entry: (entry: TimelineEntry, cadence: Cadence, lead: Lead | undefined): Fact[] => {
      const { what, notes, text, by, attachments } = timelineWords(entry, settings.admissions)
      const step = stepOfEntry(entry, cadence, lead === undefined ? 'them' : fullName(lead))
      return [
        ['When', moment(entry.at)],
        ['What', capital(step ?? what)],
        ['By', by],
        ['Noticed', notes.join(' ')],
        ['Words', step === undefined ? text : null],
        ['Attached', attachments.join('; ')],
      ]
    },
  }
}

/** The fields of an inquiry, without the protocol's fields, which are only for programs. */
const labels: Record<string, string | null> = {
  firstName: 'First name',
  lastName: 'Last name',
  interestLevel: 'Interest',
  timeline: 'Start',
  source: 'How they heard of the school',
  website: null,
  startedAt: null,
  idempotencyKey: null,
}

function sentFacts(body: unknown, { studentInterest }: Settings): Fact[] {
  if (typeof body !== 'object' || body === null) return [['As it was sent', String(body)]]
  return Object.entries(body).map(([name, value]): Fact => {
    const label = labels[name]
    if (label === null) return [name, null]
    const text = typeof value === 'string' ? value : textOf(value)
    return [label ?? capital(name), name === 'state' ? stateName(text, studentInterest.states) : text]
  })
}

/** A ranked answer without its rank; anything else as it was sent. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'text' in value
    ? withoutRank(String(value.text))
    : JSON.stringify(value)

const whyHeld = ({ reason, signals }: { reason: string; signals: string }): string =>
  quarantineNotes(reason as QuarantineReason, signalsIn(signals)).join(' ') ||
  'The hidden field of the form was filled in, which only a program sees.'
