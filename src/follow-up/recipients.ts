/** Which member of the staff has a role of a cadence for a lead, given who is present. */
import type { Recipient } from './cadence.ts'

export type StaffRole = Exclude<Recipient, 'student'>

/** A counselor, for their own lead or as another counselor's backup; the manager; or the team. */
export type Holder = { as: 'counselor' | 'backup'; id: string } | { as: 'manager' | 'team' }

type Staff = {
  /** The counselor or the manager who has the lead; undefined if the team has it, or the owner is no longer here. */
  owner: { id: string; backup?: string | undefined; isManager?: boolean } | undefined
  present: (id: string) => boolean
  /** Whether there is a manager who is present. */
  manager: boolean
  /** Whether a message to the team goes to the owner, if there is one. Default: false. */
  ownerForTeam?: boolean
}

/**
 * Who fills a role for a lead. The backup stands in for a counselor who is away, the team for anyone else who is
 * missing. No one is warned about themselves: if the manager has the lead, the manager's warning goes to the team.
 * Undefined if everyone to notify has been notified already: without an owner, the team got the counselor's message.
 */
export function holderOf(
  role: StaffRole,
  { owner, present, manager, ownerForTeam = false }: Staff,
): Holder | undefined {
  const team = { as: 'team' } as const
  if (role === 'manager') return manager && !owner?.isManager ? { as: 'manager' } : team
  if (owner === undefined) return role === 'backup' ? undefined : team
  const itself: Holder = owner.isManager ? { as: 'manager' } : { as: 'counselor', id: owner.id }
  const ownerPresent = owner.isManager ? manager : present(owner.id)
  if (role === 'team') return ownerForTeam && ownerPresent ? itself : team
  if (role === 'counselor' && ownerPresent) return itself
  // The backup already got the owner's message, so we ask the team to take over.
  if (role === 'backup' && !ownerPresent) return team
  const { backup } = owner
  return backup !== undefined && present(backup) ? { as: 'backup', id: backup } : team
}
