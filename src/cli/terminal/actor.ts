/** The option `--by`: the name under which the timeline of a lead, or the audit log, records who acted. */
import { Option } from 'commander'
import type { Settings } from '../../config/settings.ts'
import { requiredProblem, tidy } from '../../leads/body/tidy-text.ts'
import { actorName, COMMAND_LINE, MANAGER } from '../../leads/lead/staff.ts'
import type { AuditEntry } from '../../store/operators/audit-log.ts'
import type { Store } from '../../store/store.ts'
import { CommandFailed } from './terminal.ts'

/** The option that says who acts, for the timeline: the id of a counselor, `manager`, or a name. */
export const byOption = (record = 'the timeline') =>
  new Option('--by <who>', `who does this, for ${record}: a counselor by id, or any name`)

export type By = { by?: string | undefined }

/** The counselor or manager with that id or name; otherwise the name as it was given. */
export function actorNamed(by: string | undefined, { admissions }: Settings): string {
  if (by === undefined) return COMMAND_LINE
  const name = tidy(by)
  const problem = requiredProblem(name, 'one')
  if (problem !== undefined) throw new CommandFailed(`The name after --by ${problem}.`)
  if (admissions.manager?.name === name) return MANAGER
  return admissions.counselors.find(one => one.name === name)?.id ?? name
}

type Deed = By & { action: string; leadId?: number; detail?: string | undefined }

/**
 * What a command does as entries of the audit log, for a store method that records them in the transaction of what it
 * does. `detail` names no person outside the school.
 */
export const auditEntries = (
  store: Store,
  settings: Settings,
  { by, action, leadId, detail = '' }: Deed,
): AuditEntry[] => [
  {
    at: store.clock.now(),
    operatorId: null,
    actor: actorName(actorNamed(by, settings), settings.admissions),
    action,
    leadId,
    detail,
  },
]
