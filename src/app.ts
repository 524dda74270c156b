/** Puts the service together from its parts. */
import type { Logger } from 'pino'
import { createDirectory } from './accounts/directory.ts'
import type { Config } from './config/config.ts'
import { orConfigError } from './config/config-error.ts'
import { keepInForce, putInForce } from './config/edited-settings.ts'
import { newSecret } from './config/secret.ts'
import { createCalendar } from './follow-up/calendar.ts'
import { formRoutes } from './forms/routes.ts'
import { clientAddress, connectedClient, isIn } from './http/client-address.ts'
import { createGate } from './http/gate.ts'
import { createHealth } from './http/health.ts'
import { consoleHost, learnHost, siteHost } from './http/hosts.ts'
import { createIntake } from './http/intake.ts'
import { createErrorPage, createStaffErrorPage, homeRoute } from './http/links/error-pages.ts'
import { createLinkActions } from './http/links/link-actions.ts'
import { countRejected } from './http/links/link-pages.ts'
import { staffLinkRoute } from './http/links/staff-links.ts'
import { brokenLink, studentLinkRoute } from './http/links/student-links.ts'
import { type Listener, type Listeners, listen } from './http/listeners.ts'
import { AddressLimits, networkOf } from './http/rate-limits.ts'
import type { RequestListener } from './http/router.ts'
import { SecurityEvents } from './http/security-events.ts'
import { createOperations } from './http/submit.ts'
import { urlsOf } from './http/urls.ts'
import { loadContent } from './load-content.ts'
import type { Mailer } from './mail/mailer.ts'
import { createMessageIds } from './mail/message-id.ts'
import { linkSecret, linksWith, missingSecret } from './open-links.ts'
import { lazy } from './platform/lazy.ts'
import { createPush } from './push/push.ts'
import { shutdown } from './shutdown.ts'
import type { Lane } from './store/schema.ts'
import type { Store } from './store/store.ts'
import { createAddressees } from './tasks/addressees.ts'
import { assignLead, undo } from './tasks/assign-lead.ts'
import { cadenceVersions } from './tasks/cadence-start.ts'
import { createHandOvers } from './tasks/hand-overs.ts'
import { keepCountingLeads } from './tasks/insight.ts'
import { addLeadWords } from './tasks/lead-words.ts'
import { resume } from './tasks/pauses.ts'
import { nextSteps } from './tasks/plan.ts'
import { keepDigestHour } from './tasks/quarantine-digest.ts'
import { keepDeletingWhatIsOld } from './tasks/retention.ts'
import { scheduleUnattendedMail } from './tasks/unattended.ts'
import { watchInbox } from './tasks/watched-mailbox.ts'
import { keepSchedulingReports } from './tasks/weekly-report.ts'
import { createLanes, createWorker, type Worker } from './tasks/worker.ts'

export type App = {
  store: Store
  worker: Worker
  mailer: Mailer
  /** Listens for all hosts, or for those named. Throws when a port is not available. */
  listen(only?: Listener['name'][]): Promise<Listeners['addresses']>
  /** The link that creates the first operator of the console; undefined if there are operators. */
  firstOperatorLink(): Promise<string | undefined>
  /** Starts the worker and the watched mailbox. Without this, workers in other processes do the tasks. */
  work(): void
  /** Finishes or releases what is under way, then closes everything: within `shutdown.total`. */
  close(): Promise<void>
}

export type AppOptions = {
  log: Logger
  /** How long a closing server keeps idle connections, in milliseconds. */
  drainDelay?: number | undefined
  /** Loads the content. Tests that start many services load it once. */
  content?: typeof loadContent | undefined
}

/** Wires the service. Throws ConfigError or StartError when a part of it cannot be made. */
export async function wireApp(
  config: Config,
  store: Store,
  mailer: Mailer,
  { log, drainDelay, content = loadContent }: AppOptions,
): Promise<App> {
  const { clock } = store
  const { settings, imapUrl } = config
  const cadences = cadenceVersions(store, settings)
  const { secretKey, addressSecret } = await store.atStart(async () => ({
    edited: putInForce(config, await store.currentEditedSettings()),
    secretKey: await linkSecret(config, store),
    addressSecret: await store.getOrCreateSecret('addresses', newSecret()),
    cadences: [await cadences('student'), await cadences('site')],
    digest: await keepDigestHour(store, settings),
  }))
  if (secretKey === undefined) throw missingSecret(config)
  const calendar = createCalendar(settings)
  const common = { store, clock, config, settings, calendar, addressSecret, log }
  const directory = createDirectory({ ...config, store, addressSecret, log })
  // If responses conceal accounts, only the worker asks the directory.
  const conceals = settings.accounts.feedback === 'conceal'
  const links = linksWith(secretKey, config)
  const { messages, replies, pages, documents } = await orConfigError(
    'The content cannot be used',
    () => content(config, links, clock),
  )

  // After the response: the worker files submissions, sends emails and follows up.
  const identity = createMessageIds(secretKey, config.mailFrom)
  const push = createPush(common)
  const worker: Worker = createWorker(
    createLanes({
      ...common,
      push,
      cadences,
      directory,
      messages,
      mailer,
      identity,
      wake: lanes => {
        worker.nudge(lanes)
        store.announceLeads()
      },
    }),
    { store, clock, log },
  )
  let working = false
  /** Wakes these lanes, by default all: of the worker here or, if there is none, of those in other processes. */
  const wake = (lanes?: readonly Lane[]) => (working ? worker.nudge(lanes) : store.announce())
  /** The same after a change of leads, which pages of the console show at once. */
  const changed = (lanes?: readonly Lane[]) => {
    wake(lanes)
    store.announceLeads()
  }
  const addressees = createAddressees(common)
  const handOvers = createHandOvers({ ...common, addressees, changed: () => changed() })
  const inbox =
    imapUrl === undefined
      ? undefined
      : await watchInbox({
          ...common,
          addressees,
          url: imapUrl,
          identity,
          changed: () => changed(['mail']),
        })

  // Over HTTP: the two operations, the links in emails, the documents and the health checks.
  const limits = new AddressLimits(store, clock, isIn(config.unlimitedNetworks))
  const addressOf = clientAddress(config.trustedProxies)
  const events = new SecurityEvents(log)
  const gate = createGate({ store, limits, addressOf, events })
  const intake = createIntake({
    ...common,
    events,
    directory: conceals ? undefined : directory,
    accepted: () => wake(['filing']),
  })
  const operations = createOperations({ gate, intake, urls: urlsOf(config), log })
  const forms = formRoutes(async () => {
    const { createForms } = await import('./forms/forms.ts')
    return createForms({ ...common, gate, intake, events, secretKey })
  })
  const actions = createLinkActions({
    ...common,
    assignLead: (lead, to) => assignLead({ ...common, addressees }, lead, to),
    resume: (lead, by) => resume(common, lead, by),
    upcoming: (lead, now) => nextSteps({ ...common, addressees }, lead, now),
    undo: (entryId, by) => undo({ ...common, addressees }, entryId, by),
    changed: () => changed(),
  })
  const roster = settings.admissions
  const linkPages = countRejected(pages, events)
  const staffLinks = staffLinkRoute({ links, pages: linkPages, actions, clock, log, roster })
  const studentLinks = studentLinkRoute({
    links,
    pages: linkPages,
    languages: settings.languages,
    act: actions.actForStudent,
    languageOfLead: actions.languageOfLead,
  })
  const closing = new AbortController()
  const edits = keepInForce(common, closing.signal)
  const health = createHealth({
    store,
    clock,
    closing: () => closing.signal.aborted,
    unlimitedRequests: () => limits.unlimited,
    mailboxTrouble: () => (working ? inbox?.trouble() : undefined),
  })
  const errorPage = createErrorPage(pages, settings.languages)
  const home = homeRoute(pages, settings.languages)
  const consolePages = whenNeeded(async () => {
    const { createConsole } = await import('./console/console.ts')
    const { createStepMessages } = await import('./mail/step-messages.ts')
    const { createConversations, createFollowUps } = await import('./tasks/console-services.ts')
    const mail = { ...common, addressees, messages, mailer, identity }
    return createConsole({
      ...common,
      followUps: createFollowUps(mail),
      conversations: createConversations(mail, replies),
      stepMessages: createStepMessages(messages, settings),
      intake,
      links,
      secretKey,
      push,
      actions,
      changed,
      settingsEdited: edits.edited,
      catchUpWithEdits: edits.catchUp,
      handOvers,
      events,
      networkOf: request => networkOf(addressOf(request)),
      closing: closing.signal,
    })
  })
  const shared = { urls: urlsOf(config), health, errorPage, log }
  const hosts = {
    site: siteHost({
      ...shared,
      operation: operations.site,
      forms: forms.site,
      documents: documents.site,
    }),
    learn: learnHost({
      ...shared,
      operation: operations.student,
      forms: forms.student,
      documents: documents.learn,
      studentLinks,
      brokenLink: brokenLink(linkPages, settings.languages),
      home,
    }),
    console: consoleHost({
      ...shared,
      errorPage: createStaffErrorPage(pages),
      staffLinks,
      pages: consolePages,
    }),
  }
  const clientOf = connectedClient([...config.trustedProxies, ...config.unlimitedNetworks])
  const listeners: Listener[] = [
    { name: 'site', url: config.baseUrl, port: config.sitePort, host: hosts.site },
    { name: 'learn', url: config.learnUrl, port: config.learnPort, host: hosts.learn },
    { name: 'console', url: config.consoleUrl, port: config.consolePort, host: hosts.console },
  ]

  let opened: Listeners | undefined
  return {
    store,
    worker,
    mailer,
    listen: async only => {
      const chosen = listeners.filter(({ name }) => only === undefined || only.includes(name))
      opened = await listen(chosen, config.host, { clientOf, drainDelay })
      return opened.addresses
    },
    firstOperatorLink: async () => {
      const nonce = newSecret()
      const id = await store.addFirstLink({ nonce, now: clock.now() })
      return id === undefined ? undefined : links.operator(id, nonce)
    },
    work: () => {
      working = true
      scheduleUnattendedMail(common).catch(error =>
        log.error({ err: error }, 'the weekly mail about unattended leads could not be scheduled'),
      )
      keepSchedulingReports(common, closing.signal)
      addLeadWords(common, closing.signal)
      keepCountingLeads(common, closing.signal)
      keepDeletingWhatIsOld(common, closing.signal)
      handOvers.keepRunning(closing.signal)
      store
        .beginWork()
        .catch(error =>
          log.warn(
            { err: error },
            'claims of processes that have ended hold until their lease ends',
          ),
        )
        .then(() => {
          if (!closing.signal.aborted) worker.start()
        })
      inbox?.start()
      store.onAnnouncement(() => worker.nudge())
    },
    close: async () => {
      closing.abort()
      await Promise.allSettled([
        opened?.close(shutdown.requests),
        worker.stop(shutdown.tasks),
        inbox?.stop(),
      ])
      events.report()
      await mailer.close()
      await store.close()
    },
  }
}

/** A listener that is loaded with its first request: a process that no one opens the console of does without it. */
function whenNeeded(load: () => Promise<RequestListener>): RequestListener {
  const loaded = lazy(load)
  return async (request, response) => (await loaded())(request, response)
}
