/** What begins again for a lead that is new again. */
import type { Cadence } from '../follow-up/cadence.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { type Restart, restartOf } from '../follow-up/schedule.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Store } from '../store/store.ts'

/** The reminders and the automatic close of a lead that is new again, as if they had just written in. */
export async function restartsOf(
  { store, calendar }: { store: Pick<Store, 'readFollowUp'>; calendar: Calendar },
  { id, state }: Pick<Lead, 'id' | 'state'>,
  now: number,
): Promise<Restart[]> {
  const followUp = await store.readFollowUp(id)
  return followUp === undefined ? [] : tracksAgain(calendar, followUp.cadence, state, now)
}

/** The reminders and the automatic close of a cadence that begin again at the moment `now`. */
export function tracksAgain(calendar: Calendar, cadence: Cadence, state: string | null, now: number): Restart[] {
  const hours = calendar.hoursFor(state)
  return (['staff', 'end'] as const).flatMap(track => restartOf(cadence, track, now, hours) ?? [])
}
