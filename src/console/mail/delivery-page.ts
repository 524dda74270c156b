/** Delivery: every message of the outbox with its state and the mail server's own words, and what to do about it. */
import { html, raw } from 'hono/html'
import { MAIL_TO_FILES } from '../../config/configuration-notes.ts'
import { createShortDateFormat } from '../../content/date-format.ts'
import { capital, counted } from '../../leads/body/tidy-text.ts'
import type { DeliveryRow } from '../../store/outbox/delivery-list.ts'
import type { MailState } from '../../store/outbox/outbox.ts'
import { isToPerson } from '../../store/tables/task-kinds.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { kindInWords } from '../../tasks/message-kinds.ts'
import { nightlyResults } from '../export/nightly-results.ts'
import { may } from '../frame/access.ts'
import { audit, auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { emailDocument, noEmailDocument } from '../frame/email-document.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { formOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { positionText, readPosition } from '../lists/inbox-filter.ts'
import { stateInList, stateOf } from './mail-state.ts'

export const deliveryRoutes: ConsoleRoute[] = [
  get('/delivery', 'see delivery', deliveryPage, { menu: 'Delivery' }),
  get('/delivery/:id{[0-9]{1,15}}', 'see delivery', messagePage),
  get('/delivery/:id{[0-9]{1,15}}/email', 'see delivery', emailAsSent),
  post('/delivery', 'repair delivery', async (c, deps) => repair(c, deps, await formOf(c))),
]

async function emailAsSent(c: ConsoleContext, deps: ConsoleDeps) {
  const task = await readTask(c, deps)
  const message = await deps.conversations.messageOf(task)
  const [row] = await deps.store.withLeads([task])
  await audit(c, 'opened an email', { leadId: row?.lead?.id, detail: kindInWords(task) })
  return 'content' in message ? emailDocument(c, message.content) : noEmailDocument(c, message.unknown)
}

const states = {
  failed: 'Failed',
  retrying: 'Retrying',
  queued: 'Queued',
  sent: 'Sent',
  skipped: 'Not sent',
  acknowledged: 'Acknowledged',
} as const satisfies Record<MailState, string>

const nothing: Record<MailState, string> = {
  failed: 'No message has failed. Everything arrives.',
  retrying: 'No message is waiting for another attempt.',
  queued: 'Nothing is waiting to be sent.',
  sent: 'Nothing has been sent yet.',
  skipped: 'No message was left unsent.',
  acknowledged: 'No one has acknowledged a failure.',
}

const PAGE = 50

async function deliveryPage(c: ConsoleContext, { store, settings, config, clock }: ConsoleDeps) {
  const now = clock.now()
  const { mailRetrying, mailFailedToStaff, mailFailedToStudents } = await c.get('frame').mailTrouble.backlog()
  const failed = mailFailedToStaff + mailFailedToStudents
  const first = failed > 0 ? 'failed' : mailRetrying > 0 ? 'retrying' : 'sent'
  const asked = c.req.query('state') ?? first
  const state = Object.hasOwn(states, asked) ? (asked as MailState) : first
  const before = readPosition(c.req.query('before'))
  const found = await store.listDelivery({ state, before, limit: PAGE + 1 })
  const shown = found.slice(0, PAGE)
  const last = shown.at(-1)?.task
  const older =
    last === undefined || found.length <= PAGE
      ? ''
      : html`<p class="more"><a href="/delivery?state=${state}&amp;before=${positionText({ at: last.finished_at ?? 0, id: last.id })}">Older</a></p>`
  const shortDate = createShortDateFormat(settings.school)
  const counts: Partial<Record<MailState, number>> = { failed, retrying: mailRetrying }
  const tabs = Object.entries(states).map(
    ([id, title]) =>
      html`<a href="/delivery?state=${id}"${id === state ? raw(' aria-current="page"') : ''}>${title}${
        counts[id as MailState] ? html` <span class="count">${counts[id as MailState]}</span>` : ''
      }</a>`,
  )
  const repairs = may(c.get('operator'), 'repair delivery')
  const rows = shown.map(row => messageRow(row, { now, repairs, moment: time => shortDate(time, now) }))
  const all =
    repairs && state === 'failed' && shown.length > 0
      ? html`<form method="post" action="/delivery" class="actions"><button class="secondary small" name="do" value="retry">Retry all</button><button class="secondary small" name="do" value="acknowledge">Acknowledge all</button></form>`
      : undefined
  return page(
    c,
    { title: 'Delivery', current: '/delivery', width: 'wide', ...(all && { beside: all }) },
    html`<nav class="tabs" aria-label="State">${tabs}</nav>
${config.smtpUrl === undefined ? html`<p class="quiet">${MAIL_TO_FILES}</p>` : ''}${
  shown.length === 0
    ? html`<div class="empty"><h2>${nothing[state]}</h2></div>`
    : html`<ul class="cards mails">${rows}</ul>`
}${older}${await nightlyResults(c)}`,
  )
}

type Shown = { now: number; repairs: boolean; moment: (time: number) => string }

function messageRow({ task, lead }: DeliveryRow, { now, repairs, moment }: Shown): Html {
  const bad = task.state === 'dead' || (task.state === 'due' && task.note !== null)
  const words = stateInList(task, now, moment)
  return html`<li class="mail-row"><div><p><a href="/delivery/${task.id}">${kindInWords(task)}</a></p><p>${people(task, lead)}</p><p class="delivery${bad ? ' bad' : ''}">${
    task.finished_at === null
      ? words
      : html`<time datetime="${new Date(task.finished_at).toISOString()}">${words}</time>`
  }</p></div>${repairs ? buttonsFor(task) : ''}</li>`
}

/** Who gets the message, and who it is about. For a message to the school, the recipient is known once it was sent. */
function people(task: Task, lead: DeliveryRow['lead']): string {
  if (isToPerson(task)) return lead === null ? '' : `To ${lead.name}`
  const to = task.state === 'done' && task.note !== null ? [`to ${task.note}`] : []
  return capital([...to, ...(lead === null ? [] : [`about ${lead.name}`])].join(', '))
}

function buttonsFor(task: Task): Html {
  const waits = task.state === 'due' || (task.state === 'dead' && task.acknowledged_at !== null)
  const failed = task.state === 'dead' && task.acknowledged_at === null
  if (!waits && !failed) return html``
  return html`<form method="post" action="/delivery" class="actions">${hidden({ id: task.id })}<button class="secondary small" name="do" value="retry">${task.state === 'due' ? 'Send now' : 'Retry'}</button>${
    failed ? html`<button class="secondary small" name="do" value="acknowledge">Acknowledge</button>` : ''
  }</form>`
}

const readTask = async (c: ConsoleContext, { store }: ConsoleDeps): Promise<Task> =>
  existing('message', await store.readMail(idIn(c)))

async function messagePage(c: ConsoleContext, deps: ConsoleDeps) {
  const { store, settings, clock, conversations } = deps
  const task = await readTask(c, deps)
  const message = await conversations.messageOf(task)
  const [row] = await store.withLeads([task])
  const now = clock.now()
  const shortDate = createShortDateFormat(settings.school)
  const words = stateOf(task, now, time => shortDate(time, now))
  const lead = row?.lead ?? null
  const back = html`<p class="back"><a href="/delivery">Back to delivery</a>${lead === null ? '' : html`<a href="/leads/${lead.id}">${lead.name}</a>`}</p>`
  const repairs = may(c.get('operator'), 'repair delivery')
  return page(
    c,
    { title: kindInWords(task), current: '/delivery' },
    html`${back}<section class="panel"><p class="delivery${task.state === 'dead' ? ' bad' : ''}">${words}</p>
<dl class="facts"><dt>Attempts</dt><dd>${task.attempts}</dd>${
      'content' in message
        ? html`<dt>To</dt><dd>${message.content.to.name} ${message.content.to.address}</dd><dt>Subject</dt><dd>${message.content.subject}</dd>`
        : ''
    }</dl>${repairs ? buttonsFor(task) : ''}</section>
<section class="panel preview"><h2>What it says</h2>${
      'content' in message
        ? html`<iframe src="/delivery/${task.id}/email" title="The email as its recipient sees it"></iframe>
<details><summary>As plain text</summary><blockquote dir="auto">${message.content.text.trim()}</blockquote></details>`
        : html`<p class="quiet">${message.unknown}</p>`
    }</section>
${task.state === 'dead' || (task.state !== 'done' && task.note !== null) ? whereToMend(task, lead) : ''}`,
  )
}

/** Where to correct the address, which depends on whose it is. */
const whereToMend = (task: Task, lead: DeliveryRow['lead']): Html =>
  html`<section class="panel"><h2>If the address is wrong</h2><p>${
    isToPerson(task) && lead !== null
      ? html`The person gave this address. <a href="/leads/${lead.id}">Call them</a>, then <a href="/leads/${lead.id}/correct">correct it</a>: what failed can be sent again to the new address.`
      : 'Addresses of counselors and the manager are under Team; a manager corrects them there. Those of the teams are in the environment: correct them there, and restart. Then retry.'
  }</p></section>`

async function repair(c: ConsoleContext, { store, clock, changed }: ConsoleDeps, form: FormData) {
  const id = numberOf(String(form.get('id')))
  const asked = form.get('do')
  const retries = asked === 'retry'
  // A missing id means all messages, so an invalid id must be an error.
  if ((!retries && asked !== 'acknowledge') || (form.has('id') && id === undefined)) {
    throw new ConsoleError(422, 'Choose to retry or to acknowledge.')
  }
  const which = id === undefined ? ('failed' as const) : [id]
  const by = { now: clock.now(), audit: auditEntries(c, `${retries ? 'retried' : 'acknowledged'} mail`) }
  const count = retries ? await store.retryMail(which, by) : await store.acknowledgeMail(which, by)
  changed()
  c.get('frame').mailTrouble.forget()
  const messages = counted(count, 'message')
  const text = retries ? `${messages}: the next attempt begins now.` : `${messages} acknowledged.`
  return redirect(c, '/delivery', { text: count === 0 ? 'Nothing changed: it was sent, or is being sent.' : text })
}
