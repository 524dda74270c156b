/** Shows the key of a source, once. */
import { html } from 'hono/html'
import { durationInWords } from '../../content/date-format.ts'
import { SOURCES } from '../../http/urls.ts'
import { FORMER_KEY, type SourceKind } from '../../leads/source/lead-source.ts'
import { newSecret } from '../../platform/secret.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { page } from '../frame/layout.ts'

/** A new key, at most 50 characters long, as Google requires. */
export const newKey = (): string => `src_${newSecret()}`

type ShownKey = { id: number; kind: SourceKind; key: string; renewed?: boolean }

export const sourceKeyPage = (c: ConsoleContext, { id, kind, key, renewed = false }: ShownKey) =>
  page(
    c,
    { title: 'Key of the source', current: '/sources' },
    html`<section class="panel" data-received>
<p>Its posts go to this URL, which has the key in it. It is not shown again.</p>
<p>${kind === 'google' ? 'Webhook URL' : 'URL'}:<br><code>${c.get('frame').deps.config.consoleUrl}${SOURCES}${key}</code></p>
${kind === 'google' ? html`<p>Key:<br><code>${key}</code></p><p>In Google Ads, enter both under <em>Other data integration options</em> of the lead form, and press <em>Send test data</em>.</p>` : ''}
${renewed ? html`<p>The previous key works for ${durationInWords(FORMER_KEY)} more, so that nothing is lost until the source has the new one. If someone else knows it, replace the key once more: only the last two work.</p>` : ''}
<p><a class="button" href="/sources/${id}/edit">I have saved it</a></p>
</section>`,
  )
