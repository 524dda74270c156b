/** The page on which managers enter what the sources of leads cost, month by month. */
import { html } from 'hono/html'
import { shortText } from '../../leads/body/form-details.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf, suggestions } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { amount } from './source-costs.ts'

const PATH = '/costs'
const ACTION = 'record costs'

export const costRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, (c, { calendar, clock }) =>
    costsPage(c, { source: '', month: calendar.today(clock.now()).slice(0, 7), cost: '' }),
  ),
  post(PATH, ACTION, save),
]

type EnteredCost = { source: string; month: string; cost: string }
type CostProblems = Partial<Record<keyof EnteredCost, string>>

async function save(c: ConsoleContext, { store, settings }: ConsoleDeps) {
  const { source = '', month = '', cost = '' } = await fieldsOf(c)
  const cents = centsIn(cost)
  const name = shortText(source)
  const problems: CostProblems = {
    ...(name === undefined && { source: 'Enter where the leads came from.' }),
    ...(isMonth(month) ? {} : { month: 'Enter a month, such as 2026-11.' }),
    ...(cents === undefined && { cost: 'Enter an amount, such as 1250 or 1250.50.' }),
  }
  if (name === undefined || cents === undefined || !isMonth(month))
    return costsPage(c, { source, month, cost }, problems)
  const audit = auditEntries(c, 'recorded what a source cost', { detail: month })
  await store.setSourceCost({ source: name, month, cents }, audit)
  const text =
    cents === 0 ? `${name} has no cost in ${month}.` : `${name} cost ${amount(cents, settings.school)} in ${month}.`
  return redirect(c, PATH, { text })
}

const isMonth = (text: string): boolean => /^20\d\d-(?:0[1-9]|1[0-2])$/.test(text)

function centsIn(text: string): number | undefined {
  const plain = text.replace(/[$,\s]/g, '')
  return /^\d{1,9}(?:\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * 100) : undefined
}

async function costsPage(c: ConsoleContext, entered: EnteredCost, problems: CostProblems = {}) {
  const { store } = c.get('frame').deps
  const costs = await store.listSourceCosts()
  const sources = await store.listSources()
  const { sites } = await store.recentOrigins()
  const known = [...new Set([...sources.map(({ name }) => name), ...sites])]
  return page(
    c,
    { title: 'What sources cost', current: '/insight', status: Object.keys(problems).length > 0 ? 422 : 200 },
    html`<p class="back"><a href="/insight#sources">Back to insight</a></p>
<p>Enter what a source cost in a month, and <em>Insight</em> says what each lead and each enrolled student has cost.</p>
<section class="panel"><form method="post" action="${PATH}" class="stack">
${field({ name: 'source', label: 'Came from', autocomplete: 'off', value: entered.source, hint: 'Use the name that Insight shows: a source, a campaign’s source or a website.', problem: problems.source, list: 'sources-known' })}
${suggestions('sources-known', known)}
${field({ name: 'month', label: 'Month', type: 'month', value: entered.month, problem: problems.month })}
${field({ name: 'cost', label: 'Cost', autocomplete: 'off', value: entered.cost, hint: 'For the whole month. It replaces what was entered before; 0 removes it.', problem: problems.cost })}
<button>Save</button>
</form></section>
${costs.length === 0 ? '' : table(c, costs)}`,
  )
}

const table = (c: ConsoleContext, costs: readonly { source: string; month: string; cents: number }[]): Html => {
  const { school } = c.get('frame').deps.settings
  return html`<table class="table"><thead><tr><th scope="col">Month</th><th scope="col">Came from</th><th scope="col" class="number">Cost</th></tr></thead>
<tbody>${costs.map(({ month, source, cents }) => html`<tr><td>${month}</td><td>${source}</td><td class="number">${amount(Number(cents), school)}</td></tr>`)}</tbody></table>`
}
