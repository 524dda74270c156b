/**
 * Whether a request that may change something comes from a page of ours. Browsers say so in
 * `Sec-Fetch-Site` (Fetch Metadata), and those that do not know it send `Origin` with every POST
 * (Fetch standard, section 3.2). A request with neither does not come from a browser's form.
 */
import type { ConsoleContext } from './context.ts'

export function isSameOrigin(c: ConsoleContext): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = c.req.header('origin')
  if (origin === undefined) return false
  // A proxy may have changed Host, and a test does not know its port: either is proof.
  const { config } = c.get('frame').deps
  return origin === new URL(config.consoleUrl).origin || URL.parse(origin)?.host === c.req.header('host')
}
