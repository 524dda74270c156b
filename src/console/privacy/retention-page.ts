/** What the retention rules will erase, and keeping a lead from being erased. */
import { html, raw } from 'hono/html'
import { createDateFormat, dateOf } from '../../content/date-format.ts'
import { nextErasure } from '../../follow-up/erasure-days.ts'
import { endHold, hold } from '../../lead-actions/hold.ts'
import { counted, requiredProblem, tidy } from '../../leads/body/tidy-text.ts'
import { fullName } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { stageInWords } from '../../leads/lead/stages.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { noLead, readLeadFor } from '../lead/view.ts'

const PATH = '/privacy/planned'
const KEEP = '/leads/:id{[0-9]{1,15}}/keep'
const ROWS = 50

export const retentionRoutes: ConsoleRoute[] = [
  get(PATH, 'erase people', plannedPage),
  get(KEEP, 'erase people', keepPage),
  post(KEEP, 'erase people', keep),
]

/** The rules in words, and how many leads each of the next erasures will delete. */
export async function retentionPanel({ store, settings, clock }: ConsoleDeps): Promise<Html> {
  const { closedLeadMonths, enrolledLeadMonths, eraseNoticeDays } = settings.privacy
  const after = (months: number, what: string) =>
    months === 0 ? `${what} are kept` : `${what} are erased ${counted(months, 'month')} after the last activity`
  const rules = [
    after(closedLeadMonths, 'Closed leads'),
    after(enrolledLeadMonths, 'students who enrolled and active sites'),
    'open leads are kept',
  ].join('; ')
  const on = closedLeadMonths + enrolledLeadMonths > 0
  const planned = await store.countPlanned()
  const next = nextErasure(clock.now(), settings.privacy, settings.school.timeZone)
  return html`<section class="panel" aria-labelledby="retention"><h2 id="retention">Retention rules</h2>
<p>${on ? `${rules}. The manager gets a list ${counted(eraseNoticeDays, 'day')} before.` : html`Nothing is erased automatically. To change that, ask the person who runs Frontdesk (setting <code>privacy.closedLeadMonths</code>).`}</p>
${
  planned.length === 0
    ? on
      ? html`<p class="quiet">As things stand, nothing will be erased on ${day(next, settings)}. Frontdesk checks once a day.</p>`
      : ''
    : html`<ul>${planned.map(({ eraseAt, leads }) => html`<li><a href="${PATH}">${counted(leads, 'lead')} will be erased on ${day(eraseAt, settings)}</a></li>`)}</ul>`
}</section>`
}

const day = (at: number, { school }: ConsoleDeps['settings']): string => dateOf(at, school)

async function plannedPage(c: ConsoleContext, { store, settings }: ConsoleDeps) {
  const planned = await store.countPlanned()
  const eraseAt = numberOf(c.req.query('on')) ?? planned[0]?.eraseAt ?? 0
  const after = numberOf(c.req.query('after')) ?? 0
  const found = await store.listPlanned(eraseAt, { after, limit: ROWS + 1 })
  const leads = found.slice(0, ROWS)
  const moment = createDateFormat(settings.school)
  const tabs = planned.map(
    one =>
      html`<a href="${PATH}?on=${one.eraseAt}"${one.eraseAt === eraseAt ? raw(' aria-current="page"') : ''}>${day(one.eraseAt, settings)}: ${one.leads}</a>`,
  )
  return page(
    c,
    { title: 'Leads that will be erased', current: '/privacy', width: 'wide' },
    html`<p class="back"><a href="/privacy">Privacy</a></p>
${planned.length > 1 ? html`<nav class="tabs" aria-label="Day">${tabs}</nav>` : ''}
${
  leads.length === 0
    ? html`<div class="empty"><h2>Nothing will be erased</h2><p>Leads appear here when your settings say how long leads are kept, some weeks before they are erased.</p></div>`
    : html`<p>On ${day(eraseAt, settings)}, these people are erased for good. Any activity before then keeps a lead.</p>
<table class="table stacked"><thead><tr><th scope="col">Lead</th><th scope="col">Stage</th><th scope="col">Counselor</th><th scope="col">Last change</th><th scope="col">Keep</th></tr></thead>
<tbody>${leads.map(
        lead =>
          html`<tr><td><a href="/leads/${lead.id}">${fullName(lead)}</a> <span class="quiet small">lead ${lead.id}</span></td><td>${stageInWords(lead.stage, lead.closedReason)}</td><td>${ownerName(lead.owner, settings.admissions)}</td><td>${moment(lead.updatedAt)}</td><td><a class="button secondary small" href="/leads/${lead.id}/keep">Keep longer<span class="hidden">: ${fullName(lead)}</span></a></td></tr>`,
      )}</tbody></table>`
}${found.length > ROWS ? html`<p class="more"><a href="${PATH}?on=${eraseAt}&amp;after=${leads.at(-1)?.id}">More</a></p>` : ''}`,
  )
}

type Typed = { reason?: string | undefined; until?: string | undefined }
type Problems = { reason?: string | undefined; until?: string | undefined }

async function keep(c: ConsoleContext, deps: ConsoleDeps) {
  const { clock, settings } = deps
  const { lead } = await readLeadFor(c, deps, 'work')
  const typed = await fieldsOf(c)
  const now = clock.now()
  const path = `/leads/${lead.id}`
  if (typed['do'] === 'end') {
    const { outcome } = await endHold(deps, lead, {}, byOperator(c))
    if (outcome === 'gone') throw noLead()
    return redirect(c, path, { text: 'Retention rules apply to this lead again.' })
  }
  const reason = tidy(typed['reason'] ?? '')
  const until = readDay(typed['until'] ?? '', settings.school.timeZone)
  const problem = requiredProblem(reason, 'one')
  const problems: Problems = {
    ...(problem !== undefined && { reason: `The reason ${problem}.` }),
    ...((until === undefined || (until !== null && until <= now)) && {
      until: 'Choose a day in the future, or leave it empty.',
    }),
  }
  if (until === undefined || Object.keys(problems).length > 0) return keepPage(c, deps, typed, problems)
  const words = until === null ? '' : ` until ${day(until, settings)}`
  const note = `Kept from being erased${words}: ${reason}`
  const { outcome } = await hold(deps, lead, { reason, until, note }, byOperator(c))
  if (outcome === 'gone') throw noLead()
  return redirect(c, path, { text: `Kept${words}. No retention rule erases this lead.` })
}

/** Null if no day was entered; undefined if it is not a day. */
function readDay(text: string, timeZone: string): number | null | undefined {
  if (text === '') return null
  try {
    return Temporal.PlainDate.from(text).toZonedDateTime(timeZone).epochMilliseconds
  } catch {
    return undefined
  }
}

async function keepPage(c: ConsoleContext, deps: ConsoleDeps, typed: Typed = {}, problems?: Problems) {
  const { store, settings } = deps
  const { lead } = await readLeadFor(c, deps, 'work')
  const hold = await store.readHold(lead.id)
  const planned = await store.readPlanned(lead.id)
  const name = fullName(lead)
  return page(
    c,
    { title: `Keep ${name} longer`, current: '/privacy', status: problems === undefined ? 200 : 422 },
    html`<p class="back"><a href="/leads/${lead.id}">Back to ${name}</a><a href="${PATH}">Leads that will be erased</a></p>
${planned === undefined ? '' : html`<p>Your settings say that this lead is erased on ${day(planned, settings)}.</p>`}
${
  hold === undefined
    ? ''
    : html`<form method="post" action="/leads/${lead.id}/keep" class="panel"><p>Kept${hold.until === null ? '' : ` until ${day(hold.until, settings)}`}: ${hold.reason}</p><button class="secondary" name="do" value="end">Do not keep it longer</button></form>`
}
<form method="post" action="/leads/${lead.id}/keep" class="panel stack">
<p class="quiet">No retention rule erases the lead while it is kept. A person who asks to be erased can still be erased.</p>
${field({ name: 'reason', label: 'Why', autocomplete: 'off', value: typed.reason, problem: problems?.reason, hint: 'For example: a refund is not settled. The timeline shows it.' })}
${field({ name: 'until', label: 'Until (optional)', type: 'date', required: false, value: typed.until, problem: problems?.until })}
<div class="actions"><button>Keep longer</button></div></form>`,
  )
}
