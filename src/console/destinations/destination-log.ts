/** What was sent to a destination: each event with its attempts, and what happens next. */
import { html } from 'hono/html'
import type { DestinationKind } from '../../destinations/destination-kind.ts'
import type { LoggedDelivery } from '../../store/destinations/delivery-log.ts'
import type { Destination } from '../../store/destinations/destinations.ts'
import { checkbox, option } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'

/** How many deliveries a page shows. */
export const SHOWN = 50

type About = { kind: DestinationKind; when: (time: number) => string }

export function deliveryLog(one: Destination, deliveries: readonly LoggedDelivery[], about: About): Html {
  const path = `/destinations/${one.id}`
  const oldest = deliveries.length === SHOWN ? deliveries.at(-1) : undefined
  return html`<h2>What was sent</h2>
${
  deliveries.length === 0
    ? html`<p>Nothing yet.</p>`
    : html`${one.off === undefined ? sendAgain(one, path) : ''}
${about.kind.unconfirmed === undefined ? '' : html`<p class="quiet small">Handed over, not confirmed: ${about.kind.unconfirmed}</p>`}
<table class="table stacked"><thead><tr><th scope="col">Event</th><th scope="col">Attempts</th><th scope="col">Next</th></tr></thead>
<tbody>${deliveries.map(delivery => row(one, delivery, about))}</tbody></table>`
}
${oldest === undefined ? '' : html`<p><a class="button secondary small" href="${path}?before=${oldest.id}">Earlier</a></p>`}`
}

const sendAgain = (one: Destination, path: string): Html => html`<details><summary>Send several again</summary>
<form method="post" action="${path}/resend" class="stack">
<label for="since">Everything since</label><p class="hint" id="since-hint">In the school’s time. What was sent is listed for 30 days.</p>
<input type="datetime-local" id="since" name="since" required aria-describedby="since-hint">
<label for="type">Events</label>
<select id="type" name="type">${option('', 'All', true)}${[...one.events, 'lead.erased'].map(type => option(type, type, false))}</select>
${checkbox('undelivered', 'Only what was never delivered', true, { id: 'undelivered', value: 'yes' })}
<button class="secondary">Send them again</button>
</form></details>`

function row(
  one: Destination,
  { id, type, at, leadId, state, held, dueAt, note, attempts }: LoggedDelivery,
  { kind, when }: About,
): Html {
  const delivered = kind.unconfirmed === undefined ? 'delivered' : 'handed over, not confirmed'
  const next = { done: delivered, dead: 'given up', skipped: `skipped${note === null ? '' : `: ${note}`}` }
  const until = held ? 'the destination responds again' : when(dueAt)
  const waits = dueAt === 0 ? 'waits' : html`waits until ${until}`
  return html`<tr><td><code>${type}</code>${leadId === null ? '' : html`<br><a href="/leads/${leadId}">lead ${leadId}</a>`}<br><span class="quiet small">${when(at)}</span></td>
<td>${attempts.map(
    attempt => html`<details><summary>${attempt.status ?? 'no response'}, ${attempt.duration} ms, ${when(attempt.at)}</summary>
${attempt.note === '' ? '' : html`<p>${attempt.note}</p>`}${attempt.response === '' ? html`<p class="quiet small">The response was empty.</p>` : html`<pre>${attempt.response}</pre>`}</details>`,
  )}</td>
<td>${state === 'due' ? waits : next[state]}${
    state === 'due' || one.off !== undefined
      ? ''
      : html`<form method="post" action="/destinations/${one.id}/resend">${hidden({ delivery: id })}<button class="secondary small">Send it again<span class="hidden"> (${type})</span></button></form>`
  }</td></tr>`
}
