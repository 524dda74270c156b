/** The page on which admins say which programs of the school hear of leads. */
import { randomUUID } from 'node:crypto'
import { html } from 'hono/html'
import { MOST_DESTINATIONS } from '../../destinations/deliver.ts'
import { eventSchemas } from '../../destinations/event-payload.ts'
import { kinds } from '../../destinations/kinds.ts'
import { sealSettings } from '../../destinations/sealed-settings.ts'
import type { WebhookSettings } from '../../destinations/webhook.ts'
import { newKeys } from '../../destinations/webhook-keys.ts'
import type { Destination } from '../../store/destinations/destinations.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { formOf } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { type Entered, emptyForm, enteredIn, formFields, type Problems, problemsOf } from './destination-form.ts'
import { keysPage, destinationRoutes as oneRoutes } from './destination-page.ts'

const PATH = '/destinations'
const ACTION = 'manage destinations'

export const destinationRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, (c, deps) => listPage(c, deps, emptyForm), { menu: 'Destinations' }),
  post(PATH, ACTION, add),
  get(`${PATH}/events.json`, ACTION, c => c.json(eventSchemas())),
  ...oneRoutes,
]

async function add(c: ConsoleContext, deps: ConsoleDeps) {
  const { store, clock, secretKey } = deps
  const entered = enteredIn(await formOf(c))
  const problems = problemsOf(c, entered, false)
  if (problems !== undefined) return listPage(c, deps, entered, problems)
  if ((await store.listDestinations()).length >= MOST_DESTINATIONS)
    throw new ConsoleError(422, `There are ${MOST_DESTINATIONS} destinations already. Delete one first.`)
  const { url, ...choices } = entered
  const ref = randomUUID()
  const settings: WebhookSettings = { url, keys: newKeys() }
  const { host } = new URL(url)
  const sealed = sealSettings(secretKey, ref, settings)
  const audit = auditEntries(c, 'added a destination', { detail: choices.name })
  const id = await store.addDestination({ ...choices, ref, kind: 'webhook', host, sealed }, { audit, now: clock.now() })
  return keysPage(c, id, settings)
}

async function listPage(c: ConsoleContext, { store }: ConsoleDeps, entered: Entered, problems?: Problems) {
  const destinations = await store.listDestinations()
  return page(
    c,
    { title: 'Destinations', current: PATH, width: 'wide', status: problems === undefined ? 200 : 422 },
    html`<p>Programs of your school that hear of every lead: a student information system, a CRM, an automation. What happens to leads is sent to them within seconds, and again for five days if they cannot be reached.</p>
${destinations.length === 0 ? '' : table(destinations)}
<section class="panel"><h2>Add a webhook</h2>
<form method="post" action="${PATH}" class="stack">
${formFields(entered, problems)}
<button>Add the destination</button>
</form>
<p class="quiet small">Requests are signed as <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> are. <a href="${PATH}/events.json">The JSON Schema of the events</a></p>
</section>`,
  )
}

const table = (destinations: readonly (Destination & { waiting: number })[]): Html =>
  html`<table class="table stacked">
<thead><tr><th scope="col">Name</th><th scope="col">Kind</th><th scope="col">State</th><th scope="col">Waiting</th></tr></thead>
<tbody>${destinations.map(
    one => html`<tr><td><a href="${PATH}/${one.id}">${one.name}</a><br><span class="quiet small">${one.host}</span></td>
<td>${kinds[one.kind].name}</td><td>${stateOf(one)}</td><td>${one.waiting}</td></tr>`,
  )}</tbody>
</table>`

const stateOf = ({ off, failures }: Destination): Html =>
  off !== undefined
    ? html`<span class="tag wrong">${off.reason}</span>`
    : html`<span class="tag${failures > 0 ? ' wrong' : ''}">${failures > 0 ? 'failing' : 'on'}</span>`
