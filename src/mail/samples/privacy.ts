/** Sample variables to try out the templates of messages about erasures. */
import type { EmailAddress } from '../../leads/body/email.ts'
import { DAY } from '../../platform/time.ts'
import { type ErasureView, erasureVariables } from '../variables/erasure.ts'
import { retentionVariables } from '../variables/retention.ts'
import type { SchoolContext } from '../variables/school-context.ts'
import { lead } from './messages.ts'

const now = Date.UTC(2026, 10, 21)

const request: ErasureView = {
  to: { name: 'Maria Lopez', address: 'maria@school.example' as EmailAddress },
  askedBy: 'Sam Lee',
  reason: 'asked',
  askedAt: now,
  expiresAt: now + 7 * DAY,
  outcome: null,
  decidedBy: null,
  decidedAt: null,
  url: 'https://desk.example.edu/privacy/requests/1',
}

export const erasureSamples = (context: SchoolContext): object[] => {
  const decided = { decidedBy: 'Maria Lopez', decidedAt: now + DAY }
  return [
    request,
    { ...request, outcome: 'erased' as const, ...decided },
    { ...request, outcome: 'refused' as const, ...decided },
    { ...request, outcome: 'expired' as const, decidedAt: request.expiresAt },
  ].map(view => erasureVariables(view, context))
}

export const retentionSamples = (context: SchoolContext): object[] => {
  const url = 'https://desk.example.edu/privacy/planned'
  const leads = [{ lead, url: 'https://desk.example.edu/leads/1' }]
  const view = { to: request.to, eraseAt: now + 10 * DAY, leads, url }
  return [1, 2].map(total => retentionVariables({ ...view, total }, context))
}
