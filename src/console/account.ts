/** The page on which operators look after their own account. */
import { html } from 'hono/html'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from './context.ts'
import { fieldsOf } from './fields.ts'
import { redirect } from './flash.ts'
import { page } from './layout.ts'

export const accountRoutes = ({ store }: ConsoleDeps): ConsoleRoute[] => [
  { method: 'GET', path: '/account', action: 'use own account', handle: accountPage },
  {
    method: 'POST',
    path: '/account/shortcuts',
    action: 'use own account',
    handle: async c => {
      const on = (await fieldsOf(c))['shortcuts'] === 'on'
      await store.setShortcuts(c.get('operator').id, on)
      return redirect(c, '/account', {
        text: on ? 'Keyboard shortcuts are on.' : 'Keyboard shortcuts are off.',
      })
    },
  },
]

function accountPage(c: ConsoleContext) {
  const { name, email, role, shortcuts } = c.get('operator')
  return page(
    c,
    { title: 'Your account', current: '/account' },
    html`<section class="panel">
<dl class="facts"><dt>Name</dt><dd>${name}</dd><dt>Email</dt><dd>${email}</dd><dt>Role</dt><dd>${role}</dd></dl>
</section>
<section class="panel"><h2>Keyboard shortcuts</h2>
<p>With shortcuts on, single keys such as <kbd>j</kbd> and <kbd>k</kbd> act in lists. Turn them off if you dictate, or press keys by accident.</p>
<form method="post" action="/account/shortcuts">
<input type="hidden" name="shortcuts" value="${shortcuts ? 'off' : 'on'}">
<button class="secondary">Turn shortcuts ${shortcuts ? 'off' : 'on'}</button>
</form></section>`,
  )
}
