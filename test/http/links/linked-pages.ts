/** The pages behind signed links, on both hosts, over actions that only record what they are asked to do. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { defaultSettings } from '../../../src/config/settings.ts'
import { consoleHost, learnHost } from '../../../src/http/hosts.ts'
import type { LinkActions } from '../../../src/http/links/link-actions.ts'
import { createErrorPage, homeRoute } from '../../../src/http/links/link-error-pages.ts'
import { createPages } from '../../../src/http/links/link-pages.ts'
import { bareDetails } from '../../../src/http/links/sample-pages.ts'
import { staffLinkRoute } from '../../../src/http/links/staff-links.ts'
import type { StudentActions } from '../../../src/http/links/student-actions.ts'
import { brokenLink, studentLinkRoute } from '../../../src/http/links/student-links.ts'
import { type Host, serve } from '../../../src/http/router.ts'
import { urlsOf } from '../../../src/http/urls.ts'
import { noteSaved } from '../../../src/lead-actions/add-note.ts'
import type { LeadDetails } from '../../../src/lead-details/lead-details.ts'
import type { LinkSubject } from '../../../src/lead-details/link-subject.ts'
import type { StandIn } from '../../../src/mail/staff-addressees.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createLinks, type StaffAction, type StaffPurpose } from '../../../src/signed-links.ts'

export const CONTENT = fileURLToPath(new URL('../../../content/', import.meta.url))
const NOW = Date.UTC(2026, 10, 21, 12)
/** When the lead of a student was created. */
export const CAME = Date.UTC(2026, 10, 20)

export const settings = {
  ...defaultSettings,
  school: { ...defaultSettings.school, name: 'Northside Trade School', phone: '+1 214 555 0100' },
}
const counselors = [
  { id: 'kim', name: 'Kim Lee' },
  { id: 'jo', name: 'Jo <Park>' },
]
export const aLead: LinkSubject = {
  lead: { name: 'Ana Ruiz', kind: 'site', from: 'Mercy Hospital', stage: 'New', owner: 'Kim Lee', inquiry: null },
  stage: 'new',
  closedReason: null,
  leadId: 12,
  last: null,
  undoable: null,
}

/** A quarantined submission of the same person. */
export const anInquiry: LinkSubject = {
  ...aLead,
  stage: 'held',
  leadId: null,
  lead: {
    ...aLead.lead,
    stage: 'Quarantined',
    owner: null,
    inquiry: {
      phone: '(214) 555-0137',
      phone_url: 'tel:+12145550137',
      email: 'ana@mercy.example',
      email_url: 'mailto:ana@mercy.example',
      message: 'Cheap links!',
      facts: [],
      honeypot: true,
      notes: ['The message has many links.'],
    },
  },
}

/** The same in another stage. */
export const inStage = (
  described: LinkSubject,
  stage: string,
  words: string,
  closedReason: string | null = null,
): LinkSubject => ({ ...described, stage, closedReason, lead: { ...described.lead, stage: words } })

/** The details of the same lead. */
export const itsDetails: LeadDetails = { ...bareDetails, name: 'Ana Ruiz', owner: 'kim' }

type Options = {
  open?: LeadDetails | undefined
  describe?: LinkActions['describe']
  outcome?: 'done' | 'before' | 'gone'
  standIn?: StandIn
  fail?: Error
  languageOfLead?: StudentActions['languageOfLead']
  contentDirs?: string[]
  counselors?: ReturnType<LinkActions['staff']>
}

export async function start(t: TestContext, options: Options = {}) {
  const acts: unknown[][] = []
  const record = (...act: unknown[]) => {
    if (options.fail) throw options.fail
    acts.push(act)
  }
  const known = options.counselors ?? counselors
  const actions: LinkActions = {
    obstacleTo: async () => undefined,
    isOfAnother: async () => false,
    describe:
      options.describe ??
      (async (_, purpose) =>
        purpose === 'release' || purpose === 'dismiss' || purpose === 'undismiss' ? anInquiry : aLead),
    open: async () => ('open' in options ? options.open : itsDetails),
    act: async (...act) => {
      record(...act)
      return options.outcome ?? 'done'
    },
    assign: async (...act) => {
      record('assign', ...act)
      return { outcome: options.outcome ?? 'done', standIn: options.standIn }
    },
    undo: async (...act) => {
      record(...act)
      return options.outcome ?? 'done'
    },
    freshLink: async (...act) => {
      record('fresh-link', ...act)
      return options.outcome ?? 'done'
    },
    addNote: async (...act) => {
      record('note', ...act)
      if (act[2] === '') return { problem: 'The note must not be empty.' }
      return { saved: noteSaved({ stage: 'new', firstAttemptAt: null }) }
    },
    planCallback: async (...act) => {
      record('callback', ...act)
      return act[2].day === '' ? { problem: 'Choose a day.' } : { words: 'until Friday' }
    },
    resume: async (...act) => {
      record('resume', ...act)
      return 'done'
    },
    lastDay: () => 'December 21',
    choices: async () => (known.length > 0 ? [...known, { id: 'team', name: 'The team' }] : []),
    day: day => day,
    staff: () => known,
  }
  const clock = { time: NOW, now: () => clock.time }
  const log = createLog('silent')
  const links = createLinks({
    secretKey: 'k'.repeat(32),
    consoleUrl: '',
    learnUrl: '',
    staff: () => known.map(({ id }) => ({ id, email: `${id}@school.example` })),
  })
  const pages = createPages({
    settings,
    baseUrl: 'https://school.example',
    contentDirs: options.contentDirs ?? [CONTENT],
    tryOut: true,
  })
  const health = { readiness: () => Promise.reject(new Error('not asked here')) }
  const common = {
    urls: urlsOf({ baseUrl: 'https://school.example', learnUrl: 'https://learn.school.example' }),
    documents: {},
    forms: {},
    operation: {},
    health,
    errorPage: createErrorPage(pages, {
      languages: settings.languages,
      studentForm: 'http://localhost:3001/forms/student-interest',
    }),
    home: homeRoute(pages, {
      languages: settings.languages,
      studentForm: 'http://localhost:3001/forms/student-interest',
    }),
    failed: () => {},
    log,
  }
  const studentLinks = studentLinkRoute({
    links,
    pages,
    languages: settings.languages,
    actions: {
      act: async (...act) => {
        record(...act)
        return true
      },
      languageOfLead: options.languageOfLead ?? (async () => 'en'),
    },
  })
  const staffLinks = staffLinkRoute({ links, pages, actions, clock, log, roster: { counselors: known } })
  const learn = await listen(
    t,
    learnHost({ ...common, studentLinks, brokenLink: brokenLink(pages, settings.languages) }),
  )
  const desk = await listen(
    t,
    consoleHost({
      ...common,
      staffLinks,
      sources: {},
      pages: async (_, response) => void response.writeHead(404).end(),
    }),
  )
  return {
    acts,
    clock,
    learn,
    desk,
    student: (...link: Parameters<typeof links.student>) => learn + links.student(...link),
    staff: (action: StaffPurpose, actor?: string, subject = 12) => desk + links.staff(action, subject, actor, NOW),
  }
}

async function listen(t: TestContext, host: Host): Promise<string> {
  const server = createServer(serve(host, () => false)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export const post = (url: string, body?: string | FormData | URLSearchParams) =>
  ask(url, { method: 'POST', ...(body === undefined ? {} : { body }) })

export const choose = (counselor: string) => new URLSearchParams({ counselor })

export const STAFF_ACTIONS: StaffAction[] = [
  ...(['contacted', 'attempted', 'no-answer-needed', 'assign', 'not-a-lead', 'release', 'dismiss'] as const),
]
