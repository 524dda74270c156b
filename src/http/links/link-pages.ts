/**
 * The pages that links in our messages lead to: Markdown files with Liquid in them, in one layout.
 * They work without JavaScript, load nothing, and leave no trace in caches or search engines.
 */
import type { Settings } from '../../config/settings.ts'
import { readContent } from '../../content/files.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { templateLoader } from '../../content/templates.ts'
import type { Kind } from '../../leads/submission.ts'
import type { StaffAction, StudentAction } from '../../signed-links.ts'
import { pageSecurity } from '../page-security.ts'
import type { Headers, HttpResponse } from '../router.ts'
import type { LeadDetails } from './lead-details.ts'
import { bareDetails, fullDetails } from './sample-leads.ts'

/** What a page of the staff shows of a lead, so that nobody acts on the wrong one. */
export type LeadOnPage = {
  name: string
  kind: Kind
  /** The company of a site, the state of a student. */
  from: string | null
  stage: string
  /** The name of whoever looks after them. */
  owner: string | null
  /** The page of the lead; null for what is no lead yet. */
  url: string | null
}

/** The lead as it is now, with the links to act; null for what would change nothing. */
export type OpenPage = {
  lead: LeadDetails
  contacted_url: string | null
  attempted_url: string
  assign_url: string | null
  not_a_lead_url: string | null
}

export type Choice = { id: string; name: string }

/** Before: what is about to be done, and by whom. */
export type AskingPage = {
  lead: LeadOnPage
  actor: string | null
  /** Whom it may be done for, where that has to be chosen. */
  counselors: readonly Choice[] | null
  /** What was wrong with the choice. */
  problem: string | null
}

/** After: what is on record now. */
export type DonePage = {
  action: StaffAction
  /** Null where it was erased meanwhile. */
  lead: LeadOnPage | null
  actor: string | null
  /** Whether nothing has changed: it had been done before, or the lead is past it. */
  before: boolean
  /** Whether it is on record: done now or before. */
  recorded: boolean
}

/** Each page with the variables it has beside the school. */
export type PageVariables = Record<StaffAction, AskingPage> &
  Record<StudentAction | 'unsubscribed' | 'not-me-done' | 'expired' | 'gone', object> & {
    done: DonePage
    open: OpenPage
  }

export type Pages = {
  /** A page as an answer. */
  show<Name extends keyof PageVariables>(
    name: Name,
    variables: PageVariables[Name],
    status?: number,
  ): HttpResponse
}

const LAYOUT = 'layouts/page.html'

/**
 * Loads every page from the first of `contentDirs` that holds it, and tries it out.
 *
 * Throws an Error naming the file and the problem when one is missing or broken.
 */
export function createPages({
  settings,
  contentDirs,
}: {
  settings: Settings
  contentDirs: string[]
}): Pages {
  // The layout asks for these on every page.
  const common = { school: schoolVariables(settings.school), counselors: null, problem: null }
  const load = templateLoader(contentDirs, LAYOUT, ['title', 'button'])
  const headers = pageHeaders(readContent(LAYOUT, contentDirs))
  const pages = new Map(
    Object.entries(samples).map(([name, variables]) => {
      const complete = variables.map(sample => ({ ...common, ...sample }))
      return [name, load(`pages/${name}.md`, complete)]
    }),
  )
  return {
    show: (name, variables, status = 200) => {
      const page = pages.get(name) as ReturnType<typeof load>
      return { status, headers, body: page({ ...common, ...variables }).html }
    },
  }
}

/** They have our own forms, and leave no trace. */
const pageHeaders = (layout: string): Headers => ({
  ...pageSecurity(LAYOUT, layout, ["form-action 'self'"]),
  'Content-Type': 'text/html; charset=utf-8',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'no-store',
})

const lead: LeadOnPage = {
  name: 'Ana Ruiz',
  kind: 'site',
  from: 'Mercy',
  stage: 'new',
  owner: 'Kim Lee',
  url: '/act/1',
}
const bare: LeadOnPage = { ...lead, kind: 'student', from: null, owner: null, url: null }

const asking: AskingPage[] = [
  { lead, actor: 'Kim Lee', counselors: null, problem: null },
  { lead: bare, actor: null, counselors: [{ id: 'kim', name: 'Kim Lee' }], problem: 'Choose.' },
  { lead: bare, actor: null, counselors: [], problem: null },
]

const done = (action: StaffAction): DonePage[] => [
  { action, lead, actor: 'Kim Lee', before: true, recorded: true },
  { action, lead, actor: 'Kim Lee', before: true, recorded: false },
  { action, lead: null, actor: null, before: true, recorded: false },
  { action, lead, actor: 'Kim Lee', before: false, recorded: true },
  { action, lead: null, actor: null, before: false, recorded: true },
]

const open: OpenPage[] = [
  {
    lead: fullDetails,
    contacted_url: '/act/1',
    attempted_url: '/act/2',
    assign_url: '/act/3',
    not_a_lead_url: '/act/4',
  },
  {
    lead: bareDetails,
    contacted_url: null,
    attempted_url: '/act/2',
    assign_url: null,
    not_a_lead_url: null,
  },
]

/** Made-up variables to try the pages out with: between them they take every branch. */
const samples: { [Name in keyof PageVariables]: PageVariables[Name][] } = {
  unsubscribe: [{}],
  unsubscribed: [{}],
  'not-me': [{}],
  'not-me-done': [{}],
  contacted: asking,
  attempted: asking,
  assign: asking,
  'not-a-lead': asking,
  release: asking,
  dismiss: asking,
  done: [
    ...done('contacted'),
    ...done('attempted'),
    ...done('assign'),
    ...done('not-a-lead'),
    ...done('release'),
    ...done('dismiss'),
  ],
  open,
  expired: [{}],
  gone: [{}],
}
