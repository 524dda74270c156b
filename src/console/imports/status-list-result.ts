/** What a status list would do, what it has done, and what was put back. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { counted, inDigits } from '../../leads/body/tidy-text.ts'
import { whyNotMoved } from '../../leads/import/status-list.ts'
import { IMPORT_UNDO_TIME } from '../../leads/lead/undo-window.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { UnreadValue } from '../../store/imports/portions.ts'
import type { ConsoleContext } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'

export const statusInShort = ({ moved, repeated, leftOut, rejected }: Import['counts']): string =>
  `${inDigits(moved)} to move, ${inDigits(repeated)} there already, ${inDigits(leftOut)} left out, ${inDigits(rejected)} that move no one`

export async function statusReport(c: ConsoleContext, list: Import): Promise<Html> {
  const { store, clock, settings } = c.get('frame').deps
  const { id, state, counts, finishedAt, hasRows, kept } = list
  if (state === 'undone') {
    return html`<section class="panel"><h2>What was undone</h2><dl class="facts">
<dt>Leads put back</dt><dd>${inDigits(counts.moved - kept)}</dd>
<dt>Leads kept</dt><dd>${inDigits(kept)}</dd></dl></section>`
  }
  const reasons = hasRows ? await store.listRejections(id) : []
  const unknown = reasons.some(({ reason }) => reason === whyNotMoved.unknownWord)
  const numbers = numbersOf(list, reasons)
  if (state === 'checked') {
    return html`<section class="panel"><h2>What will happen</h2>
${numbers}
<p>A lead that moves gets no more follow-up emails, and no one is reminded to call it. If the person wrote again and waits for an answer, your team is still reminded to answer. Destinations are notified.</p>
<div class="actions">${startButton(list, unknown)}<a class="button secondary" href="/import/${id}?change=1">Change the columns</a><form method="post" action="/import/${id}/discard"><button class="secondary">Discard</button></form></div></section>`
  }
  const now = clock.now()
  const until = (finishedAt ?? now) + IMPORT_UNDO_TIME
  const moment = createShortDateFormat(settings.school)
  const undoable = hasRows && now < until
  return html`<section class="panel"><h2>What has happened</h2>
${numbers}
${undoable ? html`<div class="actions"><a class="button secondary" href="/import/${id}/undo">Undo the import</a></div>` : ''}
<p class="quiet small">${
    undoable
      ? `It can be undone until ${moment(until, now)}, except for leads that someone has changed since. After that, the uploaded rows are deleted.`
      : 'It can no longer be undone, and the uploaded rows are deleted.'
  }</p></section>`
}

/** Shown even for a list that moves no one: once started, files with the same columns in the folder are imported. */
function startButton({ id, counts }: Import, unknown: boolean): Html | '' {
  if (counts.moved === 0 && unknown) return ''
  const words = counts.moved === 0 ? 'Keep this choice of columns' : `Move ${counted(counts.moved, 'lead')}`
  return html`<form method="post" action="/import/${id}/start"><button>${words}</button></form>`
}

function numbersOf({ state, counts }: Import, reasons: readonly UnreadValue[]): Html {
  return html`<dl class="facts">
<dt>${state === 'checked' ? 'Leads that will move' : 'Leads that were moved'}</dt><dd>${inDigits(counts.moved)}</dd>
<dt>There already, or named twice</dt><dd>${inDigits(counts.repeated)}</dd>
<dt>Left out by their word</dt><dd>${inDigits(counts.leftOut)}</dd>
<dt>Rows that move no one</dt><dd>${inDigits(counts.rejected)}</dd>
</dl>
${
  reasons.length === 0
    ? ''
    : html`<ul class="plain-list">${reasons.map(({ reason, rows }) => html`<li><span>${reason}</span><span class="quiet">${counted(rows, 'row')}</span></li>`)}</ul>`
}`
}
