/** What each source cost: for each of its leads, and for each of its leads that got to the last stage. */
import { html } from 'hono/html'
import type { Settings } from '../../config/settings.ts'
import { inDigits } from '../../leads/body/tidy-text.ts'
import type { CostOfSource } from '../../store/insight/source-costs.ts'
import type { Html } from '../frame/layout.ts'
import { numberTable } from '../frame/number-table.ts'
import type { InsightRange } from './range.ts'
import { stageNames } from './split-tables.ts'

type Shown = {
  costs: readonly CostOfSource[]
  range: InsightRange
  settings: Settings
  file: (table: string) => Html
  mayEnter: boolean
}

/** An amount in the school's currency: in the United States with its sign, elsewhere as a number. */
export function amount(cents: number, { country }: { country: string }): string {
  const style = country === 'US' ? ({ style: 'currency', currency: 'USD' } as const) : { minimumFractionDigits: 2 }
  return new Intl.NumberFormat('en-US', { ...style, maximumFractionDigits: 2 }).format(cents / 100)
}

export function costSection({ costs, range, settings, file, mayEnter }: Shown): Html {
  const enter = mayEnter ? html`<p><a href="/costs">Enter what sources cost</a></p>` : ''
  if (costs.length === 0) return html`${enter}`
  const last = stageNames(range.kind).at(-1)?.toLowerCase()
  const money = (cents: number | null) => (cents === null ? 'none yet' : amount(cents, settings.school))
  return html`<div class="section-head"><h3>Costs</h3>${file('costs')}</div>
${numberTable('What sources cost', {
  of: 'Came from',
  folded: true,
  columns: ['Cost', 'Wrote in', 'For each who wrote in', `Came to ${last}`, `For each ${last}`],
  rows: costs.map(one => {
    const { leads, came, perLead, perLast } = figures(one)
    return {
      name: one.source,
      cells: [money(one.cents), inDigits(leads), money(perLead), inDigits(came), money(perLast)],
    }
  }),
})}
<p class="quiet small">If only some days of a month are shown, the same share of its cost counts. People who wrote in on these days may still move to later stages.</p>
${enter}`
}

/** Costs in cents; null if there are no leads to share them. */
function figures({ cents, tally }: CostOfSource) {
  const { leads, stages } = tally
  const came = stages.at(-1) ?? 0
  const each = (n: number) => (n === 0 ? null : cents / n)
  return { leads, came, perLead: each(leads), perLast: each(came) }
}

/** The tables as rows of CSV, by the name of the table. */
export const costTables = (costs: readonly CostOfSource[], { kind }: InsightRange) => ({
  costs: costs.map(one => {
    const { leads, came, perLead, perLast } = figures(one)
    const last = stageNames(kind).at(-1) ?? ''
    const money = (cents: number | null) => (cents === null ? '' : (cents / 100).toFixed(2))
    return {
      'Came from': one.source,
      Cost: money(one.cents),
      'Wrote in': leads,
      'Cost for each who wrote in': money(perLead),
      [last]: came,
      [`Cost for each: ${last}`]: money(perLast),
    }
  }),
})
