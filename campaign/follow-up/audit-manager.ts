/**
 * Checks that the manager gets what is for the manager and, while the manager is away, the team. The weekly report waits
 * for the manager.
 */
import { isAbsent } from './audit-assignment.ts'
import type { Expect } from './facts.ts'
import type { Message } from './post-office.ts'
import { MANAGER, mailboxOf, WARNING } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

type Known = Pick<World, 'time' | 'ledger' | 'post'>

export function auditManager(known: Known, expect: Expect): void {
  for (const message of known.post.byId.values()) {
    const { id, kind, deliveries } = message
    const of = kindOfTeam(message)
    if (of === undefined) continue
    for (const { at, to } of deliveries) {
      const right = kind === 'report' ? [mailboxOf(MANAGER, of)] : managerAt(known, at, of)
      expect(right.includes(to), `message ${id} went to ${to}, not ${right.join(' or ')}`)
    }
  }
}

/** Who may get what is for the manager at this moment on the clocks. */
export const managerAt = (known: Pick<World, 'time' | 'ledger'>, at: number, kind: 'site' | 'student'): string[] => [
  ...new Set([at, at + SKEW].map(shown => mailboxOf(isAbsent(known, MANAGER, shown) ? null : MANAGER, kind))),
]

/** The kind of leads whose team stands in for the manager; undefined for a message that is not for the manager. */
function kindOfTeam({ kind, step }: Message): 'site' | 'student' | undefined {
  // The step of a list's task says for which kind of lead it is.
  if (kind === 'unattended') return step === 0 ? 'student' : 'site'
  // The follow-up of a site has no such step.
  return kind === 'retention' || kind === 'report' || (kind === 'step' && step === WARNING) ? 'student' : undefined
}
