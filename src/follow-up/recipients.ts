/** Whom a message to the staff goes to: the roles of a cadence, given to who is there. */
import type { Recipient } from './cadence.ts'

export type StaffRole = Exclude<Recipient, 'student'>

/** A counselor, in their own place or in somebody's whom they stand in for; or one of the others. */
export type Holder = { as: 'counselor' | 'backup'; id: string } | { as: 'manager' | 'team' }

type Staff = {
  /** Who owns the lead; undefined where the team does. */
  owner: { id: string; backup?: string | undefined } | undefined
  present: (id: string) => boolean
  /** Whether the settings name a manager. */
  manager: boolean
}

/**
 * Who has a role for a lead. The backup stands in for a counselor who is away, the team for everybody
 * else who is not there. Undefined where nobody is to be told who has not been already: without an
 * owner, the team was told in the counselor's place.
 */
export function holderOf(role: StaffRole, { owner, present, manager }: Staff): Holder | undefined {
  const team = { as: 'team' } as const
  if (role === 'team') return team
  if (role === 'manager') return manager ? { as: 'manager' } : team
  if (owner === undefined) return role === 'counselor' ? team : undefined
  const here = present(owner.id)
  if (role === 'counselor' && here) return { as: 'counselor', id: owner.id }
  // Who has been told in the owner's place is not asked to take over from them.
  if (role === 'backup' && !here) return team
  const { backup } = owner
  return backup !== undefined && present(backup) ? { as: 'backup', id: backup } : team
}
