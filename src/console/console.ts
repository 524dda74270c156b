/**
 * The console: the table of its routes, what every request passes before its page, and the answer to
 * everything that goes wrong. Staff sign in here; the links in emails work without it.
 */
import { readFileSync } from 'node:fs'
import { getRequestListener } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { secureHeaders } from 'hono/secure-headers'
import { createBrand, logoOrigins } from '../content/brand.ts'
import { allowTime } from '../http/arrival.ts'
import { isEncoded } from '../http/codings.ts'
import { UPLOAD_TIMEOUT } from '../http/listeners.ts'
import type { RequestListener } from '../http/router.ts'
import { following } from '../platform/lazy.ts'
import { ourPath } from '../platform/places.ts'
import { accountRoutes } from './account/account-page.ts'
import { notificationRoutes } from './account/notifications.ts'
import { passkeyRoutes } from './account/passkey-pages.ts'
import { secondFactorRoutes } from './account/second-factor-pages.ts'
import { cadenceRoutes } from './cadence/cadence-page.ts'
import { destinationRoutes } from './destinations/destinations-page.ts'
import { exportRoutes } from './export/export-page.ts'
import { formEditorRoutes } from './forms/form-editor.ts'
import { formEmbedRoutes } from './forms/form-embed.ts'
import { formListRoutes } from './forms/forms-page.ts'
import { may, signedIn } from './frame/access.ts'
import { assetRoute, loadAssets } from './frame/assets.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleEnv, ConsoleRoute, Frame, RouteAction } from './frame/context.ts'
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
import { liveRoutes } from './frame/live.ts'
import { watchMail } from './frame/mail-trouble.ts'
import { menuOf } from './frame/menu.ts'
import { get } from './frame/routes.ts'
import { importRoutes } from './imports/import-pages.ts'
import { costRoutes } from './insight/costs-page.ts'
import { insightRoutes } from './insight/insight-page.ts'
import { reportRoutes } from './insight/report-page.ts'
import { attachmentRoutes } from './lead/attachments.ts'
import { correctRoutes } from './lead/correct-page.ts'
import { draftRoutes } from './lead/drafts.ts'
import { leadRoutes } from './lead/lead-page.ts'
import { mergeRoutes } from './lead/merge-routes.ts'
import { conversationRoutes } from './lead/write-page.ts'
import { addLeadRoutes } from './lists/add-lead.ts'
import { boardRoutes } from './lists/board-page.ts'
import { inboxRoutes } from './lists/inbox-page.ts'
import { tagRoutes } from './lists/tags.ts'
import { todayRoutes } from './lists/today.ts'
import { deliveryRoutes } from './mail/delivery-page.ts'
import { quarantineRoutes } from './mail/quarantine-page.ts'
import { privacyRoutes } from './privacy/privacy-page.ts'
import { API } from './private-api/api-route.ts'
import { privateApi } from './private-api/private-api.ts'
import { brandRoutes } from './school/brand-page.ts'
import { consentRoutes } from './school/consent-page.ts'
import { emailEditorRoutes } from './school/email-editor.ts'
import { emailRoutes } from './school/emails-page.ts'
import { hoursRoutes } from './school/hours-page.ts'
import { programRoutes } from './school/programs-page.ts'
import { forgottenRoutes } from './sign-in/forgotten-password.ts'
import { asksForFactor, factorDue } from './sign-in/required-factor.ts'
import { reportUnreadableSecrets } from './sign-in/sealed-secret.ts'
import { sessionOf } from './sign-in/session-cookie.ts'
import { signInRoutes, toSignIn } from './sign-in/sign-in.ts'
import { welcomeRoutes } from './sign-in/welcome.ts'
import { sourceRoutes } from './sources/sources-page.ts'
import { auditRoutes } from './system/audit-page.ts'
import { operatorRoutes } from './system/operators-page.ts'
import { settingsRoutes } from './system/settings-page.ts'
import { tokenRoutes } from './system/tokens-page.ts'
import { teamRoutes } from './team/team-page.ts'

/**
 * What lets a browser install the console as an app, and be told of what is new while no page is open. Both are for
 * anyone: browsers ask for them without a session, too.
 */
const installableRoutes: ConsoleRoute[] = [
  get('/service-worker.js', 'anyone', serviceWorkerFile),
  get('/manifest.webmanifest', 'anyone', manifestFile),
]

export const consoleRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  ...signInRoutes,
  ...welcomeRoutes,
  ...forgottenRoutes,
  ...inboxRoutes,
  ...liveRoutes(deps),
  ...todayRoutes,
  ...boardRoutes,
  ...tagRoutes,
  ...exportRoutes(deps),
  ...importRoutes,
  ...leadRoutes,
  ...attachmentRoutes,
  ...addLeadRoutes,
  ...conversationRoutes,
  ...draftRoutes,
  ...correctRoutes,
  ...mergeRoutes,
  ...quarantineRoutes,
  ...insightRoutes,
  ...costRoutes,
  ...reportRoutes,
  ...cadenceRoutes,
  ...hoursRoutes,
  ...emailRoutes,
  ...emailEditorRoutes,
  ...programRoutes,
  ...formListRoutes,
  ...formEditorRoutes,
  ...formEmbedRoutes,
  ...brandRoutes,
  ...consentRoutes,
  ...deliveryRoutes,
  ...destinationRoutes,
  ...sourceRoutes,
  ...tokenRoutes,
  ...teamRoutes,
  ...privacyRoutes,
  ...settingsRoutes,
  ...operatorRoutes,
  ...auditRoutes,
  ...accountRoutes,
  ...notificationRoutes,
  ...installableRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
]

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
  app.onError((error, c) => somethingFailed(c, error))
  return getRequestListener(app.fetch, { overrideGlobalObjects: false })
}

/** In bytes: an email of 10,000 Chinese characters has nine for each, and so has the sign-in page that carries it along. */
const LARGEST_BODY = 128 * 1024
const usualLimit = bodyLimit({ maxSize: LARGEST_BODY, onError: tooLarge })

/**
 * How much of a body is read. A larger one is read, and waited for, of those alone who may send it, and only with files: a
 * stranger could fill the memory with it, and so could the fields of a form, since each takes more there than in the
 * body.
 */
function limitOf(route: ConsoleRoute): MiddlewareHandler<ConsoleEnv> {
  const { largestBody, action } = route
  if (largestBody === undefined) return usualLimit
  const larger = bodyLimit({ maxSize: largestBody, onError: tooLarge })
  return async (c, next) => {
    const hasFiles = c.req.header('content-type')?.startsWith('multipart/form-data') === true
    if (!hasFiles || action === 'anyone' || !isSameOrigin(c)) return usualLimit(c, next)
    // Without a database, the page answers that it is away.
    const known = await knows(c).catch(() => false)
    if (!known || !may(c.get('operator'), action)) return usualLimit(c, next)
    allowTime(c.env.incoming, UPLOAD_TIMEOUT)
    return larger(c, next)
  }
}

/** Lets a request through to its page only if the person behind it may do what the page does. */
async function respond(c: ConsoleContext, { method, action, handle }: ConsoleRoute) {
  if (method === 'POST' && !isSameOrigin(c)) return fromElsewhere(c)
  if (isEncoded(c.env.incoming)) return encoded(c)
  // PostgreSQL has no text with a NUL, and no one can type one.
  if (c.req.url.includes('%00')) return notFound(c)
  const { deps } = c.get('frame')
  if (action === 'anyone') return handle(c, deps)
  if (!(await knows(c))) return toSignIn(c)
  if (!may(c.get('operator'), action)) return forbidden(c)
  const due = c.get('factorDue')
  if (due !== undefined && due <= deps.clock.now() && action !== 'use own account') return toSecondFactor(c)
  // Of several replicas, the one that made the form may have known of a version before this one does.
  if (editing.has(action)) await deps.catchUpWithEdits()
  return handle(c, deps)
}

/** Without the second factor that their role needs, people get only to their account. */
const toSecondFactor = (c: ConsoleContext) => (c.req.method === 'GET' ? c.redirect('/account', 303) : needsFactor(c))

/** The actions that change what is edited in the console, or depend on it. */
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
 * Browsers run and show only our own files; no other page may frame ours. `same-origin` keeps the URLs
 * of leads from other sites, and still lets browsers send `Origin` with our forms.
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
    // The listener sends it where the console is served over https.
    strictTransportSecurity: false,
    xFrameOptions: 'DENY',
  })

/**
 * Whether a request that may change something comes from a page of ours. Browsers say so in
 * `Sec-Fetch-Site` (Fetch Metadata), and those that do not know it send `Origin` with every POST
 * (Fetch standard, section 3.2). A request with neither does not come from a browser's form.
 */
function isSameOrigin(c: ConsoleContext): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = c.req.header('origin')
  if (origin === undefined) return false
  // A proxy may have changed Host, and a test does not know its port: either is proof.
  const { config } = c.get('frame').deps
  const { origin: ours, protocol } = new URL(config.consoleUrl)
  return origin === ours || origin === `${protocol}//${c.req.header('host')}`
}

function serviceWorkerFile(c: ConsoleContext) {
  c.header('Content-Type', 'text/javascript; charset=utf-8')
  c.header('Cache-Control', 'no-cache')
  return c.body(serviceWorker)
}

function manifestFile(c: ConsoleContext) {
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
}

const serviceWorker = readFileSync(ourPath('content/console/service-worker.js'), 'utf8')
