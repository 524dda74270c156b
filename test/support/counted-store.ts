/** Counts what requests ask of the store: each call may be a way to a database elsewhere. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import type { Store } from '../../src/store/store.ts'

/** A request, and the names of the store methods that it has called so far, in order. */
export type Counted = { method: string; path: string; asked: string[] }

/** These wait for nothing. */
const TOLD = new Set(['announce', 'announceLeads', 'announceSettings', 'backgroundDelay', 'load'])

/** Counts for the rest of the test, and does what the store did. What runs beside the requests is not counted. */
export function countCalls(t: TestContext, store: Store): Counted[] {
  const requests: Counted[] = []
  const current = new AsyncLocalStorage<Counted>()
  const began = (message: unknown) => {
    const { method = '', url = '' } = (message as { request: IncomingMessage }).request
    const counted = { method, path: url, asked: [] }
    requests.push(counted)
    current.enterWith(counted)
  }
  subscribe('http.server.request.start', began)
  t.after(() => unsubscribe('http.server.request.start', began))
  const methods = store as unknown as Record<string, unknown>
  for (const [name, method] of Object.entries(methods)) {
    if (typeof method !== 'function' || TOLD.has(name)) continue
    methods[name] = (...args: unknown[]) => {
      current.getStore()?.asked.push(name)
      return method.apply(store, args)
    }
  }
  return requests
}
