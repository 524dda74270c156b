/** The variables of all messages to the staff about a lead. */
import { formsOf } from '../../config/school-forms.ts'
import type { Settings } from '../../config/settings.ts'
import { addressLine, mapLink, telLink } from '../../content/contact-links.ts'
import { durationInWords } from '../../content/date-format.ts'
import { titleOfNamed } from '../../content/form-titles.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { formAnswers, originInWords } from '../../leads/body/came-from.ts'
import { consentInMessage } from '../../leads/body/consent.ts'
import { otherLanguage } from '../../leads/body/languages.ts'
import { type GivenPhone, isSameNumber, readablePhone } from '../../leads/body/phone.ts'
import { answersInWords, timelineInWords, warmthOf } from '../../leads/body/ranked-answers.ts'
import { stateName } from '../../leads/body/states.ts'
import type { Submission } from '../../leads/body/submission.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import type { Answers } from '../../leads/lead/last-given.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { MINUTE } from '../../platform/time.ts'
import { type StaffAction, signingMoment } from '../../signed-links.ts'
import type { SchoolContext, StaffMember } from '../message-definition.ts'
import { personVariables } from './person.ts'

export type LeadView = {
  lead: Lead
  submission: Submission
  /** The last answers of a student, in this submission and earlier ones. Default: the answers in this one. */
  answers?: Answers
  /** What screening found, in sentences. */
  notes: string[]
  /** How many submissions this lead sent before this one. */
  earlier: number
  /** The numbers that were given for this lead, in the order in which they came. Default: the submission's number. */
  phones?: readonly GivenPhone[]
  /** What they have written back since then. */
  reply?: string | undefined
  now: number
  /** The recipient: a counselor, the manager, or the team's mailbox. */
  to: StaffMember
  /** The counselor's id, or `manager`; links then act in their name. Undefined for a team. */
  actor: string | undefined
  /** The name of the person who has the lead; null while the team has it. */
  owner: string | null
}

/** From this age on, a notification says that it is late. */
const LATE = 30 * MINUTE

export function leadVariables(view: LeadView, context: SchoolContext) {
  const { submission } = view
  const { settings, learnUrl, moment, shortMoment } = context
  const age = view.now - submission.receivedAt
  const callBy = context.calledBy(view.lead, submission.receivedAt)
  return {
    school: schoolVariables(settings.school),
    person: personVariables(submission, settings),
    other_phones: otherPhones(view, context),
    ...inquiryVariables(submission, view.answers, settings),
    ...headlineVariables(view, settings),
    came_from: originInWords(submission.form, name => titleOfNamed(name, formsOf(settings), settings)),
    call_by: callBy === undefined ? null : shortMoment(callBy, view.now),
    call_was_due: callBy !== undefined && callBy <= view.now,
    again: view.earlier > 0,
    earlier: view.earlier,
    notes: view.notes,
    received: moment(submission.receivedAt),
    late: age >= LATE ? durationInWords(age) : null,
    owner: isOwner(view) ? null : view.owner,
    account: view.lead.account,
    learn_url: learnUrl,
    ...actionVariables(view, context),
  }
}

/** What someone needs to know before calling, in one line under the name. */
function headlineVariables(view: LeadView, settings: Settings) {
  const { lead, submission, answers } = view
  const { state, timeline } = inquiryVariables(submission, answers, settings)
  return {
    language: otherLanguage(lead.language, settings.languages),
    calls_and_texts: consentInMessage(lead, submission),
    headline: inOneLine([state, timeline, ...callWords(view, settings)]),
  }
}

/** What someone needs to know before calling, besides what the subject of the notification says. */
export const wordsBeforeCall = (view: Pick<LeadView, 'lead' | 'submission'>, settings: Settings): string[] =>
  inOneLine(callWords(view, settings))

function callWords({ lead, submission }: Pick<LeadView, 'lead' | 'submission'>, { languages }: Settings) {
  const language = otherLanguage(lead.language, languages)
  const best = lead.bestTime && `best in the ${lead.bestTime}`
  return [lead.program, best, language && `speaks ${language}`, consentInMessage(lead, submission)]
}

/** The facts that are known; the first begins with a capital letter. */
const inOneLine = (parts: readonly (string | null)[]): string[] =>
  parts.filter(part => part !== null).map((part, index) => (index === 0 ? capital(part) : part))

/** The variables without the link to write to the person, for a lead whose email address is not theirs. */
export const withoutEmailLink = <V extends { person: object }>(variables: V): V => ({
  ...variables,
  person: { ...variables.person, email_url: null },
})

/** What the person told us besides their message: for a site, who they are; for a student, the answers. */
function inquiryVariables(submission: Submission, given: Answers | undefined, { studentInterest }: Settings) {
  if (submission.kind === 'site') {
    const { company, address } = submission.body
    const where = { address, address_line: addressLine(address), map_url: mapLink(address) }
    return { company, ...where, state: null, timeline: null, warmth: null, answers: formAnswers(submission.form) }
  }
  const { body } = submission
  const answers = given ?? body
  return {
    company: null,
    address: null,
    address_line: null,
    map_url: null,
    state: body.state ? stateName(body.state, studentInterest.states) : null,
    timeline: timelineInWords(answers),
    warmth: warmthOf(answers, studentInterest.answers),
    answers: [...formAnswers(submission.form), ...answersInWords(answers)],
  }
}

/** Further numbers, besides the submission's: anyone can write in under an address, so none replaces another. */
function otherPhones({ phones = [], submission, now }: LeadView, context: SchoolContext) {
  return phones
    .filter(({ phone }) => !isSameNumber(phone, submission.body.phone ?? ''))
    .map(({ phone, at }) => ({
      phone: readablePhone(phone, context.settings.school.country),
      url: telLink(phone, context.settings.school.country),
      given: context.shortMoment(at, now),
    }))
}

/** The links that act on a lead with one click, in the recipient's name. */
export function actionVariables(
  view: { lead: Lead; actor: string | undefined; now: number },
  { links, settings, moment }: SchoolContext,
) {
  const { lead, actor, now } = view
  const { counselors, manager } = settings.admissions
  const link = (action: StaffAction | 'open') => links.staff(action, lead.id, actor, signingMoment(lead.createdAt, now))
  const assignable = counselors.length > 0 || manager !== undefined
  return {
    contacted_url: link('contacted'),
    assign_to_me: !isOwner(view) && counselors.some(({ id }) => id === actor),
    attempted_url: link('attempted'),
    wrote_back: lead.unansweredSince === null ? null : moment(lead.unansweredSince),
    no_answer_needed_url: lead.unansweredSince === null ? null : link('no-answer-needed'),
    assign_url: assignable ? link('assign') : null,
    not_a_lead_url: link('not-a-lead'),
    lead_url: link('open'),
  }
}

/** Whether the recipient has the lead. */
const isOwner = ({ lead, actor }: { lead: Lead; actor: string | undefined }): boolean =>
  actor !== undefined && lead.owner === actor
