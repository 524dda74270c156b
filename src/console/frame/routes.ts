/** How the areas of the console write their rows of the table of routes: `get('/inbox', 'see leads', inboxPage)`. */
import type { ConsoleRoute, RouteAction } from './context.ts'

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

/** The target of one of our forms. */
export const post = (path: string, action: RouteAction, handle: Handle, more: More = {}): ConsoleRoute => ({
  method: 'POST',
  path,
  action,
  handle,
  ...more,
})
