/** The pages that say what went wrong, and what to do. */
import { html } from 'hono/html'
import { StoreUnavailable } from '../../store/acceptance/store-unavailable.ts'
import { type ConsoleContext, opensPage } from './context.ts'
import { errorPage } from './layout.ts'
import { formToSend, unsentForm } from './unsent-form.ts'

/** Thrown when too many people try to sign in at once. */
export class TooManySignIns extends Error {}

/** Thrown by a page; the response shows its message. */
export class ConsoleError extends Error {
  readonly status: 400 | 404 | 409 | 413 | 422 | 429
  constructor(status: ConsoleError['status'], message: string) {
    super(message)
    this.status = status
  }
}

/** What a page throws if something does not exist; `reason` is a sentence. */
export const doesNotExist = (what: string, reason = ''): ConsoleError =>
  new ConsoleError(404, `This ${what} does not exist. ${reason}`.trim())

/** Returns the thing that a page is about. If it is undefined, throws that it does not exist. */
export function existing<T>(what: string, found: T | undefined, reason?: string): T {
  if (found === undefined) throw doesNotExist(what, reason)
  return found
}

const back = html`<p><a class="button secondary" href="/">Go to the start page</a></p>`

export function notFound(c: ConsoleContext) {
  // Only pages with a number in their path may have existed before.
  const erased = /\/\d+(\/|$)/.test(c.req.path) ? ' What it showed may have been erased.' : ''
  return errorPage(c, { title: 'Page not found', status: 404 }, html`<p>This page does not exist.${erased}</p>${back}`)
}

export const forbidden = (c: ConsoleContext) =>
  errorPage(
    c,
    { title: 'Not allowed', status: 403 },
    html`<p>Your role, ${c.get('operator').role}, does not allow this. An admin can change it under Operators.</p>${back}`,
  )

export const needsFactor = (c: ConsoleContext) =>
  errorPage(
    c,
    { title: 'Set up a second factor first', status: 403 },
    html`<p>Nothing was changed: your role needs a passkey or an authenticator app. Set one up, then do this again.</p>
<p><a class="button" href="/account">Go to your account</a></p>`,
  )

export const fromElsewhere = (c: ConsoleContext) =>
  errorPage(
    c,
    { title: 'Not sent from the console', status: 403 },
    html`<p>Nothing was changed: the browser did not say that this form comes from a page in the console. Open the page again and send the form from there.</p>
<p>If this happens every time, CONSOLE_URL is not the URL at which you open the console.</p>${back}`,
  )

export const tooLarge = (c: ConsoleContext) =>
  errorPage(
    c,
    { title: 'Too large', status: 413 },
    html`<p>Nothing was changed: what you sent is too large. Send less at once.</p>${back}`,
  )

export function encoded(c: ConsoleContext) {
  c.header('Accept-Encoding', 'identity')
  return errorPage(
    c,
    { title: 'Not readable', status: 415 },
    html`<p>Nothing was changed: the console reads forms only without Content-Encoding.</p>${back}`,
  )
}

export function somethingFailed(c: ConsoleContext, error: Error) {
  if (error instanceof ConsoleError) {
    const { status, message } = error
    return errorPage(c, { title: 'This did not work', status }, html`<p>${message}</p>${back}`)
  }
  if (error instanceof TooManySignIns) {
    c.header('Retry-After', '5')
    return errorPage(
      c,
      { title: 'One moment', status: 503 },
      html`<p>Too many people are signing in at once. Try again in a few seconds.</p>`,
    )
  }
  if (error instanceof StoreUnavailable) return databaseAway(c)
  // The client left or was cut off while it sent its request: no one reads this page, and nothing is wrong here.
  const { errored, complete } = c.env.incoming
  if (errored !== null && !complete)
    return errorPage(c, { title: 'Not received', status: 400 }, html`<p>What you sent did not arrive in full.</p>`)
  c.get('frame').deps.log.error({ err: error, path: c.req.routePath }, 'a page of the console failed')
  return errorPage(
    c,
    { title: 'Something failed', status: 500 },
    html`<p>This is a defect in the program, not a mistake of yours. Its log has the details. Nothing else is affected.</p>${back}`,
  )
}

/** A page that was only opened tries again automatically. A form is sent again only if the person does so. */
async function databaseAway(c: ConsoleContext) {
  const opened = opensPage(c)
  const form = opened ? undefined : formToSend(await unsentForm(c), 'Send it again')
  c.header('Retry-After', '5')
  return errorPage(
    c,
    { title: 'The database is unavailable', status: 503, ...(opened ? { refresh: 5 } : {}) },
    opened
      ? html`<p>The console cannot reach its database. This page tries again every five seconds.</p>`
      : html`<p>The console cannot reach its database, so it may not have saved this. ${form === undefined ? 'Go back, and send it again in a moment.' : 'Wait a moment, then send it again.'}</p>${form ?? ''}`,
  )
}
