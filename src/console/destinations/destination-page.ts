/** The page of a destination: its form, its keys, and everything that was sent to it. */
import { html } from 'hono/html'
import { createDateFormat } from '../../content/date-format.ts'
import { openSettings, sealSettings } from '../../destinations/sealed-settings.ts'
import { rotated, type WebhookSettings } from '../../destinations/webhook.ts'
import { publicKeyOf } from '../../destinations/webhook-keys.ts'
import type { LoggedDelivery } from '../../store/destinations/deliveries.ts'
import type { Destination } from '../../store/destinations/destinations.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, doesNotExist } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, formOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { type Entered, enteredIn, formFields, type Problems, problemsOf } from './destination-form.ts'

const LIST = '/destinations'
const PATH = `${LIST}/:id{[0-9]{1,15}}`
const ACTION = 'manage destinations'

/** How many deliveries a page of the log shows. */
const SHOWN = 50

export const destinationRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, async (c, deps) => onePage(c, deps, await destinationOf(c))),
  post(PATH, ACTION, save),
  act('test', async (c, { store, clock, changed }, one) => {
    if (one.off !== undefined) throw new ConsoleError(422, 'It is off. Switch it on first.')
    const audit = auditEntries(c, 'sent a test to a destination', { detail: one.name })
    await store.sendTest(one.id, { now: clock.now(), audit })
    changed(['deliveries'])
    return 'The test is on its way. Reload this page to see its response.'
  }),
  act('resend', async (c, { store, changed }, one) => {
    if (one.off !== undefined) throw new ConsoleError(422, 'It is off. Switch it on first.')
    const id = numberOf((await fieldsOf(c))['delivery']) ?? 0
    const audit = auditEntries(c, 'sent an event again', { detail: `${one.name}: delivery ${id}` })
    const again = await store.resendDelivery({ id, destination: one.id, audit })
    changed(['deliveries'])
    return again ? 'The event is sent again.' : 'That event waits already, or is gone.'
  }),
  act('on', async (c, { store }, { id, name }) => {
    await store.switchOn(id, auditEntries(c, 'switched a destination on', { detail: name }))
    c.get('frame').mailTrouble.forget()
    return `${name} is on. What happened while it was off is not sent.`
  }),
  act('off', async (c, { store, clock }, { id, name }) => {
    const audit = auditEntries(c, 'switched a destination off', { detail: name })
    await store.switchOff(id, { reason: 'switched off', now: clock.now(), audit })
    return `${name} is off, and hears of nothing.`
  }),
  post(`${PATH}/keys`, ACTION, rotate),
  post(`${PATH}/delete`, ACTION, async (c, { store }) => {
    const { id, name, off } = await destinationOf(c)
    if (off === undefined) throw new ConsoleError(422, 'It is on. Switch it off first.')
    await store.deleteDestination(id, auditEntries(c, 'deleted a destination', { detail: name }))
    c.get('frame').mailTrouble.forget()
    return redirect(c, LIST, { text: `${name} was deleted.` })
  }),
]

/** Does something with a destination, and says what is true then. */
function act(path: string, does: (c: ConsoleContext, deps: ConsoleDeps, one: Destination) => Promise<string>) {
  return post(`${PATH}/${path}`, ACTION, async (c, deps) => {
    const one = await destinationOf(c)
    return redirect(c, `${LIST}/${one.id}`, { text: await does(c, deps, one) })
  })
}

async function destinationOf(c: ConsoleContext): Promise<Destination> {
  const found = await c.get('frame').deps.store.readDestination(numberOf(c.req.param('id')) ?? 0)
  if (found === undefined) throw doesNotExist('This destination')
  return found
}

async function save(c: ConsoleContext, deps: ConsoleDeps) {
  const one = await destinationOf(c)
  const entered = enteredIn(await formOf(c))
  const problems = problemsOf(c, entered, true)
  if (problems !== undefined) return onePage(c, deps, one, { entered, problems })
  const { url, ...choices } = entered
  const place =
    url === ''
      ? one
      : { host: new URL(url).host, sealed: sealSettings(deps.secretKey, one.ref, { ...settingsOf(c, one), url }) }
  const { host, sealed } = place
  const audit = auditEntries(c, 'changed a destination', { detail: choices.name })
  await deps.store.changeDestination(one.id, { ...choices, host, sealed }, audit)
  return redirect(c, `${LIST}/${one.id}`, { text: 'Saved.' })
}

async function rotate(c: ConsoleContext, { store, clock, secretKey }: ConsoleDeps) {
  const one = await destinationOf(c)
  const settings = rotated(settingsOf(c, one), clock.now())
  const sealed = sealSettings(secretKey, one.ref, settings)
  const audit = auditEntries(c, 'changed the keys of a destination', { detail: one.name })
  await store.changeDestination(one.id, { ...one, sealed }, audit)
  return keysPage(c, one.id, settings)
}

function settingsOf(c: ConsoleContext, one: Destination): WebhookSettings {
  const settings = openSettings<WebhookSettings>(c.get('frame').deps.secretKey, one)
  if (settings === undefined)
    throw new ConsoleError(409, 'Its keys cannot be read, because SECRET_KEY was changed. Delete it and add it again.')
  return settings
}

/** Shows the secret, once. */
export const keysPage = (c: ConsoleContext, id: number, { keys, previous }: WebhookSettings) =>
  page(
    c,
    { title: 'Keys of the destination', current: LIST },
    html`<section class="panel">
<p>Give the receiver one of these, so that it can tell that an event comes from here. The secret is not shown again.</p>
<p>Secret, for <code>v1</code>:<br><code>${keys.secret}</code></p>
<p>Public key, for <code>v1a</code>:<br><code>${publicKeyOf(keys)}</code></p>
${previous === undefined ? '' : html`<p>The keys before also sign for 24 hours.</p>`}
<p><a class="button" href="${LIST}/${id}">I have saved it</a></p>
</section>`,
  )

async function onePage(
  c: ConsoleContext,
  { store, secretKey, settings: { school } }: ConsoleDeps,
  one: Destination,
  { entered, problems }: { entered?: Entered; problems?: Problems } = {},
) {
  const before = numberOf(c.req.query('before'))
  const deliveries = await store.listDeliveries(one.id, { before, limit: SHOWN })
  const opened = openSettings<WebhookSettings>(secretKey, one)
  const dates = createDateFormat(school)
  const oldest = deliveries.length === SHOWN ? deliveries.at(-1) : undefined
  return page(
    c,
    { title: one.name, current: LIST, width: 'wide', status: problems === undefined ? 200 : 422 },
    html`<p class="back"><a href="${LIST}">Back to the destinations</a></p>
${stateNotice(one)}
<div class="columns">
<section class="panel"><h2>What it hears of</h2>
<form method="post" action="${LIST}/${one.id}" class="stack">
${formFields(entered ?? { ...one, url: '' }, problems, one.host)}
<button>Save</button>
</form></section>
<section class="panel"><h2>Access</h2>
${opened === undefined ? html`<p class="problem">Its keys cannot be read, because SECRET_KEY was changed. Delete it and add it again.</p>` : html`<p>Public key, for <code>v1a</code>:<br><code>${publicKeyOf(opened.keys)}</code></p>`}
<div class="actions">
${one.off === undefined ? button(one, 'test', 'Send a test') : ''}
${one.off === undefined ? button(one, 'off', 'Switch it off') : button(one, 'on', 'Switch it on')}
${button(one, 'keys', 'Make new keys')}
${one.off === undefined ? '' : button(one, 'delete', 'Delete it', 'danger')}
</div>
<p class="quiet small">After you make new keys, the old ones also sign for 24 hours.</p>
</section>
</div>
<h2>What was sent</h2>
${
  deliveries.length === 0
    ? html`<p>Nothing yet.</p>`
    : html`<table class="table stacked"><thead><tr><th scope="col">Event</th><th scope="col">Attempts</th><th scope="col">Next</th></tr></thead>
<tbody>${deliveries.map(delivery => row(one, delivery, time => dates(time)))}</tbody></table>`
}
${oldest === undefined ? '' : html`<p><a class="button secondary small" href="${LIST}/${one.id}?before=${oldest.id}">Earlier</a></p>`}`,
  )
}

function stateNotice({ off, failures, retryAt }: Destination): Html {
  if (off?.reason === 'gone')
    return html`<div class="banner"><p><strong>It is off:</strong> it responded 410, so the receiver no longer exists. Correct the URL, then switch it on.</p></div>`
  if (off?.reason === 'given up')
    return html`<div class="banner"><p><strong>It is off:</strong> for five days, an event could not be delivered. Mend the receiver, then switch it on.</p></div>`
  if (off !== undefined) return html`<div class="banner"><p>It is off, and hears of nothing.</p></div>`
  if (failures === 0) return html``
  return html`<div class="banner"><p><strong>It is failing:</strong> ${failures} attempts in a row.${retryAt === null ? '' : ' We wait a while before the next.'}</p></div>`
}

function row(
  one: Destination,
  { id, type, at, leadId, state, dueAt, note, attempts }: LoggedDelivery,
  when: (time: number) => string,
): Html {
  const next = { done: 'delivered', dead: 'given up', skipped: `skipped${note === null ? '' : `: ${note}`}` }
  const waits = dueAt === 0 ? 'waits' : html`waits until ${when(dueAt)}`
  return html`<tr><td><code>${type}</code>${leadId === null ? '' : html`<br><a href="/leads/${leadId}">lead ${leadId}</a>`}<br><span class="quiet small">${when(at)}</span></td>
<td>${attempts.map(
    attempt => html`<details><summary>${attempt.status ?? 'no response'}, ${attempt.duration} ms, ${when(attempt.at)}</summary>
${attempt.note === '' ? '' : html`<p>${attempt.note}</p>`}${attempt.response === '' ? html`<p class="quiet small">The response was empty.</p>` : html`<pre>${attempt.response}</pre>`}</details>`,
  )}</td>
<td>${state === 'due' ? waits : next[state]}${
    state === 'due' || one.off !== undefined
      ? ''
      : html`<form method="post" action="${LIST}/${one.id}/resend">${hidden({ delivery: id })}<button class="secondary small">Send it again<span class="hidden"> (${type})</span></button></form>`
  }</td></tr>`
}

const button = ({ id }: Destination, action: string, words: string, look = 'secondary'): Html =>
  html`<form method="post" action="${LIST}/${id}/${action}"><button class="${look} small">${words}</button></form>`
