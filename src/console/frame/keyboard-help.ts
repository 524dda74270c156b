/** The dialog that lists the keys of a page; `?` opens it. */
import { html } from 'hono/html'
import type { Html } from './layout.ts'

export const keyboardHelp = (keys: readonly [key: string, does: string][]): Html =>
  html`<dialog class="keys" data-keys aria-labelledby="keys-title"><h2 id="keys-title">Keyboard</h2>
<dl>${keys.map(([key, does]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`)}</dl>
<form method="dialog" class="actions"><button>Close</button><a href="/account">Turn them off</a></form></dialog>`
