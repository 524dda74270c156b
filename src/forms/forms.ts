/** The two forms: the page, what is posted to it, and the page after it. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { contentDirs as foldersOf } from '../content/files.ts'
import { readDryRun } from '../http/dry-run-parameter.ts'
import { errors, HttpError, toHttpError } from '../http/errors.ts'
import type { Gate } from '../http/gate.ts'
import type { Intake, Received } from '../http/intake.ts'
import type { Handler, Headers, HttpResponse } from '../http/router.ts'
import type { SecurityEvents } from '../http/security-events.ts'
import { urlsOf } from '../http/urls.ts'
import type { Kind } from '../leads/submission.ts'
import type { Clock } from '../platform/time.ts'
import { compressed } from './compressed.ts'
import { createFacts, shownConsent } from './facts.ts'
import { type PostedForm, readForm } from './form-body.ts'
import { readRequest } from './form-request.ts'
import { createFormPages, type PageOf } from './pages.ts'
import { type Complaints, complaintsOf } from './sentences.ts'
import { bodyOf, detailsOf } from './submission.ts'
import { createTokens, type FormToken } from './token.ts'
import { troublesOf } from './troubles.ts'

type Dependencies = {
  config: Config
  gate: Gate
  intake: Intake
  events: SecurityEvents
  clock: Clock
  /** The secret that signs links. */
  secretKey: string
  log: Logger
}

/** The form, what is posted to it, and the page that says it has arrived. */
export type Form = { show: Handler; receive: Handler; sent: Handler }

/** A post, past the gate and read. */
type Post = { page: PageOf; posted: PostedForm; address: string; headers: Headers }

/** What a page shows beside the form itself. */
type Wrong = { complaints?: Complaints; troubles?: readonly string[] }

/**
 * A browser may keep a form in its history, so that people who go back find what they typed, and the same
 * token. Without a script, that is also true of the response to a post: going back to one that is not kept
 * shows a page of the browser that asks whether to send it again.
 */
const KEPT_BY_THE_BROWSER = { 'Cache-Control': 'private, no-cache' }

/** Throws an Error that names the file if the words or the styles cannot be read. */
export function createForms(dependencies: Dependencies): Record<Kind, Form> {
  const { config, gate, intake, events, clock, secretKey, log } = dependencies
  const { settings } = config
  const contentDirs = foldersOf(settings.content)
  const urls = urlsOf(config)
  const formUrls = { student: urls.studentForm, site: urls.siteForm }
  const facts = createFacts(settings, contentDirs)
  const pages = createFormPages(config, contentDirs, formUrls)
  const tokens = createTokens(secretKey)

  const pageOf = (kind: Kind, request: IncomingMessage): PageOf => {
    const asked = readRequest(request, settings.languages)
    return { facts: facts(kind, asked.language), asked, fragment: false }
  }

  const newToken = ({ facts }: PageOf): string =>
    tokens.issue(facts.kind, shownConsent(facts), clock.now())

  const readToken = ({ facts }: PageOf, { values }: PostedForm): FormToken | undefined =>
    tokens.read(facts.kind, shownConsent(facts), values['token'])

  /** A fresh form. */
  const show = async (kind: Kind, request: IncomingMessage): Promise<HttpResponse> => {
    const page = pageOf(kind, request)
    const state = {
      token: newToken(page),
      values: page.asked.cameFrom,
      complaints: {},
      troubles: [],
    }
    return compressed(request, pages.form(page, state, { headers: KEPT_BY_THE_BROWSER }))
  }

  /**
   * The form again, with everything that was typed. Its token stays, so that a corrected form counts from
   * when it was begun; where it was not ours, it is new, and consent is asked again.
   */
  function showAgain(
    { page, posted, headers }: Omit<Post, 'address'>,
    status: number,
    { complaints = {}, troubles = [] }: Wrong,
  ): HttpResponse {
    const isOurs = readToken(page, posted) !== undefined
    const { consent, ...others } = posted.values
    const values = isOurs ? posted.values : others
    const asksAgain = !isOurs && consent !== undefined && page.facts.consent !== undefined
    const all = asksAgain ? [...troubles, page.facts.words.trouble.consent] : troubles
    const token = isOurs ? (posted.values['token'] as string) : newToken(page)
    return pages.form(
      page,
      { token, values, complaints, troubles: all },
      { status, headers: { ...headers, ...KEPT_BY_THE_BROWSER } },
    )
  }

  async function receive(kind: Kind, request: IncomingMessage): Promise<HttpResponse> {
    if (readDryRun(request)) throw errors.noDryRunHere()
    let page = pageOf(kind, request)
    // We read the body even if the gate rejects the request: the page that says so shows what was typed.
    const passed = await gate(request).catch(toFailure)
    try {
      const posted = await readForm(request)
      page = { ...page, fragment: posted.values['answer'] === 'fragment' }
      if (passed instanceof HttpError) return refused({ page, posted, headers: {} }, passed)
      return await accept({ page, posted, ...passed }).catch(error =>
        refused({ page, posted, headers: passed.headers }, toFailure(error)),
      )
    } catch (error) {
      const failure = toFailure(error)
      if (failure.status === 413) return pages.tooLarge(page, failure.headers)
      throw failure
    }
  }

  const toFailure = (error: unknown): HttpError => toHttpError(error, log)

  /** The service cannot receive it now. */
  function refused(
    post: Omit<Post, 'address'>,
    failure: HttpError,
    options?: { lockedOut: boolean },
  ): HttpResponse {
    const headers = { ...post.headers, ...failure.headers }
    const troubles = troublesOf(failure, post.page.facts, options)
    return showAgain({ ...post, headers }, failure.status, { troubles })
  }

  async function accept(post: Post): Promise<HttpResponse> {
    const { page, posted, address, headers } = post
    const { facts, asked } = page
    const { trouble, values } = posted
    const token = readToken(page, posted)
    const wrong = trouble ?? (token === undefined ? 'token' : undefined)
    if (token === undefined || wrong !== undefined) {
      return showAgain(post, 400, { troubles: wrong ? [facts.words.trouble[wrong]] : [] })
    }
    const now = clock.now()
    const details = detailsOf(facts, values, {
      token,
      placement: asked.placement,
      formUrl: formUrls[facts.kind],
      now,
    })
    const received = await intake[facts.kind]({
      body: bodyOf(facts, values, token, now),
      headers: {},
      clientAddress: address,
      dryRun: false,
      form: {
        // Someone who goes back only to agree says something new.
        nonce: details.consent?.given ? `${token.nonce} agreed` : token.nonce,
        details: JSON.stringify(details),
        required: facts.fields.flatMap(({ name, required }) => (required ? name : [])),
      },
    })
    if (details.trap !== undefined && received.outcome === 'accepted') events.count('trapped')
    return responseTo(received, post, headers)
  }

  function responseTo(received: Received, post: Post, headers: Headers): HttpResponse {
    const { page } = post
    switch (received.outcome) {
      case 'accepted':
        return pages.received(page, headers)
      case 'account':
        return pages.account(page, headers)
      case 'lockedOut':
        return refused(post, errors.lockedOut(received.lockedFor), { lockedOut: true })
      case 'invalid': {
        const complaints = complaintsOf(received.problems, page.facts.fields, page.facts.words)
        const known = Object.keys(complaints).length > 0
        const troubles = known ? [] : [page.facts.words.trouble.incomplete]
        return showAgain(post, 400, { complaints, troubles })
      }
      default:
        // The key of a form stands for one body, and its body has the fields of its operation.
        throw new Error(`A form cannot come to this: ${received.outcome}`)
    }
  }

  const formOf = (kind: Kind): Form => ({
    show: request => show(kind, request),
    receive: request => receive(kind, request),
    sent: async request => pages.sent(pageOf(kind, request)),
  })
  return { student: formOf('student'), site: formOf('site') }
}
