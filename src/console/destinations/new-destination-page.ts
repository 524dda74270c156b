/** Adding a destination of a kind. A page that was opened once adds one destination, even if its form is sent twice. */
import { randomUUID } from 'node:crypto'
import { html } from 'hono/html'
import type { DestinationKind } from '../../destinations/destination-kind.ts'
import { kindNamed } from '../../destinations/kinds.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { formOf } from '../frame/form-fields.ts'
import { hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { addDestination, TOO_MANY } from './add-destination.ts'
import { formFields } from './destination-form.ts'
import { keysPage } from './destination-keys.ts'
import { tryOut, tryOutButton } from './destination-try-out.ts'
import { checkEntered, type Entered, enteredIn, knownLabels, newEntered, type Problems } from './entered-destination.ts'

const LIST = '/destinations'
const PATH = `${LIST}/new/:kind`
const ACTION = 'manage destinations'

export const newDestinationRoutes: ConsoleRoute[] = [
  get(PATH, ACTION, (c, deps) => newPage(c, deps, { ref: randomUUID(), entered: newEntered(kindOf(c)) })),
  post(PATH, ACTION, add),
]

const kindOf = (c: ConsoleContext): DestinationKind =>
  existing('kind of destination', kindNamed(c.req.param('kind') ?? ''))

async function add(c: ConsoleContext, deps: ConsoleDeps) {
  const kind = kindOf(c)
  const form = await formOf(c)
  const [ref = randomUUID()] = UUID.exec(String(form.get('once'))) ?? []
  const entered = enteredIn(form, kind)
  const checked = checkEntered(entered, { c, kind, known: await knownLabels(deps) })
  if ('problems' in checked) return newPage(c, deps, { ref, entered, problems: checked.problems })
  const { choices, values } = checked
  if (form.get('do') === 'try') return newPage(c, deps, { ref, entered, tried: true })
  const id = c.req.param('kind') ?? ''
  const audit = auditEntries(c, 'added a destination', { detail: choices.name })
  const added = await addDestination(deps, { kind: [id, kind], choices, values, audit, ref })
  if (added === 'too many') throw new ConsoleError(422, TOO_MANY)
  if (!added.added) {
    const keys = kind.keys === undefined ? '' : ' If you did not save its keys, make new ones.'
    return redirect(c, `${LIST}/${added.id}`, { text: `${choices.name} was added before.${keys}` })
  }
  if (kind.keys !== undefined) return keysPage(c, added.id, kind.keys.shown(added.keys))
  return redirect(c, `${LIST}/${added.id}`, { text: `${choices.name} was added. Send a test.` })
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** `ref`: the `ref` of the destination that this page adds. */
type Shown = { ref: string; entered: Entered; problems?: Problems; tried?: boolean }

async function newPage(c: ConsoleContext, deps: ConsoleDeps, { ref, entered, problems, tried }: Shown) {
  const kind = kindOf(c)
  const known = await knownLabels(deps)
  const status = problems === undefined ? 200 : 422
  return page(
    c,
    { title: `Add a destination: ${kind.name}`, current: LIST, status },
    html`<p class="back"><a href="${LIST}">Back to the destinations</a></p>
<p>${kind.about} The page <code>${kind.guide}</code> of the documentation says how to set it up.</p>
${tried ? tryOut(kind, entered, deps) : ''}
<section class="panel">
<form method="post" action="${LIST}/new/${c.req.param('kind')}" class="stack">${hidden({ once: ref })}
${formFields({ kind, entered, problems, known })}
<div class="actions"><button>Add the destination</button>${tryOutButton(kind)}</div>
</form></section>`,
  )
}
