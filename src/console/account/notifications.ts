/** The page on which operators choose how they are notified, and see what their browser has shown. */
import { html, raw } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { HOUR, MINUTE } from '../../platform/time.ts'
import { isPushService } from '../../push/web-push.ts'
import { MOST_SUBSCRIPTIONS, type NoticeChoices, type NoticeWay } from '../../store/operators/browser-notices.ts'
import { auditEntries } from '../frame/audit.ts'
import { browserName } from '../frame/browser-name.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { checkbox, fieldsOf, numberOf, option } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'

const ACCOUNT = '/account'
const PATH = `${ACCOUNT}/notifications`
const ACTION = 'use own account'

/** When a browser wakes up, it shows the notifications from this time, in milliseconds, and at most this many. */
const STILL_NEW = 15 * MINUTE
const SHOWN_AT_ONCE = 3

const LISTED = 20

const ways: Record<NoticeWay, { title: string; hint: string }> = {
  'at once': { title: 'An email right away', hint: 'Your browser notifies you, too, if it is on.' },
  daily: {
    title: 'One email a day',
    hint: 'In the morning, with everything since the last one. Reminders and replies still come right away.',
  },
  browser: {
    title: 'In the browser, without an email',
    hint: 'In quiet hours, while you are signed out, and if no browser of yours can be reached, you get an email.',
  },
}

export const notificationRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, notificationsPage),
  post(PATH, ACTION, saveChoices),
  post(`${PATH}/browsers`, ACTION, turnOn),
  post(`${PATH}/browsers/remove`, ACTION, turnOff),
  get(`${PATH}/latest`, ACTION, latestNotices),
]

async function saveChoices(c: ConsoleContext, { store }: ConsoleDeps) {
  const choices = choicesIn(await fieldsOf(c))
  const audit = auditEntries(c, 'chose their notifications', { detail: `email: ${choices.email}` })
  await store.saveNoticeChoices(c.get('operator').id, choices, audit)
  return redirect(c, PATH, { text: 'Saved.' })
}

async function turnOn(c: ConsoleContext, { store, clock, push }: ConsoleDeps) {
  const { endpoint = '' } = await fieldsOf(c)
  if (!isPushService(endpoint))
    throw new ConsoleError(422, 'This browser uses a notification service that we do not support.')
  const browser = browserName(c.req.header('user-agent') ?? '')
  const { id } = c.get('operator')
  const audit = auditEntries(c, 'turned notifications on', { detail: browser })
  if (!(await store.addPushSubscription(id, { endpoint, browser, now: clock.now() }, audit)))
    throw new ConsoleError(409, `At most ${MOST_SUBSCRIPTIONS} browsers can be on. Turn one off first.`)
  void push.wake(endpoint)
  return redirect(c, PATH, {
    text: 'This browser notifies you from now on. A first notification should appear in a moment.',
  })
}

async function turnOff(c: ConsoleContext, { store }: ConsoleDeps) {
  const id = numberOf((await fieldsOf(c))['id']) ?? 0
  const which = { operatorId: c.get('operator').id, id }
  await store.removePushSubscription(which, auditEntries(c, 'turned notifications off'))
  return redirect(c, PATH, { text: 'That browser is off.' })
}

async function latestNotices(c: ConsoleContext, { clock }: ConsoleDeps) {
  const since = clock.now() - STILL_NEW
  const notices = await readNotices(c, { since, limit: SHOWN_AT_ONCE })
  return c.json(notices.map(({ what, url, taskId }) => ({ ...inTwoLines(what), url, tag: `${taskId}` })))
}

/** Splits `New student inquiry: Ana Ruiz, Texas` into two lines, as browsers show it. */
function inTwoLines(what: string): { title: string; body?: string } {
  const [, title, body] = /^(New \w+ inquiry): (.*)$/.exec(what) ?? []
  return title === undefined || body === undefined ? { title: what } : { title, body }
}

/** The choices of the form. Throws a ConsoleError with status 422 for a choice that the page does not offer. */
function choicesIn(sent: Record<string, string | undefined>): NoticeChoices {
  const email = sent['email'] ?? ''
  const [quietFrom, quietTo] = [numberOf(sent['quietFrom']), numberOf(sent['quietTo'])]
  const hours = quietFrom !== undefined && quietTo !== undefined && quietFrom < 24 && quietTo < 24
  if (!Object.hasOwn(ways, email) || !hours)
    throw new ConsoleError(422, 'Choose how to be notified. Quiet hours begin and end at an hour from 0 to 23.')
  const unassigned = sent['unassigned'] === 'on'
  return { email: email as NoticeWay, unassigned, quietFrom, quietTo }
}

async function notificationsPage(c: ConsoleContext) {
  const { store, clock, push, settings } = c.get('frame').deps
  const { id, counselor } = c.get('operator')
  const now = clock.now()
  const choices = await store.readNoticeChoices(id)
  const browsers = await store.listPushSubscriptions(id)
  const notices = await readNotices(c, { since: 0, limit: LISTED })
  const shortDate = createShortDateFormat(settings.school)
  return page(
    c,
    { title: 'Notifications', current: ACCOUNT },
    html`<form method="post" action="${PATH}" class="panel"><h2>New leads, replies and hand-overs</h2>
${counselor === undefined ? html`<p>You are not a counselor, so none of the leads are yours. If you become one, your choice here applies.</p>` : ''}
<p>Reminders that someone is still waiting, and warnings, always come by email.</p>
<fieldset><legend class="hidden">How you learn of them</legend>
${Object.entries(ways).map(([value, { title, hint }]) => wayChoice(value, title, hint, value === choices.email))}
</fieldset>
${checkbox('unassigned', 'Also notify my browser of new leads without a counselor', choices.unassigned)}
<fieldset><legend>Quiet hours of your browser</legend>
<div class="inline"><div><label for="quietFrom">From</label>${hourChoice('quietFrom', choices.quietFrom)}</div>
<div><label for="quietTo">To</label>${hourChoice('quietTo', choices.quietTo)}</div></div>
<p class="hint">In the time zone ${settings.school.timeZone}. For none, choose the same hour twice.</p></fieldset>
<button>Save</button></form>
<section class="panel"><h2>Browsers</h2>
<p>The company that makes your browser sees that you get a notification, but not what it says.</p>
${browsers.length === 0 ? html`<p>Notifications are not on in any browser.</p>` : html`<ul class="plain-list">${browsers.map(one => browserRow(one, shortDate(one.createdAt, now)))}</ul>`}
<form method="post" action="${PATH}/browsers" data-push="${await push.publicKey()}" hidden>
<input type="hidden" name="endpoint"><button class="secondary">Turn on in this browser</button>
<p class="problem" data-push-denied hidden>Your browser blocks notifications. Allow them for this site in its settings, then try again.</p>
<p class="problem" data-push-away hidden>Your browser cannot reach its notification service. Check your connection and the settings of the browser, then try again.</p></form>
<p class="hint" data-no-push>This needs a browser with notifications. On an iPhone, first add this site to the Home Screen.</p></section>
<section class="panel"><h2>The latest</h2>
${notices.length === 0 ? html`<p>This lists what your browser has shown and what your next digest will contain.</p>` : html`<ul class="plain-list">${notices.map(({ what, url, at }) => html`<li><a href="${url}">${what}</a><span class="quiet small">${shortDate(at, now)}</span></li>`)}</ul>`}
</section>`,
  )
}

const wayChoice = (value: string, title: string, hint: string, checked: boolean): Html => {
  const id = `email-${value.replaceAll(' ', '-')}`
  return html`<p class="check"><input type="radio" id="${id}" name="email" value="${value}" aria-describedby="${id}-hint" ${checked ? raw('checked') : ''}>
<label for="${id}">${title}<br><span class="quiet small" id="${id}-hint">${hint}</span></label></p>`
}

const hourChoice = (name: string, chosen: number): Html =>
  html`<select id="${name}" name="${name}">${Array.from({ length: 24 }, (_, hour) =>
    option(hour, hourFormat.format(hour * HOUR), hour === chosen),
  )}</select>`

const hourFormat = new Intl.DateTimeFormat('en-US', { hour: 'numeric', timeZone: 'UTC' })

const browserRow = ({ id, browser }: { id: number; browser: string }, since: string): Html =>
  html`<li><span>${browser}<br><span class="quiet small">since ${since}</span></span>
<form method="post" action="${PATH}/browsers/remove">${hidden({ id })}
<button class="secondary small">Turn off<span class="hidden"> ${browser}</span></button></form></li>`

type NoticeInWords = { taskId: number; at: number; what: string; url: string }

/**
 * What an operator was told in the browser or in a digest, newest first. Each notice has the words of the email that it
 * replaced. Notices about people who have been erased are left out.
 */
async function readNotices(c: ConsoleContext, page: { since: number; limit: number }): Promise<NoticeInWords[]> {
  const { store, conversations } = c.get('frame').deps
  const notices = await store.listNotices(c.get('operator').id, page)
  const read = notices.map(async ({ taskId, at }) => {
    const task = await store.readMail(taskId)
    const found = task && (await conversations.messageOf(task))
    if (found === undefined || !('content' in found)) return []
    const { subject, lead } = found.content
    return [{ taskId, at, what: subject, url: lead ? `/leads/${lead.id}` : '/inbox' }]
  })
  return (await Promise.all(read)).flat()
}
