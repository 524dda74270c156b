/** Tags for managers: how many leads have each tag, and renaming or deleting a tag for all of them. */
import { html } from 'hono/html'
import { LONGEST_TAG, readTag } from '../../leads/lead/labels.ts'
import { programNames } from '../../leads/lead/programs.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf } from '../frame/form-fields.ts'
import { page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'

const PATH = '/tags'
const MOST_COUNTED = 999

export const tagRoutes: ConsoleRoute[] = [
  get(PATH, 'edit tags', tagsPage),
  post('/tags/:id{[0-9]{1,15}}', 'edit tags', renameTag),
  post('/tags/:id{[0-9]{1,15}}/delete', 'edit tags', deleteTag),
]

async function renameTag(c: ConsoleContext, { store }: ConsoleDeps) {
  const id = idIn(c)
  const before = await store.findLabel(id)
  if (before?.kind !== 'tag') return redirect(c, PATH, { text: 'This tag no longer exists.' })
  const tag = readTag((await fieldsOf(c))['name'] ?? '')
  if ('problem' in tag) throw new ConsoleError(422, tag.problem)
  const outcome = await store.renameTag(id, tag.name, auditEntries(c, 'renamed a tag', { detail: `tag ${id}` }))
  if (outcome === 'taken') {
    const text = `There is already a tag “${tag.name}”. Choose another name, or delete one of the two.`
    return redirect(c, PATH, { text })
  }
  if (outcome === 'gone') return redirect(c, PATH, { text: 'This tag no longer exists.' })
  return redirect(c, PATH, {
    text: `“${before.name}” is now “${tag.name}”.`,
    undo: { path: `${PATH}/${id}`, fields: { name: before.name } },
  })
}

async function deleteTag(c: ConsoleContext, { store }: ConsoleDeps) {
  const id = idIn(c)
  const before = await store.findLabel(id)
  const audit = auditEntries(c, 'deleted a tag', { detail: `tag ${id}` })
  if (before === undefined || !(await store.deleteTag(id, audit)))
    return redirect(c, PATH, { text: 'This tag no longer exists.' })
  return redirect(c, PATH, { text: `The tag “${before.name}” is deleted.` })
}

async function tagsPage(c: ConsoleContext) {
  const { store, settings } = c.get('frame').deps
  const tags = await store.listLabels('tag')
  const counts = await store.countLabeled(
    tags.map(({ id }) => id),
    MOST_COUNTED + 1,
  )
  const countOf = (id: number) => {
    const count = counts.get(id) ?? 0
    return count > MOST_COUNTED ? `${MOST_COUNTED}+` : String(count)
  }
  const row = ({ id, name }: { id: number; name: string }) => html`<tr>
<td><form method="post" action="${PATH}/${id}" class="inline compact"><input name="name" value="${name}" required maxlength="${LONGEST_TAG}" aria-label="Name of ${name}" autocomplete="off"><button class="secondary small">Rename</button></form></td>
<td><span class="cell-label">Leads</span><a href="/inbox?tag=${id}&amp;stage=any">${countOf(id)} <span class="hidden">leads with ${name}</span></a></td>
<td><details><summary>Delete</summary><form method="post" action="${PATH}/${id}/delete"><p class="hint">It is removed from all leads. This cannot be undone.</p><button class="danger small" aria-label="Delete ${name}">Delete</button></form></details></td></tr>`
  const programs = html`<p class="quiet">A lead also shows which programs the person is interested in. The settings file lists the programs${programNames(settings).length === 0 ? ': none so far' : ''}.</p>`
  return page(
    c,
    { title: 'Tags', current: '/inbox' },
    html`${
      tags.length === 0
        ? html`<div class="empty"><h2>No tags yet</h2><p>Type one on the page of a lead, or select leads in the <a href="/inbox">inbox</a> and tag them all.</p></div>`
        : html`<p>A tag is made when someone types it on the page of a lead or in the <a href="/inbox">inbox</a>. Here you rename it for all leads, or delete it.</p>
<div class="scroll"><table class="table stacked"><thead><tr><th>Tag</th><th>Leads</th><th><span class="hidden">Delete</span></th></tr></thead><tbody>${tags.map(row)}</tbody></table></div>`
    }
${programs}`,
  )
}
