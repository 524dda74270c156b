/** Shows what a destination would be sent for an invented lead. Nothing is stored or sent. */
import { html } from 'hono/html'
import { type DestinationKind, type Told, Unsendable } from '../../destinations/destination-kind.ts'
import { samplePayload } from '../../destinations/event-payload.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'
import type { Entered } from './entered-destination.ts'

export const tryOutButton = (kind: DestinationKind): Html =>
  kind.preview === undefined ? html`` : html`<button name="do" value="try" class="secondary">Try it out</button>`

export function tryOut(
  kind: DestinationKind,
  { values, events, fields }: Entered,
  { clock, config }: Pick<ConsoleDeps, 'clock' | 'config'>,
): Html {
  const now = clock.now()
  const payload = samplePayload(events[0] ?? 'test', fields, { now, consoleUrl: config.consoleUrl })
  const shown = previewOf(kind, { ...payload, eventId: 'an-event', values, keys: undefined, now, again: false })
  return html`<section class="panel" id="tried"><h2>What an invented lead becomes</h2>
<p class="quiet small">Nothing was sent or saved.</p>
${'problem' in shown ? html`<p class="problem">This does not work: ${shown.problem}.</p>` : html`<pre>${shown.text}</pre>`}</section>`
}

function previewOf(kind: DestinationKind, told: Told): { text: string } | { problem: string } {
  try {
    return { text: kind.preview?.(told) ?? '' }
  } catch (error) {
    if (error instanceof Unsendable) return { problem: error.message }
    throw error
  }
}
