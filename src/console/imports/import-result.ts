/** The result of the dry run, the progress of the import, and the report, which has the button to undo the import. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { capital, counted, inDigits } from '../../leads/body/tidy-text.ts'
import { fullName } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { IMPORT_UNDO_TIME } from '../../leads/lead/undo-window.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { ImportState } from '../../store/tables/import-tables.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { type Html, page } from '../frame/layout.ts'
import { queryOf } from '../lists/inbox-filter.ts'
import { rejectedPanel } from './rejected.ts'
import { statusInShort, statusReport } from './status-list-result.ts'
import { unreadPanel } from './unread-values.ts'

export const stateInWords: Record<ImportState, string> = {
  reading: 'Being stored',
  draft: 'Uploaded',
  checking: 'Being checked',
  checked: 'Checked',
  running: 'Being imported',
  done: 'Imported',
  undoing: 'Being undone',
  undone: 'Undone',
  discarded: 'Discarded',
}

/** How many kept leads the page shows. */
const SHOWN = 20

export const isUnderWay = ({ state }: Pick<Import, 'state'>): boolean =>
  state === 'checking' || state === 'running' || state === 'undoing'

export const progressOf = ({ state, done, rows, counts, purpose }: Import): Html =>
  html`<p><strong>${stateInWords[state]}</strong>: ${inDigits(done)} of ${counted(rows, 'row')}</p>
<progress max="${rows}" value="${done}" aria-label="Rows"></progress>
<p class="quiet">${state === 'undoing' ? '' : purpose === 'status' ? statusInShort(counts) : inShort(counts)}</p>`

const inShort = ({ opened, joined, repeated, rejected }: Import['counts']): string =>
  `${inDigits(opened)} new, ${inDigits(joined)} with a lead, ${inDigits(repeated)} repeated, ${inDigits(rejected)} rejected`

export async function resultPage(c: ConsoleContext, list: Import) {
  const title = list.plan?.source ?? list.fileName
  const reportOf = list.purpose === 'status' ? statusReport : report
  const body = isUnderWay(list) ? progressPanel(list) : await reportOf(c, list)
  return page(
    c,
    { title, current: '/import', width: 'wide' },
    html`<nav class="back" aria-label="Back"><a href="/import">All lists</a></nav>
<p class="quiet">${list.fileName}: ${stateInWords[list.state].toLowerCase()}</p>
${list.state === 'undone' ? await keptLeads(c, list) : ''}
${body}
${isUnderWay(list) ? '' : html`${await unreadPanel(c, list)}${await rejectedPanel(c, list)}`}`,
  )
}

const progressPanel = (list: Import): Html => html`<section class="panel">
<div data-progress>${progressOf(list)}</div>
<p>You may leave this page. The work continues in the background.</p>
<noscript><p><a href="/import/${list.id}">Reload the page</a></p></noscript>
${list.state === 'running' ? html`<a class="button secondary" href="/import/${list.id}/undo">Stop and undo</a>` : ''}
</section>`

async function report(c: ConsoleContext, list: Import): Promise<Html> {
  const { clock, settings } = c.get('frame').deps
  const { id, state, counts, plan, finishedAt } = list
  const now = clock.now()
  const moment = createShortDateFormat(settings.school)
  if (state === 'undone') return undoneReport(list)
  const numbers = await numbersOf(c, list)
  if (state === 'checked') {
    const importable = counts.opened + counts.joined
    return html`<section class="panel"><h2>What will happen</h2>
${numbers}
<p>${plan?.mayWrite ? 'The new leads get the follow-up emails, since you said that they agreed.' : 'They get no email from us.'} Each counselor gets one email about all of their leads, except the person who uploaded the list. After that, <strong>no one is reminded to call them.</strong></p>
<div class="actions">${
      importable === 0
        ? html`<p>There is nothing to import.</p>`
        : html`<form method="post" action="/import/${id}/start"><button>Import ${counted(importable, 'row')}</button></form>`
    }<a class="button secondary" href="/import/${id}?change=1">Change the columns</a><form method="post" action="/import/${id}/discard"><button class="secondary">Discard</button></form></div></section>`
  }
  const until = (finishedAt ?? now) + IMPORT_UNDO_TIME
  const owners = list.owners.filter(({ opened }) => opened > 0)
  return html`<section class="panel"><h2>What was imported</h2>
${numbers}
${
  owners.length === 0
    ? ''
    : html`<p>${owners.map(({ owner, opened }) => `${capital(ownerName(owner, settings.admissions))}: ${inDigits(opened)}`).join(', ')}. No one is reminded to call them.</p>`
}
<div class="actions"><a class="button" href="/inbox${queryOf({ from: plan?.source ?? '', stage: 'any' })}">See these leads in the inbox</a>${
    list.hasRows && now < until ? html`<a class="button secondary" href="/import/${id}/undo">Undo the import</a>` : ''
  }</div>
<p class="quiet small">${
    list.hasRows && now < until
      ? `It can be undone until ${moment(until, now)}, except for leads that someone has worked on since. After that, the uploaded rows are deleted.`
      : 'It can no longer be undone, and the uploaded rows are deleted.'
  }</p></section>`
}

/** How many rows a list has of each outcome, and how many of its people have a lead already. */
async function numbersOf(c: ConsoleContext, list: Import): Promise<Html> {
  const { store } = c.get('frame').deps
  const { id, state, counts, plan, hasRows } = list
  const isChecked = state === 'checked'
  // After the rows are deleted, no one knows who they were about.
  const { known, twice } = hasRows ? await store.countKnownPeople(list) : { known: counts.joined, twice: 0 }
  const people = isChecked ? await store.listKnownPeople(id, { kind: plan?.kind ?? 'student', limit: SHOWN }) : []
  const same = isChecked && counts.repeated > 0 ? await store.listsWithSameRows(id) : []
  return html`<dl class="facts">
<dt>${isChecked ? 'Will be new leads' : 'New leads'}</dt><dd>${inDigits(counts.opened)}</dd>
<dt>People with an open lead</dt><dd>${inDigits(known)}${people.length === 0 ? '' : html`: ${linksTo(people)}${known > people.length ? ', and more' : ''}`}</dd>
${twice === 0 ? '' : html`<dt>Same person twice in this list</dt><dd>${inDigits(twice)}</dd>`}
<dt>Repeated rows</dt><dd>${inDigits(counts.repeated)}</dd>
<dt>Rejected</dt><dd>${inDigits(counts.rejected)}</dd>
</dl>
${same.map(
  one =>
    html`<p>Repeated rows are already waiting in <a href="/import/${one}">list ${one}</a>, which is being imported.</p>`,
)}
<p class="quiet small">The row of a person with an open lead is added to the timeline of that lead, and changes nothing else about it. Rows with the same words from the same source are imported once.</p>`
}

const linksTo = (people: readonly { id: number; firstName: string; lastName: string }[]): Html =>
  html`${people.map((one, i) => html`${i === 0 ? '' : ', '}<a href="/leads/${one.id}" dir="auto">${fullName(one)}</a>`)}`

const undoneReport = ({ counts, kept }: Import): Html => html`<section class="panel"><h2>What was undone</h2>
<dl class="facts">
<dt>Leads removed</dt><dd>${inDigits(counts.opened - kept)}</dd>
<dt>Leads kept</dt><dd>${inDigits(kept)}</dd>
<dt>Rows removed from other leads</dt><dd>${inDigits(counts.joined)}</dd>
</dl></section>`

async function keptLeads(c: ConsoleContext, { id, kept, purpose }: Import): Promise<Html> {
  if (kept === 0) return html`<p>The whole import is undone. To import the list again, upload it again.</p>`
  const why =
    purpose === 'status'
      ? 'Someone has changed them since.'
      : 'Someone has worked on them since, the person wrote in, or they got an email.'
  const { store, settings } = c.get('frame').deps
  const leads = await store.listKeptLeads(id, SHOWN)
  return html`<section class="panel"><h2>${counted(kept, 'lead')} kept</h2>
<p>${why}</p>
<ul class="plain-list">${leads.map(
    lead =>
      html`<li><a href="/leads/${lead.id}" dir="auto">${fullName(lead)}</a><span class="quiet">${ownerName(lead.owner, settings.admissions)}</span></li>`,
  )}</ul>
${kept > leads.length ? html`<p class="quiet">And ${inDigits(kept - leads.length)} more.</p>` : ''}</section>`
}
