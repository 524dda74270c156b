/** Saved views: filters of the inbox under a name, for the operator alone or for everyone. */
import { isBlank, textProblem, tidy } from '../../leads/body/tidy-text.ts'
import { may } from '../frame/access.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf } from '../frame/form-fields.ts'
import { idIn, post } from '../frame/routes.ts'
import { queryOf, readFields } from './inbox-filter.ts'

export const viewRoutes: ConsoleRoute[] = [
  post('/inbox/views', 'see leads', saveView),
  post('/inbox/views/:id{[0-9]{1,15}}/rename', 'see leads', renameView),
  post('/inbox/views/:id{[0-9]{1,15}}/delete', 'see leads', deleteView),
]

async function saveView(c: ConsoleContext, { store, clock }: ConsoleDeps) {
  const sent = await fieldsOf(c)
  const name = nameIn(sent)
  const operator = c.get('operator')
  const given = Object.fromEntries(new URLSearchParams(sent['filter'] ?? ''))
  const filter = queryOf(readFields(given)).slice(1)
  const shared = sent['shared'] === '1' && may(operator, 'work on leads')
  const audit = auditEntries(c, shared ? 'saved a view for everyone' : 'saved a view')
  const saved = await store.saveView(operator.id, { name, filter, shared, now: clock.now(), audit })
  if (!saved) throw new ConsoleError(409, 'You have too many views. Delete one first.')
  return redirect(c, `/inbox?${filter}`, { text: `Saved as “${name}”.` })
}

async function renameView(c: ConsoleContext, { store }: ConsoleDeps) {
  const name = nameIn(await fieldsOf(c))
  const audit = auditEntries(c, 'renamed a view')
  const renamed = await store.renameView(idIn(c), { operatorId: c.get('operator').id, name, audit })
  if (renamed === 'gone') throw new ConsoleError(404, 'This view is gone, or not yours.')
  if (renamed === 'taken') throw new ConsoleError(409, `You have a view “${name}” already.`)
  return redirect(c, `/inbox?${renamed.filter}`, { text: `The view is now “${name}”.` })
}

async function deleteView(c: ConsoleContext, { store }: ConsoleDeps) {
  const { id: operatorId } = c.get('operator')
  const anyone = may(c.get('operator'), 'manage operators')
  const audit = auditEntries(c, 'deleted a view')
  const deleted = await store.deleteView(idIn(c), { operatorId, anyone, audit })
  return redirect(c, '/inbox', {
    text: deleted ? 'The view is deleted.' : 'Only the person who saved a view can delete it.',
  })
}

const LONGEST_NAME = 40

/** Throws a ConsoleError with status 422 for a name that no view can have. */
function nameIn(sent: Record<string, string | undefined>): string {
  const name = tidy(sent['name'] ?? '')
  if (isBlank(name) || textProblem(name, 'one') !== undefined || name.length > LONGEST_NAME)
    throw new ConsoleError(422, `Give the view a name of at most ${LONGEST_NAME} characters.`)
  return name
}
