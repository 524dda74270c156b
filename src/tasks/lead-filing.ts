/**
 * How submissions become part of leads, decided before the store carries it out: who the person is, whether they have
 * an account, which programs they named, and how they are followed up. This is the same for submissions from every
 * source.
 */
import type { Logger } from 'pino'
import type { AccountDirectory } from '../accounts/directory.ts'
import type { Settings } from '../config/settings.ts'
import { missingOn } from '../follow-up/absences.ts'
import { counselorsOf } from '../follow-up/assignment.ts'
import type { Track } from '../follow-up/cadence.ts'
import type { Services } from '../lead-actions/services.ts'
import { obstacleToMail } from '../leads/body/email.ts'
import { suppressionHashes } from '../leads/body/mailbox-key.ts'
import { personKey } from '../leads/body/person-key.ts'
import { toE164 } from '../leads/body/phone.ts'
import { heatIn } from '../leads/body/ranked-answers.ts'
import type { Submission } from '../leads/body/submission.ts'
import type { Entered } from '../leads/lead/entered.ts'
import type { Answers } from '../leads/lead/last-given.ts'
import { programsNamed } from '../leads/lead/programs.ts'
import type { LeadFiling } from '../store/filing/filing-decision.ts'
import type { CadenceStart } from '../store/filing/join-or-open-lead.ts'
import type { Staffing } from '../store/filing/owner-assignment.ts'
import type { Person } from '../store/leads/leads.ts'
import { type CadenceVersions, startCadence } from './cadence-start.ts'

export type LeadFilingServices = Pick<Services, 'settings' | 'calendar' | 'addressSecret'> & {
  cadences: CadenceVersions
  /** Says whether someone has an account if the HTTP response did not; undefined without a learning site. */
  directory: AccountDirectory | undefined
  log: Logger
}

/** A submission. A row from a list has no id until it is stored. */
type Sent = Pick<Submission, 'kind' | 'answer' | 'body' | 'form'> & { id?: number }

/**
 * Adds to each of these how its submission becomes part of a lead. The follow-up counts from now, when the staff is
 * notified. Asks about all accounts in one go.
 */
export async function withLeadFilings<S extends { submission: Sent }>(
  deps: LeadFilingServices,
  all: readonly S[],
  now: number,
): Promise<(S & LeadFiling)[]> {
  const unsaid = all.filter(({ submission }) => isUnsaid(submission, deps.settings))
  const accounts = await deps.directory?.among(unsaid.flatMap(({ submission }) => submission.body.email ?? []))
  const concealed = new Set(unsaid.filter(({ submission }) => accounts?.has(submission.body.email ?? '')))
  return Promise.all(
    all.map(async one => {
      const { submission } = one
      const person = personOf(submission, deps.settings)
      const account = concealed.has(one) ? 'concealed' : isRevealed(submission) ? 'revealed' : 'none'
      return {
        ...one,
        person,
        account,
        addressHashes: suppressionHashes(deps.addressSecret, submission.body.email),
        noReceipt: whyNoReceipt(submission),
        programs: [...programsNamed(submission, deps.settings), ...(submission.form?.entered?.programs ?? [])],
        heat: heatOf(submission, deps.settings),
        cadenceStart: await cadenceStartOf(deps, submission, person, now),
      }
    }),
  )
}

/** How warm the answers are; only the answers in this inquiry count. */
function heatOf({ kind, body }: Sent, { studentInterest }: Settings): number | null {
  const heat = kind === 'site' ? null : heatIn(body as Answers, studentInterest.answers)
  return heat === null ? null : Math.round(100 * heat)
}

const isRevealed = ({ kind, answer }: Sent): boolean => kind === 'student' && answer === 409

/** Whether we must not mention an account in an HTTP response. Then only an email to its owner may mention it. */
function isUnsaid(submission: Sent, { accounts }: Settings): boolean {
  const { kind, answer, form } = submission
  if (kind === 'site' || isRevealed(submission)) return false
  // Whatever the settings are, a response about a lockout does not say whether there is an account.
  return accounts.feedback === 'conceal' || answer === 429 || (form?.entered ?? form?.source) !== undefined
}

function whyNoReceipt({ body, form }: Sent): string | undefined {
  if (!mayWriteTo(form)) return 'they did not ask us to write by email'
  return obstacleToMail(body.email)
}

/** Someone who wrote in has asked for our email. For others, the person who entered or imported them decides. */
const mayWriteTo = (form: Sent['form']): boolean => (form?.entered ?? form?.source)?.mayWrite ?? true

/** A lead whose cadence cannot be computed is still filed and announced; it only gets no follow-up. */
async function cadenceStartOf(
  { calendar, cadences, log }: LeadFilingServices,
  { id, kind, form }: Sent,
  person: Person,
  now: number,
): Promise<CadenceStart | null> {
  // If someone at the school knows the person already, there is no first contact to follow up.
  if (form?.entered?.stage !== undefined) return null
  const place = { state: person.state ?? null, phoneE164: person.phoneE164 ?? null, bestTime: form?.bestTime ?? null }
  const cadence = await cadences(kind)
  try {
    const start = startCadence(cadence, now, calendar.hoursFor(place))
    const firstSteps = start.firstSteps.filter(({ track }) => isFollowed(track, form))
    return isImported(form?.entered) && firstSteps.length === 0 ? null : { ...start, firstSteps }
  } catch (error) {
    log.error({ err: error, submission: id }, 'a lead gets no follow-up')
    return null
  }
}

/**
 * Whether a new lead begins a track. No one is reminded of imported leads, since hundreds arrive at once; they are
 * closed after the last of our emails, if they get any.
 */
const isFollowed = (track: Track, form: Sent['form']): boolean =>
  isImported(form?.entered) ? track !== 'staff' && mayWriteTo(form) : track !== 'student' || mayWriteTo(form)

const isImported = (entered: Entered | undefined): boolean => entered?.importId !== undefined

/** The contact data of a lead that an inquiry opens. */
function personOf({ body }: Pick<Submission, 'body'>, settings: Settings): Person {
  const { email = null, firstName, lastName, phone = null } = body
  const phoneE164 = phone === null ? undefined : toE164(phone, settings.school.country)
  return {
    key: personKey({ email, phone }, phoneE164),
    email,
    firstName,
    lastName,
    phone,
    phoneE164,
    company: 'company' in body ? body.company : body.employer,
    state: 'company' in body ? undefined : body.state,
  }
}

/** Who can be assigned leads at this moment. */
export function staffingAt(
  { settings, calendar }: Pick<LeadFilingServices, 'settings' | 'calendar'>,
  now: number,
): Staffing {
  const today = calendar.today(now)
  const away = [...missingOn(today, settings.admissions)]
  return { counselors: counselorsOf(settings), away, today }
}
