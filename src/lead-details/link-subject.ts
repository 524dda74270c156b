/** The subject of a link, in words: a lead, or a quarantined submission. */
import type { Settings } from '../config/settings.ts'
import { mailtoLink, telLink } from '../content/contact-links.ts'
import { createDateFormat } from '../content/date-format.ts'
import { oneLine, shorten } from '../content/one-line.ts'
import { readablePhone } from '../leads/body/phone.ts'
import type { Kind, Submission } from '../leads/body/submission.ts'
import { fullName, type Lead } from '../leads/lead/lead.ts'
import { actorName, ownerName } from '../leads/lead/staff.ts'
import { stageInWords } from '../leads/lead/stages.ts'
import type { TimelineEntry } from '../leads/lead/timeline-entries.ts'
import { quarantineNotes } from '../leads/words/quarantine-reasons.ts'
import type { QuarantinedSubmission } from '../store/filing/quarantined-submissions.ts'
import { formFacts, fromInquiry, fromOf } from './lead-details.ts'

/** A lead as pages for the staff show it, so that no one acts on the wrong one. */
export type LeadOnPage = {
  name: string
  kind: Kind
  /** The company of a site, the state of a student. */
  from: string | null
  /** In words, such as `Closed (no reply)`. */
  stage: string
  /** The name of the person who follows up; null if the team does. */
  owner: string | null
  /** The page of the lead; null for a submission that is not a lead yet. */
  url: string | null
  /** What a quarantined submission says, and why it was quarantined; null for a lead. */
  inquiry: InquiryOnPage | null
}

export type InquiryOnPage = {
  phone: string | null
  phone_url: string | null
  email: string | null
  email_url: string | null
  message: string | null
  /** What the form recorded besides the inquiry. */
  facts: { label: string; value: string }[]
  /** Whether the hidden field was filled in. */
  honeypot: boolean
  /** What screening found, in sentences. */
  notes: string[]
}

export type LinkSubject = {
  lead: Omit<LeadOnPage, 'url'>
  /** The stage, in the word that data uses; or the state of a quarantined submission. */
  stage: string
  closedReason: string | null
  /** The id of the lead; null for a quarantined submission. */
  leadId: number | null
  /** Who last did the action of this link, and when. */
  last: { by: string | null; at: string } | null
  /** The entry of the timeline that can be undone now, and who did it; null if there is none. */
  undoable: { id: number; actor: string | null } | null
}

type Context = {
  settings: Settings
  /** A moment in few words, as seen from now. */
  moment: (time: number) => string
}

/** `last`: the latest entry of the kind that the action leaves. `undoable`: the entry that can be undone now. */
export function describeLead(
  { lead, last, undoable }: { lead: Lead; last: TimelineEntry | undefined; undoable: TimelineEntry | undefined },
  { settings, moment }: Context,
): LinkSubject {
  const { kind, stage, closedReason } = lead
  const roster = settings.admissions
  return {
    lead: {
      name: fullName(lead),
      kind,
      from: fromOf(lead),
      stage: stageInWords(stage, closedReason),
      owner: ownerName(lead.owner, roster),
      inquiry: null,
    },
    stage,
    closedReason,
    leadId: lead.id,
    last: last ? { by: last.actor && actorName(last.actor, roster), at: moment(last.at) } : null,
    undoable: undoable ? { id: undoable.id, actor: undoable.actor } : null,
  }
}

/** How many characters of a message we show to someone who decides about it. */
const MESSAGE = 2000

const stateInWords = { held: 'Quarantined', released: 'Released', dismissed: 'Dismissed' }

export function describeQuarantined(
  { submission, reason, signals, state, decidedAt, decidedBy }: QuarantinedSubmission,
  { settings, moment }: Context,
): LinkSubject {
  const { kind, body } = submission
  const { phone = null, email = null, message } = body
  const last = decidedAt === null ? null : { by: decidedBy, at: moment(decidedAt) }
  return {
    lead: {
      name: fullName(body),
      kind,
      from: fromInquiry(submission),
      owner: null,
      stage: stateInWords[state],
      inquiry: {
        phone: phone && readablePhone(phone, settings.school.country),
        phone_url: telLink(phone, settings.school.country),
        email,
        email_url: mailtoLink(email),
        message: shorten(message ?? '', MESSAGE) || null,
        facts: quarantineFacts(submission, settings),
        honeypot: reason === 'honeypot',
        notes: quarantineNotes(reason, signals),
      },
    },
    stage: state,
    closedReason: null,
    leadId: null,
    undoable: null,
    last: last && { ...last, by: last.by && actorName(last.by, settings.admissions) },
  }
}

/** What the form recorded, including what was in its hidden field. */
function quarantineFacts(submission: Submission, settings: Settings) {
  const trap = submission.kind === 'site' ? submission.body.website : submission.form?.trap
  return [
    ...(trap ? [{ label: 'Hidden field', value: shorten(oneLine(trap), HIDDEN) }] : []),
    ...formFacts(submission, createDateFormat(settings.school)).map(({ label, value }) => ({ label, value })),
  ]
}

/** How many characters of the hidden field we show. */
const HIDDEN = 200
