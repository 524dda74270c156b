/** The audit log for admins: who saw, exported, changed or erased what. */
import { html } from 'hono/html'
import type { Settings } from '../../config/settings.ts'
import { createDateFormat, createShortDateFormat } from '../../content/date-format.ts'
import { capital, counted } from '../../leads/text.ts'
import type { ListedAudit } from '../../store/operators/audit-log.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { numberOf, option } from '../frame/fields.ts'
import { type Html, page } from '../frame/layout.ts'

const PATH = '/audit'
const ROWS = 100

export const auditRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  {
    method: 'GET',
    path: PATH,
    action: 'see audit log',
    menu: 'Audit log',
    handle: c => auditPage(c, deps),
  },
]

async function auditPage(c: ConsoleContext, { store, clock, settings }: ConsoleDeps) {
  const filter = {
    operatorId: numberOf(c.req.query('operator')),
    leadId: numberOf(c.req.query('lead')),
    before: numberOf(c.req.query('before')),
  }
  const found = await store.listAudit({ ...filter, limit: ROWS + 1 })
  const entries = found.slice(0, ROWS)
  const operators = await store.listOperators()
  const [now, short, full] = [
    clock.now(),
    createShortDateFormat(settings.school),
    createDateFormat(settings.school),
  ]
  const when = (at: number) => html`<time title="${full(at)}">${capital(short(at, now))}</time>`
  const older = found.length > ROWS ? entries.at(-1)?.id : undefined
  return page(
    c,
    { title: 'Audit log', current: PATH, width: 'wide' },
    html`<form method="get" action="${PATH}" class="inline filter">
<div><label for="operator">Who</label><select id="operator" name="operator"><option value="">Everyone</option>${operators.map(
      ({ id, name }) => option(id, name, id === filter.operatorId),
    )}</select></div>
<div><label for="lead">Number of the lead</label><input id="lead" name="lead" inputmode="numeric" pattern="[0-9]*" value="${filter.leadId ?? ''}"></div>
<button class="secondary">Show</button>
</form>
${
  entries.length === 0
    ? html`<div class="empty"><h2>Nothing here</h2><p>The log says who saw, exported, changed or erased something in the console${lifetimeOf(settings)}.</p></div>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Audit log"><table class="table stacked">
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">From</th></tr></thead>
<tbody>${entries.map(entry => row(entry, when))}</tbody></table></div>`
}
${older === undefined ? '' : html`<p><a class="button secondary" href="${PATH}?${query({ ...filter, before: older })}">Older entries</a></p>`}`,
  )
}

function row(
  { at, actor, action, leadId, detail, network }: ListedAudit,
  when: (at: number) => Html,
): Html {
  const lead = leadId === undefined ? '' : html` <a href="/leads/${leadId}">lead ${leadId}</a>`
  const more = detail ? html`<br><span class="quiet small">${detail}</span>` : ''
  return html`<tr><td class="number">${when(at)}</td><td>${actor}</td><td>${action}${lead}${more}</td><td class="quiet">${network}</td></tr>`
}

const lifetimeOf = ({ privacy: { auditLogDays: days } }: Settings): string =>
  days === 0 ? '' : `, for ${counted(days, 'day')}`

const query = (filter: {
  operatorId?: number | undefined
  leadId?: number | undefined
  before: number
}) =>
  new URLSearchParams({
    operator: String(filter.operatorId ?? ''),
    lead: String(filter.leadId ?? ''),
    before: String(filter.before),
  }).toString()
