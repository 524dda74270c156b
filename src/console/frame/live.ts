/** Immediately tells open pages that leads have changed, by server-sent events. */
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { IDLE } from '../../http/listeners.ts'
import { SECOND } from '../../platform/time.ts'
import type { ConsoleDeps, ConsoleRoute } from './context.ts'
import { get } from './routes.ts'

/**
 * A page is told about changes at most this often, and gets some message at least that often, in milliseconds: an idle
 * connection would be closed.
 */
const GAP = SECOND
const KEEP_ALIVE = IDLE / 2

/** How many pages of one operator, and how many pages in all, are told about changes. Further pages are not. */
const MOST_OF_ONE = 20
const MOST = 500

export const liveRoutes = ({ store, clock, closing }: ConsoleDeps): ConsoleRoute[] => {
  /** The ids of the operators who listen, once for each page. */
  const listening: number[] = []

  return [
    get('/live', 'see leads', c => {
      const { id } = c.get('operator')
      const { tokenHash } = c.get('session')
      const own = listening.filter(one => one === id).length
      // After a 204, a browser does not ask again. With a HEAD request, no one listens.
      if (own >= MOST_OF_ONE || listening.length >= MOST) return c.body(null, 204)
      if (c.req.method === 'HEAD') return c.body(null, 200)
      // Without this, proxies would wait for the end of the response.
      c.header('X-Accel-Buffering', 'no')
      listening.push(id)
      const isSignedIn = async () =>
        (await store.listSessions(id, clock.now())).some(one => one.tokenHash === tokenHash)
      return streamSSE(c, async stream => {
        const read = await tellUntilEnd(stream, { store, closing, isSignedIn })
        listening.splice(listening.indexOf(id), 1)
        // Closes the connection of a slow client, which would otherwise stay open until it has read everything.
        if (!read) c.env.outgoing.destroy()
      })
    }),
  ]
}

type Listener = Pick<ConsoleDeps, 'store' | 'closing'> & { isSignedIn: () => Promise<boolean> }

/**
 * Tells one page about changes until the page is closed, its session ends, or the service shuts down. Returns whether
 * the page has read everything.
 */
async function tellUntilEnd(stream: SSEStreamingApi, { store, closing, isSignedIn }: Listener): Promise<boolean> {
  const end = Promise.withResolvers<void>()
  const ended = () => end.resolve()
  let waiting: NodeJS.Timeout | undefined
  let writing = false
  const send = async (text: string) => {
    // The client has not read the previous message yet: it is gone, or has stopped reading.
    if (writing) return ended()
    if (!(await isSignedIn())) return ended()
    writing = true
    await stream.write(text)
    writing = false
  }
  const tell = () => {
    waiting ??= setTimeout(() => {
      waiting = undefined
      if (writing) tell()
      else void send('event: leads\ndata: changed\n\n').catch(ended)
    }, GAP)
  }
  const stopListening = store.onLeadsChanged(tell)
  const keepingAlive = setInterval(() => void send('event: here\ndata: still\n\n').catch(ended), KEEP_ALIVE)
  closing.addEventListener('abort', ended)
  stream.onAbort(ended)
  void send('retry: 3000\n\n').catch(ended)
  await end.promise
  stopListening()
  clearTimeout(waiting)
  clearInterval(keepingAlive)
  closing.removeEventListener('abort', ended)
  return !writing
}
