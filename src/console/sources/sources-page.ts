/** The page on which admins see which outside programs bring leads. */
import { html } from 'hono/html'
import { type SourceKind, sourceKindNames } from '../../leads/source/lead-source.ts'
import { DAY } from '../../platform/time.ts'
import type { StoredSource } from '../../store/sources/sources.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { kindList } from '../frame/kind-list.ts'
import { type Html, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { newSourceRoutes } from './new-source-page.ts'
import { oneSourceRoutes } from './source-page.ts'

const PATH = '/sources'

export const sourceRoutes: ConsoleRoute[] = [
  get(PATH, 'manage sources', listPage, { menu: 'Sources' }),
  ...newSourceRoutes,
  ...oneSourceRoutes,
]

const about: Record<SourceKind, string> = {
  google: 'The lead forms of your Google ads, as Google sends them.',
  post: 'Anything else that can post JSON or a form: a lead vendor, Zapier, Make, another website.',
}

async function listPage(c: ConsoleContext, { store, clock }: ConsoleDeps) {
  const sources = await store.listSources()
  const since = clock.now() - LISTED
  return page(
    c,
    { title: 'Sources', current: PATH, width: 'wide' },
    html`<p>Outside programs that bring leads: each has a key, and posts what people said there. Each post becomes a lead like every other inquiry.</p>
${sources.length === 0 ? '' : table(sources, since)}
<section class="panel"><h2>Add a source</h2>
${kindList(Object.entries(about).map(([kind, words]) => ({ name: sourceKindNames[kind as SourceKind], about: words, href: `${PATH}/new/${kind}` })))}
</section>`,
  )
}

/** How long the list shows that a post was rejected, in milliseconds. */
const LISTED = 7 * DAY

const table = (sources: readonly StoredSource[], since: number): Html =>
  html`<table class="table stacked">
<thead><tr><th scope="col">Name</th><th scope="col">Kind</th><th scope="col">Brings</th><th scope="col">State</th></tr></thead>
<tbody>${sources.map(
    one => html`<tr><td><a href="${PATH}/${one.id}/edit">${one.name}</a></td><td>${sourceKindNames[one.kind]}</td>
<td><a href="/inbox?${new URLSearchParams({ stage: 'any', from: one.name })}">${one.leadKind === 'student' ? 'students' : 'sites'}</a></td>
<td>${one.off ? html`<span class="tag wrong">off</span>` : html`<span class="tag">on</span>`}${(one.rejected?.at ?? 0) < since ? '' : html` <span class="tag wrong">a post was rejected</span>`}</td></tr>`,
  )}</tbody>
</table>`
