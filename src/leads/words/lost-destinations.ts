/** Destinations that were switched off because they no longer receive events, in sentences for the operators. */
import type { Told } from './late-work.ts'

export type LostDestination = { id: number; name: string; reason: 'gone' | 'given up' }

export const whyLost = {
  gone: 'the receiver responded that it no longer exists',
  'given up': 'for five days, an event could not be delivered',
} as const satisfies Record<LostDestination['reason'], string>

/** The words for it, until someone switches it on or deletes it. */
export const lostDestination = ({ name, reason }: LostDestination): Told => ({
  title: `${name} no longer gets leads.`,
  text: `It is off: ${whyLost[reason]}.`,
})

/** The title and the text in one line, for lists and logs. */
export const lostDestinationLine = (lost: LostDestination): string => {
  const { title, text } = lostDestination(lost)
  return `${title} ${text}`
}
