/** Signing in and out. */
import { html } from 'hono/html'
import { parseEmail } from '../leads/email.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from './context.ts'
import { fieldsOf } from './fields.ts'
import { isLocal, redirect } from './flash.ts'
import { cardPage } from './layout.ts'
import { verifyPassword } from './passwords.ts'
import { beginSession, leaveSession } from './session-cookie.ts'

const START = '/inbox'

export const signInRoutes = ({ store }: ConsoleDeps): ConsoleRoute[] => [
  { method: 'GET', path: '/', action: 'use own account', handle: c => c.redirect(START, 303) },
  {
    method: 'GET',
    path: '/sign-in',
    action: 'anyone',
    handle: c => signInPage(c, { next: c.req.query('next') }),
  },
  {
    method: 'POST',
    path: '/sign-in',
    action: 'anyone',
    handle: async c => {
      const { email = '', password = '', next } = await fieldsOf(c)
      const address = parseEmail(email.trim())
      const found = address && (await store.findOperator(address))
      const isRight = await verifyPassword(password, found?.password ?? null)
      if (!isRight || found === undefined || found.operator.disabled) {
        return signInPage(c, { next, email, problem: 'The email or the password is not right.' })
      }
      await beginSession(c, found.operator.id)
      return redirect(c, isLocal(next) ? next : START)
    },
  },
  {
    method: 'POST',
    path: '/sign-out',
    action: 'use own account',
    handle: async c => {
      await leaveSession(c, c.get('operator').id)
      return redirect(c, '/sign-in', { text: 'You are signed out.' })
    },
  },
]

/** Sends someone who is not signed in to sign in first; then they get the page that they wanted. */
export function toSignIn(c: ConsoleContext): Response | Promise<Response> {
  const { pathname, search } = new URL(c.req.url)
  const next = c.req.method === 'GET' && pathname !== '/' ? `${pathname}${search}` : undefined
  return c.redirect(
    next === undefined ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`,
    303,
  )
}

type Entered = { next: string | undefined; email?: string; problem?: string }

function signInPage(c: ConsoleContext, { next, email = '', problem }: Entered) {
  return cardPage(
    c,
    { title: 'Sign in', status: problem === undefined ? 200 : 422 },
    html`<form method="post" action="/sign-in" class="stack">
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${next === undefined ? '' : html`<input type="hidden" name="next" value="${next}">`}
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>
<p class="beside-form"><a href="/forgotten">I forgot my password</a></p>`,
  )
}
