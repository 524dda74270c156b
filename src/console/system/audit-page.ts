/** The audit log for admins: who saw, exported, changed or erased what. */
import { html } from 'hono/html'
import type { Settings } from '../../config/settings.ts'
import { createDateFormat, createShortDateFormat } from '../../content/date-format.ts'
import { capital, counted } from '../../leads/body/tidy-text.ts'
import type { ListedAudit } from '../../store/operators/audit-log.ts'
import type { Operator } from '../../store/operators/operators.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { numberOf, option } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { type AuditWords, entryInWords, readAuditNames } from './audit-words.ts'

const PATH = '/audit'
const ROWS = 100
const WITHOUT_OPENED = 'without-opened'

export const auditRoutes: ConsoleRoute[] = [get(PATH, 'see audit log', auditPage, { menu: 'Audit log' })]

async function auditPage(c: ConsoleContext, { store, clock, settings }: ConsoleDeps) {
  const filter = {
    operatorId: numberOf(c.req.query('operator')),
    leadId: numberOf(c.req.query('lead')),
    withoutOpened: c.req.query('what') === WITHOUT_OPENED,
    before: numberOf(c.req.query('before')),
  }
  const found = await store.listAudit({ ...filter, limit: ROWS + 1 })
  const entries = found.slice(0, ROWS)
  const operators = await store.listOperators()
  const emails = emailsOfNamesakes(operators)
  const names = await readAuditNames(store, entries)
  const [now, short, full] = [clock.now(), createShortDateFormat(settings.school), createDateFormat(settings.school)]
  const when = (at: number) => html`<time title="${full(at)}">${capital(short(at, now))}</time>`
  const older = found.length > ROWS ? entries.at(-1)?.id : undefined
  return page(
    c,
    { title: 'Audit log', current: PATH, width: 'wide' },
    html`<form method="get" action="${PATH}" class="inline filter">
<div><label for="operator">Who</label><select id="operator" name="operator"><option value="">Everyone</option>${operators.map(
      ({ id, name }) => option(id, withEmail(name, emails.get(id)), id === filter.operatorId),
    )}</select></div>
<div><label for="lead">Number of the lead</label><input id="lead" name="lead" inputmode="numeric" pattern="[0-9]*" value="${filter.leadId ?? ''}"></div>
<div><label for="what">What</label><select id="what" name="what"><option value="">Everything</option>${option(WITHOUT_OPENED, 'Without opened leads', filter.withoutOpened)}</select></div>
<button class="secondary">Show</button>
</form>
${
  entries.length === 0
    ? html`<div class="empty"><h2>Nothing here</h2><p>The log says who saw, exported, changed or erased something in the console${lifetimeOf(settings)}.</p></div>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Audit log"><table class="table stacked">
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">From</th></tr></thead>
<tbody>${entries.map(entry => row({ ...entry, actor: withEmail(entry.actor, emails.get(entry.operatorId ?? 0)) }, when, entryInWords(entry, names, settings.school)))}</tbody></table></div>`
}
${older === undefined ? '' : html`<p><a class="button secondary" href="${PATH}?${query({ ...filter, before: older })}">Older entries</a></p>`}`,
  )
}

/** The addresses of operators who share a name, by their ids: only the address tells them apart. */
const emailsOfNamesakes = (operators: readonly Pick<Operator, 'id' | 'name' | 'email'>[]): Map<number, string> =>
  new Map(
    [...Map.groupBy(operators, ({ name }) => name).values()]
      .filter(namesakes => namesakes.length > 1)
      .flatMap(namesakes => namesakes.map(({ id, email }) => [id, email] as const)),
  )

const withEmail = (name: string, email: string | undefined): string =>
  email === undefined ? name : `${name}, ${email}`

function row({ at, actor, network }: ListedAudit, when: (at: number) => Html, { what, more }: AuditWords): Html {
  const below = more === '' ? '' : html`<br><span class="quiet small">${more}</span>`
  return html`<tr><td class="number">${when(at)}</td><td>${actor}</td><td>${what}${below}</td><td class="quiet">${network}</td></tr>`
}

const lifetimeOf = ({ privacy: { auditLogDays: days } }: Settings): string =>
  days === 0 ? '' : `, for ${counted(days, 'day')}`

const query = (filter: {
  operatorId?: number | undefined
  leadId?: number | undefined
  withoutOpened: boolean
  before: number
}) =>
  new URLSearchParams({
    operator: String(filter.operatorId ?? ''),
    lead: String(filter.leadId ?? ''),
    what: filter.withoutOpened ? WITHOUT_OPENED : '',
    before: String(filter.before),
  }).toString()
