/** Sends one lead to destinations again, as it is now. */
import { html } from 'hono/html'
import { kindNamed } from '../../destinations/kinds.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import type { Destination } from '../../store/destinations/destinations.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { checkbox, formOf } from '../frame/form-fields.ts'
import { page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'

const PATH = '/leads/:id{[0-9]{1,15}}/destinations'
const ACTION = 'manage destinations'

export const handOverRoutes: ConsoleRoute[] = [get(PATH, ACTION, choicePage), post(PATH, ACTION, handOver)]

/** The destinations that can be sent a single lead. Chats are left out: their channel has seen it already. */
const listening = (all: readonly Destination[]): Destination[] =>
  all.filter(({ kind, off }) => off === undefined && kindNamed(kind)?.events.includes('lead.handed_over'))

const leadOf = async (c: ConsoleContext, { store }: ConsoleDeps): Promise<Lead> =>
  existing('lead', await store.findLead(idIn(c)))

async function choicePage(c: ConsoleContext, deps: ConsoleDeps) {
  const lead = await leadOf(c, deps)
  const found = listening(await deps.store.listDestinations())
  return page(
    c,
    { title: `Hand over ${fullName(lead)} again`, current: '/inbox', width: 'narrow' },
    html`<p class="back"><a href="/leads/${lead.id}">Back to the lead</a></p>
${
  found.length === 0
    ? html`<p>No destination that is on accepts a single lead.</p>`
    : html`<section class="panel"><p>The destinations get the lead as it is now, as the event <code>lead.handed_over</code>, whichever events and leads they get otherwise.</p>
<form method="post" action="/leads/${lead.id}/destinations">
<fieldset><legend>Destinations</legend>${found.map(({ id, name }) => checkbox('to', name, true, { value: id }))}</fieldset>
<button>Hand over again</button></form></section>`
}`,
  )
}

async function handOver(c: ConsoleContext, deps: ConsoleDeps) {
  const lead = await leadOf(c, deps)
  const chosen = (await formOf(c)).getAll('to').map(String)
  const to = listening(await deps.store.listDestinations()).filter(({ id }) => chosen.includes(String(id)))
  if (to.length === 0) throw new ConsoleError(422, 'Choose at least one destination.')
  const names = to.map(({ name }) => name).join(', ')
  const told = await deps.store.handOverLead(lead.id, {
    destinations: to.map(({ id }) => id),
    now: deps.clock.now(),
    audit: auditEntries(c, 'handed a lead over again', { leadId: lead.id, detail: names }),
  })
  deps.changed(['deliveries'])
  const text =
    told === 0 ? 'Nothing was sent: the destination is off.' : `${fullName(lead)} is handed over to ${names}.`
  return redirect(c, `/leads/${lead.id}`, { text })
}
