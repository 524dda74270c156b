/** Shows the keys of a destination, once. `overlap`: for how long the previous keys also sign. */
import { html } from 'hono/html'
import { durationInWords } from '../../content/date-format.ts'
import type { DestinationKind } from '../../destinations/destination-kind.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { page } from '../frame/layout.ts'

const LIST = '/destinations'

type ShownKeys = ReturnType<NonNullable<DestinationKind['keys']>['shown']>

export const keysPage = (c: ConsoleContext, id: number, keys: ShownKeys, { overlap }: { overlap?: number } = {}) =>
  page(
    c,
    { title: 'Keys of the destination', current: LIST },
    html`<section class="panel" data-received>
<p>Give the receiver one of these, so that it can verify that an event comes from here. The secret is not shown again.</p>
${keys.map(({ label, value }) => html`<p>${label}:<br><code>${value}</code></p>`)}
${overlap === undefined ? '' : html`<p>The previous keys also sign for ${durationInWords(overlap)}.</p>`}
<p><a class="button" href="${LIST}/${id}">I have saved it</a></p>
</section>`,
  )
