/** The operator that a page of an admin is about. */
import type { Operator } from '../../store/operators/operators.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { idIn } from '../frame/routes.ts'

/** The operator in the path. Admins must not lock themselves out: throws ConsoleError for their own account. */
export async function otherOperator(c: ConsoleContext): Promise<Operator> {
  const id = idIn(c)
  if (id === c.get('operator').id) {
    throw new ConsoleError(409, 'You cannot change your own role or access. Ask another admin.')
  }
  return existing('operator', await c.get('frame').deps.store.readOperator(id))
}
