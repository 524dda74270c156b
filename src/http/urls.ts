/** Every public URL of the service. Paths do not carry a version. */
import type { Kind } from '../leads/body/submission.ts'
import { forEachPage, pageTable } from './page-table.ts'

export const SITE_INTEREST = '/api/site-interest'
export const STUDENT_INTEREST = '/api/admissions/interest'

/** The beginning of the path to which sources post, on the console's host. The key of the source follows. */
export const SOURCES = '/sources/'

/** The beginning of the paths of the forms, each on the host of its operation, and of their script, on both. */
export const FORMS = '/forms/'
const SITE_FORM = `${FORMS}site-interest`
export const STUDENT_FORM = `${FORMS}student-interest`
/** The beginning of the paths at which a form's script reports that someone has begun to fill it in. */
export const FORM_BEGUN = `${FORMS}begun/`
/** The beginning of the paths of the pages that say thanks after a form was posted without the script. */
export const FORM_SENT = `${FORMS}sent/`
/** The beginning of the paths to which those pages post the best time to call. */
export const FORM_BETTER = `${FORMS}better/`
export const FORM_SCRIPT = '/forms/form.js'

/** The search in the public pages, with `?q=`. */
export const SEARCH = '/search'

/** The paths on the site host, for agents and developers. */
export const paths = {
  ...forEachPage(name => pageTable[name].path as string),
  openapi: '/openapi/site-interest.json',
  catalog: '/.well-known/api-catalog',
  agentCard: '/.well-known/agent-card.json',
  /** Where clients older than A2A 0.3 look for the card. */
  earlierAgentCard: '/.well-known/agent.json',
  llms: '/llms.txt',
  robots: '/robots.txt',
  sitemap: '/sitemap.xml',
  security: '/.well-known/security.txt',
} as const

/** Where the Markdown version of a page is, as a path or as a URL. */
export const markdownOf = (page: string): string => `${page}.md`

export type Urls = Record<
  | keyof typeof paths
  | 'base'
  | 'learn'
  | 'policy'
  | 'siteInterest'
  | 'studentInterest'
  | 'siteForm'
  | 'studentForm'
  | 'siteScript'
  | 'studentScript',
  string
>

/** The absolute URL of a form of the school. */
export const formUrl = (
  { baseUrl, learnUrl }: { baseUrl: string; learnUrl: string },
  { kind, name }: { kind: Kind; name: string },
): string => `${kind === 'site' ? baseUrl : learnUrl}${FORMS}${name}`

/** Absolute URLs. */
export function urlsOf({ baseUrl, learnUrl }: { baseUrl: string; learnUrl: string }): Urls {
  const onSite = Object.entries(paths).map(([name, path]) => [name, `${baseUrl}${path}`])
  return {
    ...(Object.fromEntries(onSite) as Record<keyof typeof paths, string>),
    base: baseUrl,
    learn: learnUrl,
    policy: `${baseUrl}${paths.developers}#agents`,
    siteInterest: `${baseUrl}${SITE_INTEREST}`,
    studentInterest: `${learnUrl}${STUDENT_INTEREST}`,
    siteForm: `${baseUrl}${SITE_FORM}`,
    studentForm: `${learnUrl}${STUDENT_FORM}`,
    siteScript: `${baseUrl}${FORM_SCRIPT}`,
    studentScript: `${learnUrl}${FORM_SCRIPT}`,
  }
}
