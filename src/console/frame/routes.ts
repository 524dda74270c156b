/** How the areas of the console write the rows of its table of routes: `get('/inbox', 'see leads', inboxPage)`. */
import type { ConsoleRoute, RouteAction } from './context.ts'

type Handle = ConsoleRoute['handle']
type More = Pick<ConsoleRoute, 'menu' | 'largestBody'>

/** A page, which an operator who may do the action can open. */
export const get = (path: string, action: RouteAction, handle: Handle, more: More = {}): ConsoleRoute => ({
  method: 'GET',
  path,
  action,
  handle,
  ...more,
})

/** What a form of ours sends. */
export const post = (path: string, action: RouteAction, handle: Handle, more: More = {}): ConsoleRoute => ({
  method: 'POST',
  path,
  action,
  handle,
  ...more,
})
