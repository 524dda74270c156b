/** The page of a source: its form, its key, and the last post that was rejected. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { sourceKindNames } from '../../leads/source/lead-source.ts'
import { secretHash } from '../../platform/secret.ts'
import type { StoredSource } from '../../store/sources/sources.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { formOf } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { tryButton } from './new-source-page.ts'
import {
  type EnteredSource,
  enteredOfSource,
  problemsOf,
  type SourceProblems,
  sourceFormFields,
  sourceIn,
} from './source-form.ts'
import { newKey, sourceKeyPage } from './source-key.ts'
import { tryOutSample, withGuess } from './source-try-out.ts'

const LIST = '/sources'
const PATH = `${LIST}/:id{[0-9]{1,15}}`
const ACTION = 'manage sources'

/** Sources post to `/sources/…` itself, so the paths of the console's own forms have a further part. */
export const oneSourceRoutes: ConsoleRoute[] = [
  get(`${PATH}/edit`, ACTION, async c => onePage(c, await sourceOf(c))),
  post(`${PATH}/edit`, ACTION, save),
  post(`${PATH}/key`, ACTION, replaceKey),
  post(`${PATH}/on`, ACTION, (c, deps) => turn(c, deps, 'on')),
  post(`${PATH}/off`, ACTION, (c, deps) => turn(c, deps, 'off')),
  post(`${PATH}/delete`, ACTION, remove),
]

const sourceOf = async (c: ConsoleContext): Promise<StoredSource> =>
  existing('source', await c.get('frame').deps.store.readSource(idIn(c)))

async function save(c: ConsoleContext, { store, settings }: ConsoleDeps) {
  const source = await sourceOf(c)
  const form = await formOf(c)
  const entered = sourceIn(form, source.kind, settings)
  if (form.get('do') === 'try') return onePage(c, source, { entered: withGuess(entered), tried: true })
  const others = (await store.listSources()).filter(({ id }) => id !== source.id)
  const names = others.map(({ name }) => name)
  const problems = problemsOf(entered, source.kind, names)
  if (Object.keys(problems).length > 0) return onePage(c, source, { entered, problems })
  await store.changeSource(source.id, entered, auditEntries(c, 'changed a source', { detail: entered.name }))
  return redirect(c, `${LIST}/${source.id}/edit`, { text: 'Saved.' })
}

async function replaceKey(c: ConsoleContext, { store, clock }: ConsoleDeps) {
  const { id, kind, name } = await sourceOf(c)
  const key = newKey()
  const audit = auditEntries(c, 'replaced the key of a source', { detail: name })
  await store.replaceSourceKey(id, { keyHash: secretHash(key), now: clock.now(), audit })
  return sourceKeyPage(c, { id, kind, key, renewed: true })
}

async function turn(c: ConsoleContext, { store, clock }: ConsoleDeps, to: 'on' | 'off') {
  const { id, name } = await sourceOf(c)
  const audit = auditEntries(c, `switched a source ${to}`, { detail: name })
  await store.switchSource(id, { offAt: to === 'off' ? clock.now() : null, audit })
  const text = to === 'on' ? `${name} is on.` : `${name} is off: what it posts is rejected, and does not become a lead.`
  return redirect(c, `${LIST}/${id}/edit`, { text })
}

async function remove(c: ConsoleContext, { store }: ConsoleDeps) {
  const { id, name, off } = await sourceOf(c)
  if (!off) throw new ConsoleError(422, 'It is on. Switch it off first.')
  await store.deleteSource(id, auditEntries(c, 'deleted a source', { detail: name }))
  return redirect(c, LIST, { text: `${name} was deleted. Its leads stay.` })
}

type Shown = { entered?: EnteredSource; problems?: SourceProblems; tried?: boolean }

function onePage(c: ConsoleContext, source: StoredSource, { entered, problems, tried }: Shown = {}) {
  const { settings, clock } = c.get('frame').deps
  const { kind, name } = source
  const shown = entered ?? enteredOfSource(source)
  return page(
    c,
    { title: name, current: LIST, width: 'wide', status: problems === undefined ? 200 : 422 },
    html`<p class="back"><a href="${LIST}">Back to the sources</a></p>
${notices(c, source)}
${tried ? tryOutSample(shown, settings, clock.now()) : ''}
<div class="columns">
<section class="panel"><h2>${sourceKindNames[kind]}</h2>
<form method="post" action="${LIST}/${source.id}/edit" class="stack">
${sourceFormFields({ entered: shown, kind, problems, settings })}
<div class="actions"><button>Save</button>${tryButton(kind)}</div>
</form></section>
${accessPanel(source)}
</div>`,
  )
}

function notices(c: ConsoleContext, { off, rejected, formerKeyUntil }: StoredSource): Html {
  const { settings, clock } = c.get('frame').deps
  const now = clock.now()
  const shortDate = createShortDateFormat(settings.school)
  const former = formerKeyUntil !== null && formerKeyUntil > now ? formerKeyUntil : undefined
  return html`${off ? html`<div class="banner"><p>It is off: what it posts is rejected, and does not become a lead.</p></div>` : ''}
${rejected === undefined ? '' : html`<div class="banner"><p><strong>The last post that was rejected</strong> came ${shortDate(rejected.at, now)}: ${rejected.why}. It did not become a lead: look for it at the source.</p></div>`}
${former === undefined ? '' : html`<p class="quiet small">The previous key works until ${shortDate(former, now)}.</p>`}`
}

const accessPanel = ({ id, name, off }: StoredSource): Html => html`<section class="panel"><h2>Access</h2>
<p>Its key was shown when it was made. If it is lost, replace it.</p>
<div class="actions">
${off ? button(id, 'on', 'Switch it on') : button(id, 'off', 'Switch it off')}
${button(id, 'key', 'Replace the key')}
${off ? button(id, 'delete', 'Delete it', 'danger') : ''}
</div>
<p><a href="/inbox?${new URLSearchParams({ stage: 'any', from: name })}">Its leads</a></p>
</section>`

const button = (id: number, action: string, words: string, look = 'secondary'): Html =>
  html`<form method="post" action="${LIST}/${id}/${action}"><button class="${look} small">${words}</button></form>`
