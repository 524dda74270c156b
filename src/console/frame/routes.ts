/** How the areas of the console write their rows of the table of routes: `get('/inbox', 'see leads', inboxPage)`. */
import type { ConsoleContext, ConsoleRoute, RouteAction } from './context.ts'
import { numberOf } from './form-fields.ts'

type Handle = ConsoleRoute['handle']
type More = Pick<ConsoleRoute, 'menu' | 'largestBody'>

/** A page, which operators can open if they may do the action. */
export const get = (path: string, action: RouteAction, handle: Handle, more: More = {}): ConsoleRoute => ({
  method: 'GET',
  path,
  action,
  handle,
  ...more,
})

/** The URL to which one of our forms is sent. */
export const post = (path: string, action: RouteAction, handle: Handle, more: More = {}): ConsoleRoute => ({
  method: 'POST',
  path,
  action,
  handle,
  ...more,
})

/** The id in the path, as in `/leads/:id{[0-9]{1,15}}`; 0, which nothing has, if it is not a number. */
export const idIn = (c: ConsoleContext, name = 'id'): number => numberOf(c.req.param(name)) ?? 0
