/** What a person sees of a form: empty, again with what was typed and what is wrong, or arrived. */

import { errors, type HttpError } from '../http/errors.ts'
import type { Received } from '../http/intake.ts'
import type { Headers, HttpResponse } from '../http/router.ts'
import type { StoredFirst } from '../http/second-step.ts'
import type { Clock } from '../platform/time.ts'
import type { Told } from './after-sending.ts'
import type { ContactQuestions } from './contact-questions.ts'
import { type FieldProblems, fieldProblemsOf } from './field-problems.ts'
import type { PostedForm } from './form-body.ts'
import { type FormFacts, shownConsent } from './form-facts.ts'
import { programNamed } from './form-submission.ts'
import { fill } from './form-words.ts'
import { hiddenValues } from './own-questions.ts'
import type { PageOf, Pages } from './pages.ts'
import { prefilledValues } from './prefill.ts'
import { createTokens, type FormToken } from './token.ts'
import { beginsWith, carriedIn, carriedOver, createRestTokens, type RestTokens } from './two-steps.ts'

export type Post = {
  page: PageOf
  posted: PostedForm
  headers: Headers
  /** What the page after the form shows, once the form has arrived. */
  told?: Told | undefined
}

/** What a page shows besides the form itself. */
type Wrong = {
  fieldProblems?: FieldProblems
  troubles?: readonly string[]
  callInstead?: boolean
  suggestion?: string | undefined
}

export type FormStates = {
  /** An empty form. With `typed`, the form holds what was sent, for a correction. */
  fresh(page: PageOf, typed?: Readonly<Record<string, string>>): HttpResponse
  /** The second step of a form, if the token in its URL is ours; otherwise, the form from the start. */
  rest(page: PageOf): HttpResponse
  /**
   * The form again, with everything that was typed. It keeps its token, so that the time of a corrected form counts
   * from its first start. If the token was not ours, the form gets a new one and asks for consent again.
   */
  again(post: Post, status: number, wrong: Wrong): HttpResponse
  /** Shown if the service cannot receive the form now. */
  refused(post: Post, failure: HttpError): HttpResponse
  after(post: Post, received: Received): HttpResponse
  /** Asks about doubtful contact data and unanswered questions, and shows the problems that a dry run `received`. */
  ask(post: Post, questions: ContactQuestions, received: Received): HttpResponse
}

/** The tokens of forms. Each token is bound to what its page shows. `rest`: the tokens of the second step. */
export type FormTokens = {
  issue(facts: FormFacts): string
  read(facts: FormFacts, posted: PostedForm): FormToken | undefined
  rest: {
    issue(facts: FormFacts, first: StoredFirst): string
    read(facts: FormFacts, token: string | undefined): ReturnType<RestTokens['read']>
  }
}

/**
 * A browser may keep a form in its history, so that people who go back find what they typed, and the same token.
 * Without a script, this also applies to the response to a post: if the browser did not keep it, going back shows a
 * page that asks whether to send the form again. In a kiosk, nothing is kept: it would show the next person what the
 * last one typed.
 */
const keptBy = ({ asked }: PageOf): Headers => (asked.kiosk ? {} : { 'Cache-Control': 'private, no-cache' })

export function createFormStates(pages: Pages, tokens: FormTokens): FormStates {
  const fresh: FormStates['fresh'] = (page, typed = {}) => {
    const { facts, asked } = page
    const program = programNamed(facts, asked.program ?? facts.form.program)
    const values = {
      ...asked.cameFrom,
      ...hiddenValues(facts),
      ...prefilledValues(facts, asked.prefilled),
      ...(program !== undefined && { program }),
      ...typed,
    }
    const state = { token: asked.preview ? '' : tokens.issue(facts), values, fieldProblems: {}, troubles: [] }
    return pages.form({ ...page, step: beginsWith(page) }, state, { headers: keptBy(page) })
  }

  const rest: FormStates['rest'] = page => {
    const { facts, asked } = page
    if (tokens.rest.read(facts, asked.rest) === undefined) return fresh(page)
    const values = {
      ...hiddenValues(facts),
      ...prefilledValues(facts, asked.prefilled),
      ...carriedIn(facts, asked.before),
      ...(asked.sent !== undefined && { sent: asked.sent }),
    }
    const state = { token: asked.rest ?? '', values, fieldProblems: {}, troubles: [] }
    return pages.form({ ...page, step: 'rest' }, state, { headers: keptBy(page) })
  }

  /** Whether a post has a token that we signed and still accept. */
  const isOurToken = ({ page: { facts, step }, posted }: Post): boolean =>
    step === 'rest'
      ? tokens.rest.read(facts, posted.values['token']) !== undefined
      : tokens.read(facts, posted) !== undefined

  const again: FormStates['again'] = (
    post,
    status,
    { fieldProblems = {}, troubles = [], callInstead = false, suggestion },
  ) => {
    const { page, posted, headers } = post
    const { facts } = page
    const isOurs = isOurToken(post)
    const { consent, ...others } = posted.values
    const values = isOurs ? posted.values : others
    const asksAgain = !isOurs && consent !== undefined && facts.consent !== undefined
    const all = asksAgain ? [...troubles, facts.words.trouble.consent] : troubles
    const token = isOurs ? (posted.values['token'] as string) : tokens.issue(facts)
    return pages.form(
      page,
      { token, values, fieldProblems, troubles: all, callInstead, suggestion },
      { status, headers: { ...headers, ...keptBy(page) } },
    )
  }

  const refused = (post: Post, failure: HttpError, options?: { lockedOut: boolean }) => {
    const headers = { ...post.headers, ...failure.headers }
    const troubles = [troubleOf(failure, post.page.facts, options)]
    return again({ ...post, headers }, failure.status, { troubles, callInstead: true })
  }

  const after: FormStates['after'] = (post, received) => {
    const { page, headers } = post
    switch (received.outcome) {
      case 'accepted': {
        const { facts, step } = page
        if (step !== 'first' || received.first === undefined) return pages.received(page, headers, post.told)
        const { values } = post.posted
        const carried = carriedOver(facts, values)
        const token = tokens.rest.issue(facts, received.first)
        const sealed = post.told?.sealed
        return pages.askRest(page, { token, carried, values: { ...hiddenValues(facts), ...carried }, sealed }, headers)
      }
      case 'account':
        return pages.account(page, headers)
      case 'lockedOut':
        return refused(post, errors.lockedOut(received.lockedFor), { lockedOut: true })
      case 'invalid': {
        const { fields, words } = page.facts
        const fieldProblems = fieldProblemsOf(received.problems, fields)
        const known = Object.keys(fieldProblems).length > 0
        return again(post, 400, { fieldProblems, troubles: known ? [] : [words.trouble.incomplete] })
      }
      default:
        // This cannot happen: the key of a form belongs to one body, and the body has only fields of its operation.
        throw new Error(`A form cannot come to this: ${received.outcome}`)
    }
  }

  const ask: FormStates['ask'] = (post, { sentences, values, suggestion }, received) => {
    if (received.outcome === 'lockedOut') return after(post, received)
    const { fields } = post.page.facts
    const problems = received.outcome === 'invalid' ? fieldProblemsOf(received.problems, fields) : {}
    const asking = { ...post, posted: { ...post.posted, values } }
    return again(asking, 400, { fieldProblems: { ...sentences, ...problems }, suggestion })
  }

  return { fresh, rest, again, refused, after, ask }
}

export function createFormTokens(secretKey: string, clock: Clock): FormTokens {
  const tokens = createTokens(secretKey)
  const rest = createRestTokens(secretKey)
  return {
    issue: facts => tokens.issue(facts.kind, shownConsent(facts), clock.now()),
    read: (facts, { values }) => tokens.read(facts.kind, shownConsent(facts), values['token']),
    rest: {
      issue: ({ form }, first) => rest.issue(form, first, clock.now()),
      read: ({ form }, token) => rest.read(form, token, clock.now()),
    },
  }
}

/** Why we cannot accept a form now, in the form's language, with what the person can do. */
function troubleOf(
  { status, headers, cause }: HttpError,
  { words: { trouble } }: FormFacts,
  { lockedOut = false } = {},
): string {
  const wait = Number(headers['Retry-After'] ?? 60)
  if (status === 429) {
    const sentence = lockedOut ? trouble.lockedOut : trouble.tooMany
    return fill(sentence, { minutes: inWords(wait, trouble) })
  }
  const isBusy = status === 503 && cause === undefined
  return isBusy ? trouble.busy : trouble.unavailable
}

/** A duration in seconds, rounded up, in words. */
function inWords(wait: number, trouble: FormFacts['words']['trouble']): string {
  const minutes = Math.max(1, Math.ceil(wait / 60))
  const hours = Math.ceil(minutes / 60)
  if (minutes === 1) return trouble.minute
  if (minutes < 60) return fill(trouble.minutes, { count: minutes })
  return hours === 1 ? trouble.hour : fill(trouble.hours, { count: hours })
}
