/**
 * The console: the checks that every request passes before it gets to its page, and the response to everything that
 * goes wrong. Staff sign in here; the links in emails work without signing in.
 */
import { getRequestListener } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { secureHeaders } from 'hono/secure-headers'
import { createBrand, logoOrigins } from '../content/brand.ts'
import { allowTime } from '../http/arrival-limits.ts'
import { isEncoded } from '../http/codings.ts'
import { UPLOAD_TIMEOUT } from '../http/listeners.ts'
import type { RequestListener } from '../http/router.ts'
import { following } from '../platform/lazy.ts'
import { consoleRoutes } from './console-routes.ts'
import { may, signedIn } from './frame/access.ts'
import { assetRoute, loadAssets } from './frame/assets.ts'
import {
  type ConsoleContext,
  type ConsoleDeps,
  type ConsoleEnv,
  type ConsoleRoute,
  type Frame,
  opensPage,
  type RouteAction,
} from './frame/context.ts'
import {
  encoded,
  forbidden,
  fromElsewhere,
  needsFactor,
  notFound,
  somethingFailed,
  tooLarge,
} from './frame/error-pages.ts'
import { Turns } from './frame/export-turns.ts'
import { isFromOthersPage } from './frame/left-open-pages.ts'
import { watchMail } from './frame/mail-trouble.ts'
import { menuOf } from './frame/menu.ts'
import { API } from './private-api/api-route.ts'
import { privateApi } from './private-api/private-api.ts'
import { asksForFactor, factorDue } from './sign-in/required-factor.ts'
import { reportUnreadableSecrets } from './sign-in/sealed-secret.ts'
import { sessionOf } from './sign-in/session-cookie.ts'
import { toSignIn } from './sign-in/sign-in.ts'

export async function createConsole(deps: ConsoleDeps): Promise<RequestListener> {
  await reportUnreadableSecrets(deps)
  const { school } = deps.settings
  const look = following(
    () => [school.name, school.brand],
    () => {
      const brand = createBrand(school, deps.config.baseUrl)
      return { brand, assets: loadAssets(brand, deps.settings), headers: security(logoOrigins(brand)) }
    },
  )
  const routes = [assetRoute(() => look().assets), ...consoleRoutes(deps)]
  const menu = menuOf(routes)
  const mailTrouble = watchMail(deps)
  const exportTurns = new Turns()
  const frame = (): Frame => ({ deps, brand: look().brand, assets: look().assets.urls, menu, exportTurns, mailTrouble })

  const app = new Hono<ConsoleEnv>()
  app.use(async (c, next) => {
    c.set('frame', frame())
    c.header('Cache-Control', 'no-store')
    await next()
    const policy = c.get('policy')
    if (policy === undefined) return
    c.res.headers.set('Content-Security-Policy', policy)
    if (policy.includes("frame-ancestors 'self'")) c.res.headers.set('X-Frame-Options', 'SAMEORIGIN')
  })
  app.use((c, next) => look().headers(c, next))
  app.route(API, privateApi())
  for (const route of routes) {
    app.on(route.method, route.path, limitOf(route), c => respond(c, route))
  }
  app.notFound(async c => {
    await knows(c)
    return notFound(c)
  })
  app.onError(async (error, c) => {
    try {
      return await somethingFailed(c, error)
    } catch {
      // Even the page for errors cannot be made, since what every page needs is missing.
      deps.log.error({ err: error, path: c.req.routePath }, 'the console cannot show its pages')
      return c.text('The console cannot show its pages. Its log says why.\n', 500, { 'Cache-Control': 'no-store' })
    }
  })
  return getRequestListener(app.fetch, { overrideGlobalObjects: false })
}

/**
 * The largest body, in bytes. In an email of 10,000 Chinese characters, each character has nine bytes, and the sign-in
 * page may have to send the email along.
 */
const LARGEST_BODY = 128 * 1024
const usualLimit = limit(LARGEST_BODY)

/** Limits a body. If it comes in chunks, Hono copies the request: it can copy Node's request, but not the adapter's. */
function limit(maxSize: number): MiddlewareHandler<ConsoleEnv> {
  const limited = bodyLimit({ maxSize, onError: tooLarge })
  return (c, next) => {
    const { url, method, headers, body } = c.req.raw
    const inChunks = c.req.header('transfer-encoding') !== undefined
    if (inChunks) c.req.raw = new Request(url, { method, headers, body, duplex: 'half' })
    return limited(c, next)
  }
}

/**
 * Limits how much of a body is read. A larger body, which may take longer to arrive, is accepted only from people who
 * may use the route, and only if it has files. Otherwise, a stranger could fill the memory, even with the fields of a
 * form: each field takes more memory than its bytes.
 */
function limitOf(route: ConsoleRoute): MiddlewareHandler<ConsoleEnv> {
  const { largestBody, action } = route
  if (largestBody === undefined) return usualLimit
  const larger = limit(largestBody)
  return async (c, next) => {
    const hasFiles = c.req.header('content-type')?.startsWith('multipart/form-data') === true
    if (!hasFiles || action === 'anyone' || !isSameOrigin(c)) return usualLimit(c, next)
    // If the database is down, the usual limit applies; the page then says that the database is down.
    const known = await knows(c).catch(() => false)
    if (!known || !may(c.get('operator'), action)) return usualLimit(c, next)
    allowTime(c.env.incoming, UPLOAD_TIMEOUT)
    return larger(c, next)
  }
}

/** Lets a request through to its page only if the person who sent it may do what the page does. */
async function respond(c: ConsoleContext, { method, action, handle }: ConsoleRoute) {
  if (method === 'POST' && !isSameOrigin(c)) return fromElsewhere(c)
  if (isEncoded(c.env.incoming)) return encoded(c)
  // PostgreSQL cannot store a NUL in a text, and no one can type one.
  if (c.req.url.includes('%00')) return notFound(c)
  const { deps } = c.get('frame')
  if (action === 'anyone') return handle(c, deps)
  if (!(await knows(c))) return toSignIn(c)
  if (await isFromOthersPage(c)) return toSignIn(c, { other: c.get('operator').name })
  if (!may(c.get('operator'), action)) return forbidden(c)
  const due = c.get('factorDue')
  if (due !== undefined && due <= deps.clock.now() && action !== 'use own account') return toSecondFactor(c)
  // With several replicas, the one that made the form may know a version that this one has not read yet.
  if (editing.has(action)) await deps.catchUpWithEdits()
  return handle(c, deps)
}

/** People who have not set up the second factor that their role needs can only open their account. */
const toSecondFactor = (c: ConsoleContext) => (opensPage(c) ? c.redirect('/account', 303) : needsFactor(c))

/** The actions that change what is edited in the console, or that depend on it. */
const editing: ReadonlySet<RouteAction> = new Set<RouteAction>([
  'edit team',
  'edit cadence',
  'edit school',
  'manage operators',
])

/** Finds out who is signed in. */
async function knows(c: ConsoleContext): Promise<boolean> {
  const { store, clock, settings } = c.get('frame').deps
  const tokenHash = sessionOf(c)
  if (tokenHash === undefined) return false
  const found = await store.readSession(tokenHash, clock.now())
  if (found === undefined) return false
  const operator = await asksForFactor({ store, settings }, found.operator, clock.now())
  c.set('operator', signedIn(operator, settings))
  c.set('factorDue', factorDue(settings, operator, found.hasPasskey))
  c.set('session', found.session)
  return true
}

/**
 * Browsers run and show only our own files, and no other page may frame ours. `same-origin` hides the URLs of leads
 * from other sites, but lets browsers send `Origin` with our forms.
 */
const security = (images: string[]) =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      connectSrc: ["'self'"],
      frameSrc: ["'self'"],
      imgSrc: ["'self'", 'data:', ...images],
      manifestSrc: ["'self'"],
      workerSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    referrerPolicy: 'same-origin',
    // The listener sends this header if the console is served over https.
    strictTransportSecurity: false,
    xFrameOptions: 'DENY',
  })

/**
 * Whether a request that may change something comes from one of our pages. Browsers say so in `Sec-Fetch-Site` (Fetch
 * Metadata); browsers that do not know this header send `Origin` with every POST (Fetch standard, section 3.2). A
 * request with neither does not come from a browser's form.
 */
function isSameOrigin(c: ConsoleContext): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = c.req.header('origin')
  if (origin === undefined) return false
  // A proxy may have changed Host, and a test does not know its port, so a match with either is enough.
  const { config } = c.get('frame').deps
  const { origin: ours, protocol } = new URL(config.consoleUrl)
  return origin === ours || origin === `${protocol}//${c.req.header('host')}`
}
