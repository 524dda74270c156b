/** Everything that the page of a lead shows, read from the store and put into words. */
import { createDateFormat, createShortDateFormat } from '../../content/date-format.ts'
import type { SuppressionReason } from '../../follow-up/stop-conditions.ts'
import { type Assignee, assignees } from '../../lead-actions/assign.ts'
import { type NextStep, stepsToCome } from '../../lead-actions/follow-up-plan.ts'
import { leadDetails } from '../../lead-details/lead-details.ts'
import { suppressionHashes } from '../../leads/body/mailbox-key.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { MergeCandidate } from '../../store/merging/merge-candidates.ts'
import type { LeadPage } from '../../store/pages/lead-page.ts'
import { may, maySee, mayWork, type SignedIn } from '../frame/access.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { doesNotExist } from '../frame/error-pages.ts'
import { numberOf } from '../frame/form-fields.ts'
import { idIn } from '../frame/routes.ts'
import { type FurtherNumber, furtherNumbers } from './further-numbers.ts'

/** Why the address of a lead gets no emails; null if it gets them. */
type Suppressed = SuppressionReason | null

export type LeadOnPage = {
  found: LeadPage
  details: ReturnType<typeof leadDetails>
  steps: NextStep[]
  suppressed: Suppressed
  /** Numbers that they gave besides the one that we call. */
  further: FurtherNumber[]
  choices: readonly Assignee[]
  /** Other open leads that may belong to the same person, and that the operator may work on. */
  alike: MergeCandidate[]
  work: boolean
  /** The operator who looks at the page. */
  operatorId: number
  write: boolean
  /** Whether there is a destination that the operator may send the lead to. */
  handsOver: boolean
  /** Whether the operator may export and erase the person. */
  privacy: boolean
  now: number
  /** A moment in few words. */
  moment: (time: number) => string
  deps: ConsoleDeps
}

/** Reads a lead that the operator may see or work on. If they may not, the page does not exist for them. */
export async function readLeadFor(
  c: ConsoleContext,
  { store }: ConsoleDeps,
  purpose: 'see' | 'work',
): Promise<{ lead: Lead }> {
  const lead = await store.findLead(idIn(c))
  const allowed = purpose === 'see' ? maySee : mayWork
  if (lead === undefined || !allowed(c.get('operator'), lead)) throw noLead()
  return { lead }
}

export const noLead = () =>
  doesNotExist('lead', 'It may have been erased, removed when an import was undone, or assigned to someone else.')

/** How many leads that may belong to the same person are listed. */
const MOST_ALIKE = 3

/** Leads that the operator could merge with an open one, since they share its phone number or mailbox. */
async function readAlike(operator: SignedIn, { store }: ConsoleDeps, lead: Lead) {
  if (lead.stage === 'closed' || !mayWork(operator, lead)) return []
  const found = await store.likelySamePerson(lead, 20)
  return found.filter(one => mayWork(operator, one.lead)).slice(0, MOST_ALIKE)
}

const INQUIRIES = 3
export const ENTRIES = 60

/** Reads what the page shows: the newest part of the history, or the part before an entry that the URL names. */
export async function readView(c: ConsoleContext, deps: ConsoleDeps): Promise<LeadOnPage> {
  const { store, clock, calendar, settings } = deps
  const operator = c.get('operator')
  const now = clock.now()
  const found = await store.readLeadPage(idIn(c), {
    submissions: { before: numberOf(c.req.query('inquiries')), limit: INQUIRIES },
    entries: { before: numberOf(c.req.query('entries')), limit: ENTRIES },
    now,
    today: calendar.today(now),
  })
  if (found === undefined || !maySee(operator, found.lead)) throw noLead()
  const { lead, submissions, timeline, followUp, absences } = found
  const suppression = await store.readSuppression(suppressionHashes(deps.addressSecret, lead.email))
  const suppressed = suppression?.reason ?? null
  const steps = await stepsToCome(deps, followUp, lead.callbackAt ?? now, { absences, suppressed })
  const shortDate = createShortDateFormat(settings.school)
  const details = leadDetails(
    {
      ...found,
      submissions: submissions.map(({ submission }) => submission).toReversed(),
      timeline: timeline.toReversed(),
      older: null,
      steps,
    },
    { settings, formatDate: createDateFormat(settings.school), shortDay: time => shortDate(time, now), now },
  )
  const view = {
    found,
    details,
    steps,
    suppressed,
    choices: await assignees(deps, absences),
    work: mayWork(operator, lead),
    operatorId: operator.id,
    alike: await readAlike(operator, deps, lead),
    write: mayWork(operator, lead) && may(operator, 'write to people'),
    handsOver: found.handsOver && may(operator, 'manage destinations'),
    privacy: may(operator, 'erase people'),
    now,
    deps,
    moment: (time: number) => shortDate(time, now),
  }
  const numbers = { ofInquiries: details.other_phones, school: settings.school, moment: view.moment }
  return { ...view, further: furtherNumbers(found, numbers) }
}
