/** Which member of the staff has a role of a cadence for a lead, given who is present. */
import type { Recipient } from './cadence.ts'

export type StaffRole = Exclude<Recipient, 'student'>

/** A counselor, for their own lead or as the backup of another counselor; or the manager or the team. */
export type Holder = { as: 'counselor' | 'backup'; id: string } | { as: 'manager' | 'team' }

type Staff = {
  /** The counselor who owns the lead; undefined if the team does. */
  owner: { id: string; backup?: string | undefined } | undefined
  present: (id: string) => boolean
  /** Whether the settings name a manager. */
  manager: boolean
}

/**
 * The holder of a role for a lead. The backup stands in for a counselor who is away, the team for
 * anyone else who is missing. Undefined if everyone to notify has been notified already: without an
 * owner, the team got the counselor's message.
 */
export function holderOf(role: StaffRole, { owner, present, manager }: Staff): Holder | undefined {
  const team = { as: 'team' } as const
  if (role === 'team') return team
  if (role === 'manager') return manager ? { as: 'manager' } : team
  if (owner === undefined) return role === 'counselor' ? team : undefined
  const ownerPresent = present(owner.id)
  if (role === 'counselor' && ownerPresent) return { as: 'counselor', id: owner.id }
  // The backup already got the owner's message, so we ask the team to take over.
  if (role === 'backup' && !ownerPresent) return team
  const { backup } = owner
  return backup !== undefined && present(backup) ? { as: 'backup', id: backup } : team
}
