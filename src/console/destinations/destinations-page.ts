/** The page on which admins see which of the school's programs get leads. */
import { html } from 'hono/html'
import { eventSchemas } from '../../destinations/event-payload.ts'
import { everyKind, kindNamed } from '../../destinations/kinds.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import type { Destination } from '../../store/destinations/destinations.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { kindList } from '../frame/kind-list.ts'
import { type Html, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { destinationRoutes as oneRoutes } from './destination-page.ts'
import { handOverRoutes } from './hand-over-again.ts'
import { newDestinationRoutes } from './new-destination-page.ts'

const PATH = '/destinations'
const ACTION = 'manage destinations'

export const destinationRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, listPage, { menu: 'Destinations' }),
  get(`${PATH}/events.json`, ACTION, c => c.json(eventSchemas())),
  ...newDestinationRoutes,
  ...handOverRoutes,
  ...oneRoutes,
]

async function listPage(c: ConsoleContext, { store }: ConsoleDeps) {
  const destinations = await store.listDestinations()
  return page(
    c,
    { title: 'Destinations', current: PATH, width: 'wide' },
    html`<p>Software at your school that is notified of every lead: a student information system, a CRM, an automation. What happens to leads is sent to them within seconds, and again for five days if they cannot be reached.</p>
${destinations.length === 0 ? '' : table(destinations)}
<section class="panel"><h2>Add a destination</h2>
${kindList(everyKind.map(([id, { name, about }]) => ({ name, about, href: `${PATH}/new/${id}` })))}
<p class="quiet small"><a href="${PATH}/events.json">The JSON Schema of the events</a></p>
</section>`,
  )
}

const table = (destinations: readonly (Destination & { waiting: number })[]): Html =>
  html`<table class="table stacked">
<thead><tr><th scope="col">Name</th><th scope="col">Kind</th><th scope="col">State</th><th scope="col">Waiting</th></tr></thead>
<tbody>${destinations.map(
    one => html`<tr><td><a href="${PATH}/${one.id}">${one.name}</a><br><span class="quiet small">${one.host}</span></td>
<td>${kindNamed(one.kind)?.name ?? one.kind}</td><td>${stateOf(one)}</td><td>${one.waiting === 0 ? 'none' : counted(one.waiting, 'event')}</td></tr>`,
  )}</tbody>
</table>`

const stateOf = ({ off, failures }: Destination): Html =>
  off !== undefined
    ? html`<span class="tag wrong">${off.reason}</span>`
    : html`<span class="tag${failures > 0 ? ' wrong' : ''}">${failures > 0 ? 'failing' : 'on'}</span>`
