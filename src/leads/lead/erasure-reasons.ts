/** The reasons for erasing a person, in data and in words. */

/** What someone may say when they erase a person. */
export const askedReasons = ['asked', 'not needed'] as const
export type AskedReason = (typeof askedReasons)[number]

export type ErasureReason = AskedReason | 'retention'

/** In the register of erasures, who asked for an erasure by a retention rule. */
export const RETENTION = 'retention rule'

export const reasonInWords: Record<ErasureReason, string> = {
  asked: 'the person asked for it',
  'not needed': 'no longer needed',
  retention: 'retention rule',
}

/** The facts about an operator that decide whether they can confirm. */
type Confirmer = { id: number; createdAt: number; invitedBy: number | null }

/** Why an operator cannot confirm what `asker` asked for; undefined if they can. No one confirms their own request. */
export function confirmObstacle(
  one: Confirmer,
  asker: Confirmer,
  askedAt: number,
): 'own' | 'later' | 'invited' | undefined {
  if (one.id === asker.id) return 'own'
  if (one.createdAt > askedAt) return 'later'
  return one.invitedBy === asker.id || asker.invitedBy === one.id ? 'invited' : undefined
}
