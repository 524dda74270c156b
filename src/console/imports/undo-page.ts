/** Asks whether to undo an import, and says what would be deleted and what would stay. */
import { html } from 'hono/html'
import { counted } from '../../leads/body/tidy-text.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { page } from '../frame/layout.ts'

export function undoPage(c: ConsoleContext, { id, state, plan, purpose, fileName, counts }: Import) {
  const source = plan?.source ?? fileName
  return page(
    c,
    { title: `Undo the import of ${source}?`, current: '/import' },
    html`<form method="post" action="/import/${id}/undo" class="panel">
${state === 'running' ? html`<p>The import stops.</p>` : ''}
${
  purpose === 'status'
    ? html`<p><strong>What goes back:</strong> ${counted(counts.moved, 'lead')}, with the follow-up that was stopped.</p>
<p><strong>What stays:</strong> leads that someone has changed since. The page names them afterward. Files with these columns that come into the folder of status lists are not imported until someone has imported one by hand.</p>`
    : html`<p><strong>What goes:</strong> ${counted(counts.opened, 'lead')} that it opened, with their notes and tags${counts.joined === 0 ? '' : html`, and ${counted(counts.joined, 'row')} that it added to leads that were there before`}.</p>
<p><strong>What stays:</strong> leads that someone has worked on since, of people who wrote in, or who got an email. The page names them afterward. Other leads stay as they are, and you can upload the list again.</p>`
}
<div class="actions"><button class="danger">Undo the import</button><a class="button secondary" href="/import/${id}">Cancel</a></div>
</form>`,
  )
}
