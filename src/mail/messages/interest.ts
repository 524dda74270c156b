/** The notifications about a submission, for the team or a counselor: one for sites, one for students. */
import type { Kind, Submission } from '../../leads/body/submission.ts'
import type { StaffMessage } from '../message-definition.ts'
import { replyToPerson } from '../reply-address.ts'
import { again, first, form, message, own, site, student, unreachable, withAccount } from '../samples.ts'
import { type LeadView, leadVariables } from '../variables/lead.ts'

export const siteInterest: StaffMessage<LeadView> = {
  template: 'notifications/site-interest.md',
  variables(view, context) {
    const { company, message } = ofKind('site', view).body
    const { lead } = view
    return {
      ...leadVariables(view, context),
      message: message || null,
      on_file: changedSince(view, ['Company', lead.company, company]),
    }
  },
  samples: () => [
    { ...first, submission: site },
    { ...again, submission: { ...site, form, body: { ...site.body, email: unreachable, message } } },
  ],
  more: replyToPerson,
}

export const studentInterest: StaffMessage<LeadView> = {
  template: 'notifications/student-interest.md',
  variables(view, context) {
    const { message } = ofKind('student', view).body
    return { ...leadVariables(view, context), message: message || null, on_file: changedSince(view) }
  },
  samples() {
    const state = 'TX'
    const timeline = { rank: 1, text: '1 - Within a month' }
    const interestLevel = { rank: 2, text: '2 - Comparing schools' }
    const answers = { city: 'Dallas', state, timeline, interestLevel, employer: 'Lone Star Care' }
    const body = { ...student.body, email: unreachable, ...answers, message }
    const chosen = { program: 'Welding', bestTime: 'afternoon' as const }
    return [
      { ...first, submission: student },
      { ...again, lead: { ...again.lead, ...chosen }, submission: { ...student, form: { ...form, ...chosen }, body } },
      withAccount({ ...own, submission: student }),
    ]
  },
  more: replyToPerson,
}

function ofKind<K extends Kind>(kind: K, { submission }: LeadView): Submission<K> {
  if (submission.kind === kind) return submission as Submission<K>
  throw new TypeError(`a ${submission.kind} submission is not for the ${kind} notification`)
}

type Difference = [what: string, before: string | null, now: string]

/**
 * The facts that differ from what the lead said before. A form that anyone can fill in never overwrites contact data,
 * so the team has to compare.
 */
function changedSince({ lead, submission, earlier }: LeadView, ...more: Difference[]): string[] {
  if (earlier === 0) return []
  const { firstName, lastName } = submission.body
  const differences: Difference[] = [
    ['Name', `${lead.firstName} ${lead.lastName}`, `${firstName} ${lastName}`],
    ...more,
  ]
  return differences.filter(([, before, now]) => before && before !== now).map(([what, was]) => `${what}: ${was}`)
}
