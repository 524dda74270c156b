/** How nightly exports went, for their page and for *Delivery*. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import type { NightlyExport } from '../../store/nightly/nightly-exports.ts'
import type { ConsoleContext } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'

/** The result of each export, if there are any. */
export async function nightlyResults(c: ConsoleContext): Promise<Html | ''> {
  const exports = await c.get('frame').deps.store.listNightlyExports()
  if (exports.length === 0) return ''
  return html`<section class="panel"><h2>Nightly exports</h2>
<table class="table"><tbody>${exports.map(one => html`<tr><th scope="row">${one.name}</th><td>${exportResult(c, one)}</td></tr>`)}</tbody></table></section>`
}

/** How the last file and the last attempt went. */
export function exportResult(c: ConsoleContext, { written, failed }: NightlyExport): Html {
  const last =
    written === undefined
      ? 'nothing was written yet'
      : html`<code>${written.file}</code>, ${counted(written.leads, 'lead')}, ${dateOf(c, written.at)}`
  return failed === undefined
    ? html`${last}`
    : html`<span class="problem">It failed: ${failed.why}. It is tried again.</span><br><span class="quiet small">Before: ${last}</span>`
}

export function dateOf(c: ConsoleContext, moment: number): string {
  const { settings, clock } = c.get('frame').deps
  return moment === 0 ? 'now' : createShortDateFormat(settings.school)(moment, clock.now())
}
