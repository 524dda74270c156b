/** The three hosts, and what each serves at which path. */
import type { IncomingMessage } from 'node:http'
import { STAFF_PATH, STUDENT_PATH } from '../signed-links.ts'
import { errors } from './errors.ts'
import { detailedHealth, type Health, publicHealth } from './health.ts'
import type { Host, HttpResponse, Route } from './router.ts'
import { SITE_INTEREST, SOURCES, STUDENT_INTEREST, type Urls } from './urls.ts'

type Routes = Record<string, Route>

type HostServices = { health: Health } & Pick<Host, 'errorPage' | 'failed' | 'log'>

/** `operation` is the host's operation, `forms` are its forms for people; `documents` are for programs, by path. */
type PublicHostServices = HostServices & { urls: Urls; operation: Route; forms: Routes; documents: Routes }

/** Headers of every response. Any web page may submit, without credentials (the Fetch standard's CORS protocol). */
const publicHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Idempotent-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

/** A browser may keep it for two hours, the most that Chromium allows. */
const preflight = (methods: string) => ({
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': 'Content-Type, Idempotency-Key, X-Idempotency-Key',
  'Access-Control-Max-Age': 7200,
})

/** The site host: operation A. */
export const siteHost = ({ operation, forms, documents, ...dependencies }: PublicHostServices): Host =>
  publicHost(dependencies, {
    routes: { [SITE_INTEREST]: operation, ...forms, ...documents },
    here: dependencies.urls.siteInterest,
    onOtherHost: { [STUDENT_INTEREST]: dependencies.urls.studentInterest },
  })

/** The learn host: operation B, and the links in emails to students. */
export const learnHost = ({
  operation,
  forms,
  documents,
  studentLinks,
  brokenLink,
  home,
  ...dependencies
}: PublicHostServices & {
  studentLinks: Route
  brokenLink: (request: IncomingMessage) => HttpResponse
  home: Route
}): Host => {
  const host = publicHost(dependencies, {
    routes: { '/': home, [STUDENT_INTEREST]: operation, [`${STUDENT_PATH}*`]: studentLinks, ...forms, ...documents },
    here: dependencies.urls.studentInterest,
    onOtherHost: { [SITE_INTEREST]: dependencies.urls.siteInterest },
  })
  const otherwise: Host['otherwise'] = (path, query, request) =>
    path.startsWith(STUDENT_PATH) ? brokenLink(request) : host.otherwise(path, query, request)
  return { ...host, otherwise }
}

type PublicHost = {
  routes: Routes
  /** The URL of this host's operation. */
  here: string
  /** The URL of the other host's operation, by its path. */
  onOtherHost: Record<string, string>
}

const publicHost = (
  { health, urls, ...shared }: HostServices & { urls: Urls },
  { routes, here, onOtherHost }: PublicHost,
): Host => ({
  routes: { ...publicHealth(health), ...routes },
  headers: publicHeaders,
  preflight,
  otherwise: (path, query) => {
    const url = onOtherHost[path]
    throw url === undefined
      ? errors.notAnOperation(`${here}${query}`, urls.docs)
      : errors.onOtherHost(`${url}${query}`, urls.docs)
  },
  docs: urls.docs,
  ...shared,
})

/**
 * The console's host. It serves three things that work without a session: the links in emails to the staff, the posts
 * of sources, and the health of the service. Every other path is a page of the console.
 */
export function consoleHost({
  health,
  staffLinks,
  sources,
  pages,
  ...shared
}: HostServices & { staffLinks: Route; sources: Route; pages: NonNullable<Host['rest']> }): Host {
  return {
    routes: { ...detailedHealth(health), [`${STAFF_PATH}*`]: staffLinks, [`${SOURCES}*`]: sources },
    headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
    preflight: () => ({}),
    otherwise: () => {
      throw errors.notFound()
    },
    rest: pages,
    docs: undefined,
    ...shared,
  }
}
