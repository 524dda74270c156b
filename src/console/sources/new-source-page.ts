/** Adding a source of a kind. */
import { html } from 'hono/html'
import { type SourceKind, sourceKindNames, sourceKinds } from '../../leads/source/lead-source.ts'
import { secretHash } from '../../platform/secret.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { formOf } from '../frame/form-fields.ts'
import { page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import {
  type EnteredSource,
  newSource,
  problemsOf,
  type SourceProblems,
  sourceFormFields,
  sourceIn,
} from './source-form.ts'
import { newKey, sourceKeyPage } from './source-key.ts'
import { tryOutSample, withGuess } from './source-try-out.ts'

const LIST = '/sources'
const PATH = `${LIST}/new/:kind`
const ACTION = 'manage sources'

/** Limited, because the source of each post is looked up by its key, and one page lists all sources. */
const MOST_SOURCES = 100

export const newSourceRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, (c, { settings }) => newPage(c, { entered: newSource(settings) })),
  post(PATH, ACTION, add),
]

function kindOf(c: ConsoleContext): SourceKind {
  const named = c.req.param('kind')
  return existing(
    'kind of source',
    sourceKinds.find(one => one === named),
  )
}

async function add(c: ConsoleContext, { store, settings, clock }: ConsoleDeps) {
  const kind = kindOf(c)
  const form = await formOf(c)
  const entered = sourceIn(form, kind, settings)
  if (form.get('do') === 'try') return newPage(c, { entered: withGuess(entered), tried: true })
  const sources = await store.listSources()
  const names = sources.map(({ name }) => name)
  const problems = problemsOf(entered, kind, names)
  if (Object.keys(problems).length > 0) return newPage(c, { entered, problems })
  if (sources.length >= MOST_SOURCES)
    throw new ConsoleError(422, `There are ${MOST_SOURCES} sources already. Delete one first.`)
  const key = newKey()
  const id = await store.addSource(
    { ...entered, kind },
    { keyHash: secretHash(key), now: clock.now(), audit: auditEntries(c, 'added a source', { detail: entered.name }) },
  )
  return sourceKeyPage(c, { id, kind, key })
}

type Shown = { entered: EnteredSource; problems?: SourceProblems; tried?: boolean }

function newPage(c: ConsoleContext, { entered, problems, tried }: Shown) {
  const kind = kindOf(c)
  const { settings, clock } = c.get('frame').deps
  const status = problems === undefined ? 200 : 422
  return page(
    c,
    { title: `Add a source: ${sourceKindNames[kind]}`, current: LIST, status },
    html`<p class="back"><a href="${LIST}">Back to the sources</a></p>
<p>The page <code>docs/sources.md</code> of the documentation says how to set it up.</p>
${tried ? tryOutSample(entered, settings, clock.now()) : ''}
<section class="panel">
<form method="post" action="${LIST}/new/${kind}" class="stack">
${sourceFormFields({ entered, kind, problems, settings })}
<div class="actions"><button>Add the source</button>${tryButton(kind)}</div>
</form></section>`,
  )
}

export const tryButton = (kind: SourceKind) =>
  kind === 'google' ? '' : html`<button name="do" value="try" class="secondary" formnovalidate>Try it out</button>`
