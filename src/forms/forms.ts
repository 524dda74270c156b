/** The school's forms: the page, the posts to it, and how these are handed to the intake. */
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { FIRST_FORM, formsOf } from '../config/school-forms.ts'
import { contentDirs as foldersOf } from '../content/content-files.ts'
import { preferredCoding } from '../http/content-negotiation.ts'
import { readDryRun } from '../http/dry-run-parameter.ts'
import { errors, HttpError, toHttpError } from '../http/errors.ts'
import type { FormCounts } from '../http/form-counts.ts'
import type { Gate } from '../http/gate.ts'
import type { Intake, SubmittedForm } from '../http/intake.ts'
import type { Handler, HttpResponse } from '../http/router.ts'
import type { SecurityEvents } from '../http/security-events.ts'
import { formUrl } from '../http/urls.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { Clock } from '../platform/time.ts'
import { type CalledBy, createAfterSending, dayPartNamed, detailsWithTime } from './after-sending.ts'
import { askedFields, notAskedYet } from './conditions.ts'
import { contactQuestions, hasWaited, withSuggestion } from './contact-questions.ts'
import { unanswered } from './field-problems.ts'
import { readForm } from './form-body.ts'
import { createFacts } from './form-facts.ts'
import { queryOf, readRequest } from './form-request.ts'
import { createFormStates, createFormTokens, type Post } from './form-states.ts'
import { bodyOf, detailsOf } from './form-submission.ts'
import { createFormPages, type PageOf } from './pages.ts'
import { SWITCH } from './render-form.ts'
import { beginsWith, fieldsOfStep, stepSent } from './two-steps.ts'

type FormServices = {
  config: Config
  gate: Gate
  intake: Intake
  events: SecurityEvents
  counts: Pick<FormCounts, 'count'>
  clock: Clock
  calledBy: CalledBy
  /** The secret that signs links. */
  secretKey: string
  log: Logger
}

/**
 * The handlers of one form: `show` shows it, `receive` handles its posts, `sent` is the page that says that it has
 * arrived, `begun` counts that someone began to fill it in, and `better` receives the best time to call. The last
 * part of each path is the name of the form.
 */
export type Form = { show: Handler; receive: Handler; sent: Handler; begun: Handler; better: Handler }

/** Throws an Error that names the file if the words or the styles cannot be read. */
export function createForms(dependencies: FormServices): Record<Kind, Form> {
  const { config, gate, intake, events, counts, clock, secretKey, log } = dependencies
  const { settings } = config
  const contentDirs = foldersOf(settings.content)
  const facts = createFacts(settings, contentDirs)
  const all = formsOf(settings)
  const afterSending = createAfterSending({ ...dependencies, settings })
  const pages = createFormPages(config, contentDirs, afterSending.calledWhen)
  const tokens = createFormTokens(secretKey, clock)
  const states = createFormStates(pages, tokens)

  /** Throws 404 if no form of the kind has the name. */
  const pageOf = (kind: Kind, name: string, request: IncomingMessage): PageOf => {
    const form = all.find(one => one.name === name && one.kind === kind)
    const asked = readRequest(request, settings.languages, {
      own: form?.language,
      clickIds: settings.forms.clickIds,
      prefill: form?.prefill,
    })
    const found = form && facts(name, asked.language)
    if (found === undefined) throw errors.notFound()
    return { facts: found, asked, fragment: false, step: beginsWith({ facts: found, asked }) }
  }

  async function show(page: PageOf, request: IncomingMessage): Promise<HttpResponse> {
    const { form, language } = page.facts
    if (form.state !== 'archived') {
      if (page.asked.rest !== undefined) return compressed(request, states.rest(page))
      if (request.method === 'GET' && !page.asked.preview) counts.count(form.name, 'seen')
      const wrong = afterSending.read(page.facts, page.asked.sent)
      return compressed(request, states.fresh(page, wrong && { ...wrong.values, sent: page.asked.sent ?? '' }))
    }
    // Links, codes and embeds of an archived form must still lead somewhere.
    const first = formUrl(config, { kind: form.kind, name: FIRST_FORM[form.kind] })
    const Location = `${first}${queryOf(page.asked, language, { campaign: true })}`
    return { status: 303, headers: { ...pages.headers(page), Location }, body: '' }
  }

  async function receive(shown: PageOf, request: IncomingMessage): Promise<HttpResponse> {
    if (readDryRun(request)) throw errors.noDryRunHere()
    let page = shown
    // We read the body even if the gate rejects the request, because the page that says so shows what was typed.
    const passed = await gate(request).catch(toFailure)
    try {
      const read = await readForm(request)
      const posted = { ...read, values: withSuggestion(read.values) }
      const fragment = posted.values['answer'] === 'fragment'
      page = { ...page, fragment, step: stepSent(page.facts, posted.values) }
      if (posted.values[SWITCH] !== undefined) return states.again({ page, posted, headers: {} }, 200, {})
      if (passed instanceof HttpError) return states.refused({ page, posted, headers: {} }, passed)
      const post = { page, posted, headers: passed.headers }
      return await accept(post, passed.address).catch(error => states.refused(post, toFailure(error)))
    } catch (error) {
      const failure = toFailure(error)
      if (failure.status === 413) return pages.tooLarge(page, failure.headers)
      throw failure
    }
  }

  const toFailure = (error: unknown): HttpError => toHttpError(error, log)

  async function accept(post: Post, clientAddress: string): Promise<HttpResponse> {
    const { asked, step } = post.page
    const { trouble, values } = post.posted
    const all = post.page.facts.fields
    // Questions that the person was not asked do not need an answer, and any answer to them is ignored.
    const facts = { ...post.page.facts, fields: fieldsOfStep(askedFields(all, values), step) }
    const isRest = step === 'rest'
    const completes = isRest ? tokens.rest.read(facts, values['token']) : undefined
    if (isRest && completes === undefined) return everything(post)
    const corrects = isRest ? undefined : afterSending.correctedBy(facts, values['sent'])
    const first = completes ?? (corrects && { key: corrects.key })
    const own = completes ? { ...completes, nonce: completes.key } : tokens.read(facts, post.posted)
    // Correcting a form takes only seconds, so the time counts from the first form.
    const token = own && corrects ? { ...own, startedAt: corrects.token.startedAt } : own
    const refused = trouble ?? (token === undefined ? 'token' : undefined)
    if (token === undefined || refused !== undefined) {
      return states.again(post, 400, { troubles: refused ? [facts.words.trouble[refused]] : [] })
    }
    const now = clock.now()
    const details = detailsOf(facts, values, {
      token,
      placement: asked.placement,
      formUrl: formUrl(config, facts.form),
      ownUrls: [config.baseUrl, config.learnUrl, config.consoleUrl],
      now,
    })
    const questions = isRest ? undefined : contactQuestions(facts, values)
    const missing = hasWaited(values) ? {} : { ...unanswered(facts, details, values), ...notAskedYet(facts, values) }
    const asks = questions !== undefined || Object.keys(missing).length > 0
    const received = await intake[facts.kind]({
      body: bodyOf(facts, values, { ...token, rest: isRest }, now),
      headers: {},
      clientAddress,
      dryRun: asks,
      form: {
        // If someone goes back and changes only their consent, or another answer that is not in the body, it still
        // counts as a new submission.
        once: {
          ...(first && { completes: first }),
          nonce: [
            token.nonce,
            ...(details.consent?.given ? ['agreed'] : []),
            ...(details.program ? [details.program] : []),
            ...(details.answers ? [digestOf(details.answers)] : []),
          ].join(' '),
        },
        details: JSON.stringify({ ...details, ...(corrects && { corrects: true }) }),
        continues: step === 'first' && corrects === undefined,
        required: facts.fields.flatMap(({ name, required }) => (required ? name : [])),
      },
    })
    if (received.outcome === 'gone') return corrects ? accept(uncorrected(post), clientAddress) : everything(post)
    if (asks) {
      const { sentences = {}, suggestion } = questions ?? {}
      const asking = { values: questions?.values ?? values, suggestion, sentences: { ...sentences, ...missing } }
      return states.ask(post, asking, received)
    }
    if (details.trap !== undefined && received.outcome === 'accepted') events.count('trapped')
    if (received.outcome === 'accepted' && !received.replayed && corrects === undefined) {
      counts.count(facts.form.name, isRest ? 'rest_sent' : 'sent')
    }
    const key = received.outcome === 'accepted' ? received.key : undefined
    const sent = afterSending.sentWith(facts, { values, token, key, details, corrects })
    const told = isRest
      ? afterSending.completed(facts, values['sent'], { key, bestTime: details.bestTime })
      : asked.kiosk
        ? afterSending.onTablet(facts, sent)
        : afterSending.told(facts, sent)
    return states.after({ ...post, told }, received)
  }

  /**
   * Receives the best time to call, which completes what the person has sent. If that submission is not found, this
   * becomes a further inquiry, without the person's words.
   */
  async function better(shown: PageOf, request: IncomingMessage): Promise<HttpResponse> {
    const passed = await gate(request)
    const { values } = await readForm(request)
    const page = { ...shown, fragment: values['answer'] === 'fragment' }
    const { facts, asked } = page
    const sent = afterSending.read(facts, values['sent'])
    const bestTime = dayPartNamed(values['time'])
    if (sent === undefined || bestTime === undefined) return pages.sent(page, passed.headers)
    const { message: _, ...said } = sent.values
    const details = detailsWithTime(facts, sent, { bestTime, placement: asked.placement })
    const nonce = `${sent.token.nonce} ${bestTime}`
    const take = (once: SubmittedForm['once']) =>
      intake[facts.kind]({
        body: bodyOf(facts, said, sent.token, clock.now()),
        headers: {},
        clientAddress: passed.address,
        dryRun: false,
        form: { once, details: JSON.stringify(details), required: [] },
      })
    const completed = sent.key === undefined ? undefined : await take({ completes: { key: sent.key }, nonce })
    const received = completed === undefined || completed.outcome === 'gone' ? await take({ nonce }) : completed
    const isKept = received.outcome === 'accepted' || received.outcome === 'account'
    const key = received.outcome === 'accepted' ? (received.key ?? sent.key) : sent.key
    return pages.sent(page, passed.headers, afterSending.told(facts, isKept ? { ...sent, key, bestTime } : sent).next())
  }

  /** If the first step's inquiry no longer exists, the person gets the whole form, to send as an inquiry of its own. */
  const everything = (post: Post): HttpResponse =>
    states.again({ ...post, page: { ...post.page, step: 'whole' } }, 400, {
      troubles: [post.page.facts.words.trouble.rest],
    })

  const formOf = (kind: Kind): Form => ({
    show: async (request, name) => show(pageOf(kind, name, request), request),
    receive: async (request, name) => receive(pageOf(kind, name, request), request),
    begun: async (request, name) => {
      const { facts, asked } = pageOf(kind, name, request)
      counts.count(facts.form.name, asked.rest === undefined ? 'begun' : 'rest_begun')
      return { status: 204, body: '' }
    },
    sent: async (request, name) => {
      const page = pageOf(kind, name, request)
      const sent = afterSending.read(page.facts, page.asked.sent)
      return pages.sent(page, {}, sent && afterSending.told(page.facts, sent).next())
    },
    better: async (request, name) => better(pageOf(kind, name, request), request),
  })
  return { student: formOf('student'), site: formOf('site') }
}

/** If the submission that a post corrects no longer exists, the post is an inquiry of its own. */
const uncorrected = (post: Post): Post => {
  const { sent: _, ...values } = post.posted.values
  return { ...post, posted: { ...post.posted, values } }
}

const digestOf = (answers: object): string => hash('sha256', JSON.stringify(answers), 'base64url')

/**
 * Compresses a page in another thread, if the browser accepts it: on a slow connection, that halves the time until the
 * page shows. Brotli would take longer than it saves, since each page is made only once.
 */
async function compressed({ headers }: IncomingMessage, response: HttpResponse): Promise<HttpResponse> {
  const others = (headers['accept-encoding'] ?? '').replace(/\bbr\b[^,]*/gi, '')
  if (preferredCoding(others) !== 'gzip') return response
  const body = await promisify(gzip)(String(response.body))
  return { ...response, headers: { ...response.headers, 'Content-Encoding': 'gzip' }, body }
}
