/** Tells open pages at once that leads have changed, by server-sent events. */
import { streamSSE } from 'hono/streaming'
import { SECOND } from '../platform/time.ts'
import type { ConsoleDeps, ConsoleRoute } from './context.ts'

/** A page is told of changes at most this often, and hears from us at least that often, in milliseconds. */
const GAP = SECOND
const KEEP_ALIVE = 25 * SECOND

export const liveRoutes = ({ store, closing }: ConsoleDeps): ConsoleRoute[] => [
  {
    method: 'GET',
    path: '/live',
    action: 'see leads',
    handle: c => {
      // Proxies would otherwise wait for the end of the response.
      c.header('X-Accel-Buffering', 'no')
      return streamSSE(c, async stream => {
        const end = Promise.withResolvers<void>()
        let waiting: NodeJS.Timeout | undefined
        const tell = () => {
          waiting ??= setTimeout(() => {
            waiting = undefined
            void stream.writeSSE({ event: 'leads', data: 'changed' }).catch(end.resolve)
          }, GAP)
        }
        const stopListening = store.onLeadsChanged(tell)
        const keepingAlive = setInterval(
          () => void stream.write(': still here\n\n').catch(end.resolve),
          KEEP_ALIVE,
        )
        const ended = () => end.resolve()
        closing.addEventListener('abort', ended)
        stream.onAbort(ended)
        await stream.write('retry: 3000\n\n')
        await end.promise
        stopListening()
        clearTimeout(waiting)
        clearInterval(keepingAlive)
        closing.removeEventListener('abort', ended)
      })
    },
  },
]
