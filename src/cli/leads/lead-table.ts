/** Leads as rows of a table for people. */
import type { Settings } from '../../config/settings.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import type { Row } from '../terminal/table.ts'
import { type Times, wait } from '../terminal/times.ts'
import { nameOf } from './lead-as-text.ts'

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
