/** Quarantine: each message with the reasons for it, and the buttons to decide about one or many at once. */
import { html, raw } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { type Decision, dismiss, release, undoDismissal, undoRelease } from '../../lead-actions/decide-quarantined.ts'
import { describeQuarantined } from '../../lead-details/link-subject.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import type { QuarantinedSubmission, QuarantineState } from '../../store/filing/quarantined-submissions.ts'
import { may } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { formOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { MOST_COUNTED, upToMost } from '../lists/today.ts'
import { unfiledPart, unfiledRoutes } from './unfiled-page.ts'

export const quarantineRoutes: ConsoleRoute[] = [
  get('/quarantine', 'see quarantine', quarantinePage, { menu: 'Quarantine' }),
  post('/quarantine', 'decide about quarantine', async (c, deps) => decide(c, deps, await formOf(c))),
  post('/quarantine/undo', 'decide about quarantine', async (c, deps) => undo(c, deps, await formOf(c))),
  ...unfiledRoutes,
]

const PAGE = 25

const states: Record<QuarantineState, string> = { held: 'Waiting', released: 'Released', dismissed: 'Dismissed' }

const tabs = { ...states, unfiled: 'Cannot be filed' }

const nothing: Record<QuarantineState, { title: string; next: string }> = {
  held: {
    title: 'Nothing is waiting for a decision',
    next: 'Inquiries that screening quarantines from now on appear here and in the daily email.',
  },
  released: {
    title: 'No inquiry was released',
    next: 'Release an inquiry that a real person sent: it becomes a lead, and is listed here.',
  },
  dismissed: {
    title: 'No inquiry was dismissed',
    next: 'Dismissed inquiries are listed here. You can still release them.',
  },
}

async function quarantinePage(c: ConsoleContext, deps: ConsoleDeps) {
  const { store, settings, clock } = deps
  const asked = c.req.query('state') ?? 'held'
  const counts = await countsOf(c)
  if (asked === 'unfiled') return quarantine(c, { state: asked, counts }, await unfiledPart(c, deps))
  const state = Object.hasOwn(states, asked) ? (asked as QuarantineState) : 'held'
  const before = numberOf(c.req.query('before'))
  const found = await store.listQuarantine({ state, before, limit: PAGE + 1 })
  const shown = found.slice(0, PAGE)
  const now = clock.now()
  const shortDate = createShortDateFormat(settings.school)
  const decides = may(c.get('operator'), 'decide about quarantine') && state !== 'released'
  const items = shown.map(one => card(one, { deps, decides, moment: (time: number) => shortDate(time, now) }))
  return quarantine(
    c,
    { state, counts },
    html`<p class="quiet">An inquiry that looks automated waits here until someone decides. Release anything a real person sent, and it is handled as if it had just arrived.</p>
${
  shown.length === 0
    ? html`<div class="empty"><h2>${nothing[state].title}</h2><p>${nothing[state].next}</p></div>`
    : html`<form method="post" action="/quarantine">${hidden({ state })}
<ul class="cards">${items}</ul>
${decides ? html`<div class="bulk" data-bulk-bar role="group" aria-label="Selected inquiries"><span class="bulk-count" data-bulk-count aria-live="polite">Selected inquiries</span><button class="secondary small" name="do" value="release">Release selected</button>${state === 'held' ? html`<button class="secondary small" name="do" value="dismiss">Dismiss selected</button>` : ''}</div>` : ''}</form>`
}${found.length > PAGE ? html`<p class="more"><a href="/quarantine?state=${state}&amp;before=${shown.at(-1)?.submission.id}">Older</a></p>` : ''}`,
  )
}

type Counts = Partial<Record<keyof typeof tabs, string>>

/** How many inquiries wait for a decision, as the menu shows it. */
async function countsOf(c: ConsoleContext): Promise<Counts> {
  const { mailTrouble, deps } = c.get('frame')
  const held = await deps.store.countQuarantined(MOST_COUNTED + 1)
  const { unfileable } = await mailTrouble.recent()
  return { ...(held > 0 && { held: upToMost(held) }), ...(unfileable > 0 && { unfiled: upToMost(unfileable) }) }
}

const quarantine = (c: ConsoleContext, { state, counts }: { state: keyof typeof tabs; counts: Counts }, body: Html) =>
  page(
    c,
    { title: 'Quarantine', current: '/quarantine', width: 'wide' },
    html`<nav class="tabs" aria-label="State">${Object.entries(tabs).map(
      ([id, title]) =>
        html`<a href="/quarantine?state=${id}"${id === state ? raw(' aria-current="page"') : ''}>${title}${
          counts[id as keyof typeof tabs] ? html` <span class="count">${counts[id as keyof typeof tabs]}</span>` : ''
        }</a>`,
    )}</nav>
${body}`,
  )

type Shown = { deps: ConsoleDeps; decides: boolean; moment: (time: number) => string }

function card(one: QuarantinedSubmission, { deps, decides, moment }: Shown): Html {
  const { id } = one.submission
  const { lead, last } = describeQuarantined(one, { settings: deps.settings, moment })
  const { inquiry, name, from } = lead
  const decided = last === null ? '' : `, ${lead.stage.toLowerCase()} ${last.at}${last.by ? ` by ${last.by}` : ''}`
  const buttons = !decides
    ? ''
    : html`<div class="actions"><button class="secondary small" name="do" value="release:${id}" aria-label="Release ${name}">Release</button>${
        one.state === 'held'
          ? html`<button class="secondary small" name="do" value="dismiss:${id}" aria-label="Dismiss ${name}">Dismiss</button>`
          : ''
      }</div>`
  return html`<li class="panel quarantined"><div class="quarantined-who">${
    decides
      ? html`<label class="pick"><input type="checkbox" name="chosen" value="${id}" aria-label="Select ${name}"></label>`
      : ''
  }<h2>${name}${from ? html` <span class="quiet">${from}</span>` : ''}</h2><p class="quiet small">${
    one.submission.kind === 'site' ? 'Site' : 'Student'
  }, ${moment(one.submission.receivedAt)}${decided}</p></div>
<div class="quarantined-what">${
    inquiry?.message
      ? html`<blockquote dir="auto">${inquiry.message}</blockquote>`
      : html`<p class="quiet">No message.</p>`
  }<p class="small contacts"><span>${inquiry?.email}</span>${inquiry?.phone ? html` <span>${inquiry.phone}</span>` : ''}</p>${
    inquiry === null || inquiry.facts.length === 0
      ? ''
      : html`<dl class="facts small">${inquiry.facts.map(({ label, value }) => html`<dt>${label}</dt><dd dir="auto">${value}</dd>`)}</dl>`
  }</div>
<div class="quarantined-why"><h3>Why it is here</h3><ul>${inquiry?.honeypot ? html`<li>The hidden field was filled in, as programs do.</li>` : ''}${inquiry?.notes.map(
    note => html`<li>${note}</li>`,
  )}</ul>${buttons}</div></li>`
}

async function decide(c: ConsoleContext, deps: ConsoleDeps, form: FormData) {
  const [, what, one] = /^(release|dismiss)(?::(\d{1,15}))?$/.exec(String(form.get('do'))) ?? []
  if (what === undefined) throw new ConsoleError(422, 'Choose to release or to dismiss.')
  const chosen = (one === undefined ? form.getAll('chosen') : [one])
    .flatMap(id => numberOf(String(id)) ?? [])
    .slice(0, PAGE)
  const by = byOperator(c)
  const done = await eachOf(chosen, id =>
    what === 'release' ? release(deps, id, { undoable: true }, by) : dismiss(deps, id, {}, by),
  )
  const path = form.get('state') === 'dismissed' ? '/quarantine?state=dismissed' : '/quarantine'
  if (done.length === 0) {
    const text = chosen.length === 0 ? 'Select at least one inquiry.' : 'Nothing changed: that was decided already.'
    return redirect(c, path, { text })
  }
  const count = counted(done.length, 'inquiry', 'inquiries')
  const past = what === 'release' ? 'released' : 'dismissed'
  return redirect(c, path, {
    text: `${count} ${past}.`,
    undo: { path: '/quarantine/undo', fields: { what: past, ids: done.join(',') } },
  })
}

/** Decides about one submission after the other, and returns the ones that changed. */
async function eachOf(ids: readonly number[], decide: (id: number) => ReturnType<Decision>): Promise<number[]> {
  const changed: number[] = []
  for (const id of ids) if ((await decide(id)).outcome === 'done') changed.push(id)
  return changed
}

async function undo(c: ConsoleContext, deps: ConsoleDeps, form: FormData) {
  const ids = String(form.get('ids'))
    .split(',')
    .flatMap(id => numberOf(id) ?? [])
    .slice(0, PAGE)
  const takeBack = form.get('what') === 'released' ? undoRelease : undoDismissal
  const by = byOperator(c)
  const undone = await eachOf(ids, id => takeBack(deps, id, {}, by))
  const text = undone.length === ids.length ? 'Undone.' : 'It was too late to undo all of it.'
  return redirect(c, '/quarantine', { text })
}
