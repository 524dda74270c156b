/** Why a person is erased, in data and in words. */

/** What someone may say when they erase a person. */
export const askedReasons = ['asked', 'not needed'] as const
export type AskedReason = (typeof askedReasons)[number]

export type ErasureReason = AskedReason | 'retention'

/** In the register of erasures, `retention` is the name of who asked. */
export const RETENTION = 'retention rule'

export const reasonInWords: Record<ErasureReason, string> = {
  asked: 'the person asked for it',
  'not needed': 'no longer needed',
  retention: 'retention rule',
}
