/** The responses of the forms: a section in the page that the request asked for. */

import type { Config } from '../config/config.ts'
import type { ContentFolder } from '../content/content-files.ts'
import type { Headers, HttpResponse } from '../http/router.ts'
import { FORM_BETTER, FORM_SENT, FORMS, formUrl } from '../http/urls.ts'
import type { Next, Told } from './after-sending.ts'
import type { FormFacts } from './form-facts.ts'
import { type FormRequest, queryOf } from './form-request.ts'
import { prefilledValues } from './prefill.ts'
import type { Html } from './render-field.ts'
import { type FormState, isNote, renderAccount, renderForm, renderWords, SAID, titleOf } from './render-form.ts'
import { createShell } from './render-page.ts'
import { renderSent, type SentPage } from './render-sent.ts'
import { carriedIn, type Step } from './two-steps.ts'

export type PageOf = {
  facts: FormFacts
  asked: FormRequest
  /** Whether the script has requested the page. It then replaces the section in place. */
  fragment: boolean
  /** Which questions the page asks. */
  step: Step
}

/** The second step of a form, directly after the first: its token, and the first step's answers that it depends on. */
export type Rest = {
  token: string
  carried: Readonly<Record<string, string>>
  values: Readonly<Record<string, string>>
  /** What the next page may show about the first step, encrypted. */
  sealed: string | undefined
}

export type Pages = {
  form(
    page: PageOf,
    state: Pick<
      FormState,
      'token' | 'values' | 'fieldProblems' | 'troubles' | 'callInstead' | 'suggestion' | 'everything'
    >,
    answer?: { status?: number; headers?: Headers },
  ): HttpResponse
  /** The response to a form that has arrived: a redirect, so that a reload sends nothing again. */
  received(page: PageOf, headers: Headers, told: Told | undefined): HttpResponse
  /** The response to a first step that has arrived: the second step. */
  askRest(page: PageOf, rest: Rest, headers: Headers): HttpResponse
  /** The page after the form. `next`: what the person may see of what they sent. */
  sent(page: PageOf, headers?: Headers, next?: Next): HttpResponse
  account(page: PageOf, headers: Headers): HttpResponse
  tooLarge(page: PageOf, headers: Headers): HttpResponse
  /** The headers of every response of a form. */
  headers(page: PageOf): Headers
}

/** `calledWhen`: when someone calls the person, in words, from the encrypted data in the second step. */
export function createFormPages(
  config: Config,
  contentDirs: ContentFolder[],
  calledWhen: (facts: FormFacts, sealed: string | undefined) => string | undefined = () => undefined,
): Pages {
  const { settings } = config
  const shell = createShell(config, contentDirs)
  const urlOf = ({ form }: FormFacts): string => formUrl(config, form)
  const pathOf = ({ form }: FormFacts): string => `${FORMS}${form.name}`

  function response(
    { facts, asked, fragment, step }: PageOf,
    section: Html,
    { title, status = 200, headers = {} }: { title: string; status?: number; headers?: Headers },
  ): HttpResponse {
    const body =
      fragment || asked.placement === 'element'
        ? shell.fragment(facts, section, { title, styled: !fragment })
        : shell.document(facts, section, {
            title,
            placement: asked.placement,
            theme: asked.theme,
            preview: asked.preview,
            kiosk: asked.kiosk,
            others: othersOf(facts, asked, step),
          })
    return {
      status,
      headers: {
        ...shell.headers(facts, asked),
        'Cache-Control': 'no-store',
        Vary: 'Accept-Language, Accept-Encoding, Origin',
        ...headers,
      },
      body,
    }
  }

  /** The path of the form, or its whole URL if the form is in a page of another site. */
  const base = ({ facts, asked: { placement } }: PageOf): string =>
    placement === 'element' ? urlOf(facts) : pathOf(facts)

  const level = ({ asked }: PageOf): 1 | 2 => (asked.placement === 'element' ? 2 : 1)

  const otherLanguages = ({ language }: FormFacts) =>
    settings.languages.filter(one => one !== language).map(one => ({ language: one, name: ownName(one) }))

  const othersOf = (facts: FormFacts, asked: FormRequest, step: Step) =>
    otherLanguages(facts).map(one => ({
      ...one,
      url: `${pathOf(facts)}${queryOf(asked, one.language, { campaign: true, rest: step === 'rest' && asked.rest !== undefined ? { token: asked.rest, carried: carriedIn(facts, asked.before), sent: asked.sent } : undefined })}`,
    }))

  const again = (page: PageOf): string => `${base(page)}${queryOf(page.asked, page.facts.language)}`

  /**
   * A URL to which forms are posted and from which no page is read. A post to a page's own URL makes a browser forget
   * that page in its history (RFC 9111, section 4.4). Someone who goes back would then send a fresh form, with another
   * token.
   */
  const action = (page: PageOf, language = page.facts.language): string => {
    const { asked, step } = page
    // The second step may have fields that the URL fills in.
    return `${base(page)}${queryOf(asked, language, { prefilled: step === 'first' })}&post${toWhatIsSaid(page)}`
  }

  const othersWithout = (page: PageOf) =>
    page.asked.placement === 'hosted'
      ? otherLanguages(page.facts).map(one => ({ ...one, url: action(page, one.language) }))
      : []

  /** The path of the page after the form, which the script loads. It also ends a second step with nothing to add. */
  const sentPath = (page: PageOf): string =>
    `${base(page).replace(FORMS, FORM_SENT)}${queryOf(page.asked, page.facts.language)}`

  const renderStep = (
    page: PageOf,
    state: Omit<FormState, 'action' | 'level' | 'step' | 'sentUrl' | 'others'>,
    location?: string,
  ) => {
    const sentBefore = state.values['sent']
    return renderForm(page.facts, {
      ...state,
      others: othersWithout(page),
      action: action(page),
      level: level(page),
      step: page.step,
      kiosk: page.asked.kiosk,
      sentUrl: withSealed(sentPath(page), sentBefore && encodeURIComponent(sentBefore)),
      when: page.step === 'rest' ? calledWhen(page.facts, sentBefore) : undefined,
      location,
    })
  }

  /** The URLs of the form. In an element, links that the script does not handle lead to the form's own page. */
  const formOf = (page: PageOf): Pick<SentPage, 'formUrl' | 'againUrl' | 'betterUrl'> => {
    const { facts, asked } = page
    const hosted = `${urlOf(facts)}?lang=${facts.language}`
    const betterUrl = `${base(page).replace(FORMS, FORM_BETTER)}${queryOf(asked, facts.language)}${toWhatIsSaid(page)}`
    return { formUrl: asked.placement === 'element' ? hosted : again(page), againUrl: again(page), betterUrl }
  }

  const sent = (
    page: PageOf,
    headers: Headers = {},
    after: Pick<SentPage, 'goOn' | 'location' | 'next'> = {},
  ): HttpResponse =>
    response(page, renderSent(page.facts, { ...after, ...formOf(page), level: level(page), kiosk: page.asked.kiosk }), {
      title: page.facts.words[page.facts.kind].sentTitle,
      headers: { ...headers, ...NOT_FOUND_BY_SEARCH },
    })

  return {
    form: (page, state, { status = 200, headers = {} } = {}) => {
      const noted = page.facts.fields.filter(field => state.fieldProblems[field.name] !== undefined)
      const isWrong = state.troubles.length > 0 || noted.some(field => !isNote(page.facts, field, state.fieldProblems))
      const title = titleOf(page.facts, page.step)
      return response(page, renderStep(page, state), {
        title: isWrong ? `${page.facts.words.form.error}: ${title}` : title,
        status,
        headers: page.step === 'rest' ? { ...headers, ...NOT_FOUND_BY_SEARCH } : headers,
      })
    },

    askRest: (first, { token, carried, values, sealed }, headers) => {
      const page: PageOf = { ...first, step: 'rest' }
      const { facts, asked, fragment } = page
      const query = queryOf(asked, facts.language, { prefilled: true, rest: { token, carried, sent: sealed } })
      const here = `${base(page)}${query}`
      if (!fragment) return { status: 303, headers: { ...headers, Location: here }, body: '' }
      const location = asked.placement === 'hosted' ? here : undefined
      const prefilled = prefilledValues(facts, asked.prefilled)
      const given = { ...values, ...prefilled, ...(sealed !== undefined && { sent: sealed }) }
      const state = { token, values: given, fieldProblems: {}, troubles: [], arrived: true }
      return response(page, renderStep(page, state, location), { title: titleOf(facts, 'rest'), headers })
    },

    received: (page, headers, told) => {
      const { asked, fragment } = page
      // On a shared tablet, the next person needs the form, so it does not lead to the school's own page.
      const sentUrl = asked.kiosk ? undefined : page.facts.form.sentUrl
      const here = withSealed(sentPath(page), told?.sealed)
      // Another site may not allow browsers to show it in a frame.
      const next = asked.placement === 'hosted' ? (sentUrl ?? here) : undefined
      if (fragment && asked.kiosk) return sent(page, headers, { next: told?.next() })
      if (fragment)
        return sent(page, headers, {
          location: next ?? sentUrl,
          goOn: sentUrl,
          next: next === undefined ? told?.next() : undefined,
        })
      return next === undefined && sentUrl !== undefined
        ? sent(page, headers, { goOn: sentUrl, next: told?.next() })
        : { status: 303, headers: { ...headers, Location: next ?? here }, body: '' }
    },

    sent: (page, headers, next) => sent(page, headers, { next }),

    headers: ({ facts, asked }) => shell.headers(facts, asked),

    account: (page, headers) => {
      const { forms } = settings
      const signInUrl = forms.signInUrl ?? config.learnUrl
      return response(page, renderAccount(page.facts, { signInUrl, level: level(page) }), {
        title: page.facts.words.after.accountTitle,
        status: 409,
        headers,
      })
    },

    tooLarge: (page, headers) => {
      const { tooLargeTitle, tooLarge } = page.facts.words.trouble
      return response(page, renderWords(page.facts, tooLargeTitle, tooLarge), {
        title: `${page.facts.words.form.error}: ${tooLargeTitle}`,
        status: 413,
        headers,
      })
    },
  }
}

/** The end of a URL to which forms are posted. A redirect without such an end keeps it. */
const toWhatIsSaid = ({ asked }: PageOf): string => (asked.placement === 'iframe' ? `#${SAID}` : '')

/** Adds to a URL what the page after a form may show, encrypted: base64url, which needs no encoding. */
const withSealed = (url: string, sealed: string | undefined): string =>
  sealed === undefined ? url : `${url}&sent=${sealed}`

const NOT_FOUND_BY_SEARCH = { 'X-Robots-Tag': 'noindex' }

/** A language's own name: Español. */
function ownName(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  return name.replace(/^\p{Ll}/u, letter => letter.toLocaleUpperCase(language))
}
