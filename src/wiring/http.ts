/** Wires what is served over HTTP: operations, forms, links in emails, documents, health and the console. */
import type { AccountDirectory } from '../accounts/directory.ts'
import type { EditsInForce } from '../config/edited-settings.ts'
import { UPLOADED_LOGOS } from '../content/brand.ts'
import { calledBy } from '../follow-up/called-by.ts'
import type { CalledBy } from '../forms/after-sending.ts'
import type { Form } from '../forms/forms.ts'
import { clientAddress, connectedClient, isIn } from '../http/client-address.ts'
import { uploadedLogoRoute } from '../http/discovery/brand-images.ts'
import { createFailedRequests } from '../http/failed-requests.ts'
import { FormCounts } from '../http/form-counts.ts'
import { createGate, createInstantGate } from '../http/gate.ts'
import { createHealth } from '../http/health.ts'
import { consoleHost, learnHost, siteHost } from '../http/hosts.ts'
import { createIntake, type Intake } from '../http/intake.ts'
import { createLinkActions } from '../http/links/link-actions.ts'
import { createErrorPage, createStaffErrorPage, homeRoute } from '../http/links/link-error-pages.ts'
import { countRejected } from '../http/links/link-pages.ts'
import { staffLinkRoute } from '../http/links/staff-links.ts'
import { createStudentActions } from '../http/links/student-actions.ts'
import { brokenLink, studentLinkRoute } from '../http/links/student-links.ts'
import type { Listener } from '../http/listeners.ts'
import { AddressLimits, networkOf } from '../http/rate-limits.ts'
import type { Handler, Host, RequestListener, Route } from '../http/router.ts'
import { SecurityEvents } from '../http/security-events.ts'
import { sourcePosts } from '../http/source-posts.ts'
import { createOperations } from '../http/submit.ts'
import { FORM_BEGUN, FORM_BETTER, FORM_SENT, FORMS, urlsOf } from '../http/urls.ts'
import type { Services } from '../lead-actions/services.ts'
import type { Kind } from '../leads/body/submission.ts'
import { contentSources, type LoadedContent } from '../load-content.ts'
import type { Mailer } from '../mail/transport/mailer.ts'
import { delegating, following, lazy } from '../platform/lazy.ts'
import type { Links } from '../signed-links.ts'
import type { Background } from './background.ts'
import type { Common } from './common.ts'

type HttpServices = Common & {
  background: Background
  content: LoadedContent
  mailer: Mailer
  directory: AccountDirectory | undefined
  links: Links
  /** The secret that signs links. */
  secretKey: string
  edits: EditsInForce
  /** Aborted when the service begins to shut down. */
  closing: AbortSignal
}

export type OverHttp = {
  listeners: Listener[]
  /** The client behind an IP address; undefined if it may have any number of connections. */
  clientOf: (address: string) => string | undefined
  events: SecurityEvents
  counts: FormCounts
}

export function wireHttp(deps: HttpServices): OverHttp {
  const { store, clock, config, settings, log, background, directory, closing } = deps
  const { pages, documents } = deps.content
  const limits = new AddressLimits(store, clock, isIn(config.unlimitedNetworks))
  const addressOf = clientAddress(config.trustedProxies)
  const events = new SecurityEvents(log)
  const counts = new FormCounts(deps)
  const gated = { store, limits, addressOf, events }
  const gate = createGate(gated)
  const intake = createIntake({
    ...deps,
    events,
    // If responses conceal accounts, only the worker queries the directory.
    directory: settings.accounts.feedback === 'conceal' ? undefined : directory,
    accepted: () => background.wake(['filing']),
  })
  const urls = urlsOf(config)
  const forVisitors = { languages: settings.languages, studentForm: urls.studentForm }
  const operations = createOperations({ gate, instantGate: createInstantGate(gated), intake, urls, log })
  const loadForms = async () => {
    const { createForms } = await import('../forms/forms.ts')
    return createForms({ ...deps, gate, intake, events, counts, calledBy: calledByFor(deps) })
  }
  const lazyForms = following(
    () => contentSources(settings),
    () => lazy(loadForms),
  )
  const forms = formRoutes(() => lazyForms()())
  const services = leadServices(deps)
  const { staffLinks, ...ofStudents } = linkRoutes(deps, services, events)
  const failures = createFailedRequests({ store, clock, log, changed: () => background.changed(['reports']) })
  const health = createHealth({
    store,
    clock,
    lateAfter: settings.lateness,
    closing: () => closing.aborted,
    unlimitedRequests: () => limits.unlimited,
    mailboxTrouble: background.mailboxTrouble,
    failures,
  })
  const shared = { urls, health, errorPage: createErrorPage(pages, forVisitors), failed: failures.note, log }
  const site = siteHost({
    ...shared,
    operation: operations.site,
    forms: forms.site,
    documents: { ...documents.site, [`${UPLOADED_LOGOS}*`]: uploadedLogoRoute(settings, store) },
  })
  const learn = learnHost({
    ...shared,
    operation: operations.student,
    forms: forms.student,
    documents: documents.learn,
    ...ofStudents,
    home: homeRoute(pages, forVisitors),
  })
  const console = consoleHost({
    ...shared,
    errorPage: createStaffErrorPage(pages),
    staffLinks,
    sources: sourcePosts({ ...deps, intake, gate, addressOf }),
    pages: consolePages(deps, { ...services, intake, events, networkOf: request => networkOf(addressOf(request)) }),
  })
  return {
    listeners: [
      { name: 'site', url: config.baseUrl, port: config.sitePort, host: site },
      { name: 'learn', url: config.learnUrl, port: config.learnPort, host: learn },
      { name: 'console', url: config.consoleUrl, port: config.consolePort, host: console },
    ],
    clientOf: connectedClient([...config.trustedProxies, ...config.unlimitedNetworks]),
    events,
    counts,
  }
}

/** The services for lead actions, behind links in emails and in the console. */
const leadServices = ({ background, ...common }: HttpServices): Services => ({
  ...common,
  addressees: background.addressees,
  changed: lanes => background.changed(lanes),
})

/** The links in emails to the staff and to students; invalid links are counted. */
function linkRoutes(deps: HttpServices, services: Services, events: SecurityEvents) {
  const { links, content, settings, clock, log } = deps
  const { languages, admissions: roster } = settings
  const pages = countRejected(content.pages, events)
  return {
    staffLinks: staffLinkRoute({ links, pages, actions: createLinkActions(services), clock, log, roster }),
    studentLinks: studentLinkRoute({ links, pages, languages, actions: createStudentActions(services) }),
    brokenLink: brokenLink(pages, languages),
  }
}

type ForConsole = Services & {
  intake: Intake
  events: SecurityEvents
  networkOf: (request: Parameters<RequestListener>[0]) => string
}

/** The console, loaded with its first request, so that a process in which no one opens it does without. */
function consolePages(
  { background, content, edits, mailer, ...deps }: HttpServices,
  served: ForConsole,
): NonNullable<Host['rest']> {
  const { identity, push, handOvers } = background
  const loaded = lazy(async () => {
    const { createConsole } = await import('../console/console.ts')
    const { createStepMessages } = await import('../mail/step-messages.ts')
    const { createTextTrials } = await import('../mail/text-trials.ts')
    const { createConversations } = await import('../tasks/conversations.ts')
    const { messages, replies } = content
    const mail = { ...deps, ...served, messages, mailer, identity }
    return createConsole({
      ...deps,
      ...served,
      identity,
      conversations: createConversations(mail, replies),
      stepMessages: delegating(
        following(
          () => contentSources(deps.settings),
          () => createStepMessages(messages, deps.settings),
        ),
      ),
      texts: createTextTrials({ ...deps, ...deps.config }),
      sendNow: message => mailer.send(message),
      push,
      handOvers,
      settingsEdited: edits.edited,
      catchUpWithEdits: edits.catchUp,
    })
  })
  return async (request, response) => {
    const pages = await loaded()
    pages(request, response)
  }
}

/**
 * Makes the function that says when the school will have called a person who writes now, at the latest, according to
 * the cadence of their kind and the calendar at that moment.
 */
const calledByFor =
  ({ settings, calendar, clock }: HttpServices): CalledBy =>
  (kind, place) =>
    calledBy(clock.now(), { cadence: settings.followUp[kind], calendar, place })

/** The routes of the forms. The code that handles them is loaded with the first request, and again after an edit. */
function formRoutes(forms: () => Promise<Record<Kind, Form>>): Record<Kind, Record<string, Route>> {
  const handler =
    (kind: Kind, what: keyof Form): Handler =>
    async (request, segment) =>
      (await forms())[kind][what](request, segment)
  const routes = (kind: Kind): Record<string, Route> => ({
    [`${FORMS}*`]: { GET: handler(kind, 'show'), POST: handler(kind, 'receive') },
    [`${FORM_SENT}*`]: { GET: handler(kind, 'sent') },
    [`${FORM_BEGUN}*`]: { POST: handler(kind, 'begun') },
    [`${FORM_BETTER}*`]: { POST: handler(kind, 'better') },
  })
  return { student: routes('student'), site: routes('site') }
}
