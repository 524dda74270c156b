/** What lets a browser install the console as an app, and be told of what is new while no page is open. */
import { readFileSync } from 'node:fs'
import type { ConsoleRoute } from './context.ts'
import { get } from './routes.ts'

/** Both are for anyone: browsers ask for them without a session, too. */
export const installableRoutes = (): ConsoleRoute[] => [
  get('/service-worker.js', 'anyone', c => {
    c.header('Content-Type', 'text/javascript; charset=utf-8')
    c.header('Cache-Control', 'no-cache')
    return c.body(serviceWorker)
  }),
  get('/manifest.webmanifest', 'anyone', c => {
    const { deps, assets } = c.get('frame')
    c.header('Content-Type', 'application/manifest+json')
    return c.body(
      JSON.stringify({
        name: `${deps.settings.school.name} front desk`,
        short_name: 'Front desk',
        start_url: '/',
        display: 'standalone',
        icons: [{ src: assets['icon.svg'], sizes: 'any', type: 'image/svg+xml' }],
      }),
    )
  }),
]

const serviceWorker = readFileSync(new URL('../../../content/console/service-worker.js', import.meta.url), 'utf8')
