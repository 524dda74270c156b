/**
 * Inquiries that were accepted but cannot be filed: what was sent, and why filing fails. An operator can try again, add
 * the inquiry by hand, or dismiss it.
 */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { dismissUnfiled, fileAgain, type UnfiledReason, unfiledReasons } from '../../lead-actions/decide-unfiled.ts'
import { actorName } from '../../leads/lead/staff.ts'
import { UNFILED } from '../../leads/words/late-work.ts'
import type { UnfiledEntry } from '../../store/filing/unfiled-submissions.ts'
import { may } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf, option } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { post } from '../frame/routes.ts'
import { fieldsSent } from './fields-sent.ts'

export const unfiledRoutes: ConsoleRoute[] = [
  post('/quarantine/unfiled', 'decide about quarantine', async (c, deps) => decide(c, deps, await fieldsOf(c))),
]

const MOST = 25

/** The part of the quarantine page about inquiries that cannot be filed. */
export async function unfiledPart(c: ConsoleContext, { store, settings, clock }: ConsoleDeps): Promise<Html> {
  const before = numberOf(c.req.query('before'))
  const waiting = await store.listUnfiled({ before, limit: MOST + 1 })
  const dismissed = await store.listUnfiled({ dismissed: true, limit: MOST })
  const now = clock.now()
  const shortDate = createShortDateFormat(settings.school)
  const shown: Shown = {
    moment: time => shortDate(time, now),
    decides: may(c.get('operator'), 'decide about quarantine'),
    nameOf: actor => actorName(actor, settings.admissions),
    now,
  }
  const more = waiting.length > MOST
  return html`<p class="quiet">We confirmed these inquiries but cannot turn them into leads: the error is in Frontdesk, in its database, or in your settings. We have not notified anyone about them, and try again every few hours.</p>
${
  waiting.length === 0
    ? html`<div class="empty"><h2>Every inquiry is filed</h2><p>An inquiry that fails again and again appears here.</p></div>`
    : html`<ul class="cards">${waiting.slice(0, MOST).map(one => card(one, shown))}</ul>`
}${more ? html`<p class="more"><a href="${UNFILED}&amp;before=${waiting[MOST - 1]?.id}">Older</a></p>` : ''}
${dismissed.length === 0 ? '' : html`<h2>Dismissed</h2><ul class="cards">${dismissed.map(one => card(one, shown))}</ul>`}`
}

type Shown = { moment: (time: number) => string; decides: boolean; nameOf: (actor: string) => string; now: number }

function card(one: UnfiledEntry, { moment, decides, nameOf, now }: Shown): Html {
  const { id, kind, receivedAt, dismissedAt, dueAt } = one
  const { fields, unread } = fieldsSent(one)
  const name = [fields['firstName'], fields['lastName']].filter(Boolean).join(' ') || `Inquiry ${id}`
  const why =
    dismissedAt === null
      ? html`<p>${one.note}</p><p class="quiet small">${one.attempts} attempts. The next one is ${dueAt === null || dueAt <= now ? 'now' : moment(dueAt)}.</p>`
      : html`<p>${dismissedInWords(one.note, nameOf)}, ${moment(dismissedAt)}</p>`
  return html`<li class="panel quarantined"><div class="quarantined-who"><h2>${name}</h2><p class="quiet small">${
    kind === 'site' ? 'Site' : 'Student'
  }, ${moment(receivedAt)}</p></div>
<div class="quarantined-what"><h3>What was sent</h3><dl class="facts small">${Object.entries(fields).map(
    ([label, value]) => html`<dt>${label}</dt><dd dir="auto">${value}</dd>`,
  )}</dl>${unread === '' ? '' : html`<blockquote dir="auto">${unread}</blockquote>`}</div>
<div class="quarantined-why"><h3>${dismissedAt === null ? 'Why it fails' : 'Dismissed'}</h3>${why}${decides ? buttons(one, name) : ''}</div></li>`
}

function dismissedInWords(note: string, nameOf: Shown['nameOf']): string {
  const [, actor = '', reason = ''] = /^(.*): ([a-z-]+)$/.exec(note) ?? []
  return `${unfiledReasons[reason as UnfiledReason] ?? note} (${nameOf(actor)})`
}

const buttons = ({ id, kind, dismissedAt }: UnfiledEntry, name: string): Html =>
  html`<form method="post" action="/quarantine/unfiled">${hidden({ id })}
<div class="actions"><button class="secondary small" name="do" value="again" aria-label="Try again: ${name}">Try again</button>${
    dismissedAt === null
      ? html`<a class="button secondary small" href="/leads/add?kind=${kind}&amp;unfiled=${id}" aria-label="Add ${name} by hand">Add by hand</a></div>
<div class="inline"><label class="hidden" for="reason-${id}">Reason for dismissing it</label><select id="reason-${id}" name="reason">${option('', 'Reason for dismissing it', true)}${Object.entries(unfiledReasons).map(([code, words]) => option(code, words, false))}</select>
<button class="secondary small" name="do" value="dismiss" aria-label="Dismiss ${name}">Dismiss</button></div>`
      : html`</div>`
  }</form>`

async function decide(c: ConsoleContext, deps: ConsoleDeps, fields: Record<string, string | undefined>) {
  const id = numberOf(fields['id'])
  const what = fields['do']
  if (id === undefined || (what !== 'again' && what !== 'dismiss'))
    throw new ConsoleError(422, 'Choose to try again or to dismiss.')
  const by = byOperator(c)
  const result =
    what === 'again'
      ? await fileAgain(deps, id, {}, by)
      : await dismissUnfiled(deps, id, { reason: fields['reason'] ?? '' }, by)
  if (result.outcome === 'invalid') throw new ConsoleError(422, result.problem)
  c.get('frame').mailTrouble.forget()
  const done = what === 'again' ? 'We are trying again now.' : 'Dismissed. What was sent stays below.'
  return redirect(c, UNFILED, {
    text: result.outcome === 'done' ? done : 'Nothing changed: it is being filed, or is filed.',
  })
}
