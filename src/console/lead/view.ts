/** Everything that the page of a lead shows, read from the store and put into words. */
import { createDateFormat, createShortDateFormat } from '../../content/date-format.ts'
import { leadDetails } from '../../http/links/lead-details.ts'
import { type Assignee, assignees } from '../../lead-actions/assign.ts'
import { type NextStep, nextSteps } from '../../lead-actions/plan.ts'
import type { Label } from '../../leads/lead/labels.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { LeadPage } from '../../store/lookup/lead-page.ts'
import type { MergeCandidate } from '../../store/merging/candidates.ts'
import { may, maySee, mayWork, type SignedIn } from '../frame/access.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { doesNotExist } from '../frame/error-pages.ts'
import { numberOf } from '../frame/fields.ts'

export type LeadOnPage = {
  found: LeadPage
  details: ReturnType<typeof leadDetails>
  steps: NextStep[]
  /** The entry that can be undone now. */
  undoable: number | undefined
  /** Who may follow up. */
  choices: readonly Assignee[]
  labels: Label[]
  /** Other open leads that may be of the same person, and that the operator may work on. */
  alike: MergeCandidate[]
  /** All tags that there are, to suggest them. */
  tags: Label[]
  work: boolean
  write: boolean
  /** Whether the operator may export and erase the person. */
  privacy: boolean
  now: number
  /** A moment in few words. */
  moment: (time: number) => string
  deps: ConsoleDeps
}

/** Reads a lead that the operator may see, or work on; for another one, the page does not exist. */
export async function readLeadFor(
  c: ConsoleContext,
  { store }: ConsoleDeps,
  purpose: 'see' | 'work',
): Promise<{ lead: Lead }> {
  const lead = await store.findLead(idOf(c))
  const allowed = purpose === 'see' ? maySee : mayWork
  if (lead === undefined || !allowed(c.get('operator'), lead)) throw noLead()
  return { lead }
}

export const noLead = () =>
  doesNotExist('lead', 'It may have been erased, removed when an import was undone, or assigned to someone else.')

/** How many leads that may be of the same person are named. */
const MOST_ALIKE = 3

/** Leads that the operator could merge with an open one, since the same phone number or mailbox reaches both. */
async function readAlike(operator: SignedIn, { store }: ConsoleDeps, lead: Lead) {
  if (lead.stage === 'closed' || !mayWork(operator, lead)) return []
  const found = await store.likelySamePerson(lead, 20)
  return found.filter(one => mayWork(operator, one.lead)).slice(0, MOST_ALIKE)
}

const idOf = (c: ConsoleContext): number => Number(c.req.param('id'))

const INQUIRIES = 3
const ENTRIES = 60

/** Reads what the page shows, from the entries that the URL names on. */
export async function readView(c: ConsoleContext, deps: ConsoleDeps): Promise<LeadOnPage> {
  const { store, clock, settings } = deps
  const operator = c.get('operator')
  const found = await store.readLeadPage(idOf(c), {
    submissions: { before: numberOf(c.req.query('inquiries')), limit: INQUIRIES },
    entries: { before: numberOf(c.req.query('entries')), limit: ENTRIES },
  })
  if (found === undefined || !maySee(operator, found.lead)) throw noLead()
  const now = clock.now()
  const { lead, submissions, timeline, cadence, earlier } = found
  const steps = await nextSteps(deps, lead, lead.pausedUntil ?? now)
  const shortDate = createShortDateFormat(settings.school)
  const details = leadDetails(
    {
      lead,
      submissions: submissions.map(({ submission }) => submission).toReversed(),
      timeline: timeline.toReversed(),
      cadence,
      older: null,
      steps,
      earlier,
      phones: await store.readPhones(lead),
    },
    { settings, formatDate: createDateFormat(settings.school), shortDay: time => shortDate(time, now), now },
  )
  const undoable = await store.readUndoable(lead.id, now)
  return {
    found,
    details,
    steps,
    undoable: undoable?.id,
    choices: await assignees(deps),
    labels: (await store.readLabels([lead.id])).get(lead.id) ?? [],
    tags: mayWork(operator, lead) ? await store.listLabels('tag') : [],
    work: mayWork(operator, lead),
    alike: await readAlike(operator, deps, lead),
    write: mayWork(operator, lead) && may(operator, 'write to people'),
    privacy: may(operator, 'erase people'),
    now,
    deps,
    moment: (time: number) => shortDate(time, now),
  }
}
