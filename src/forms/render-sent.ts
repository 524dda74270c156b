/** The page after a form: thanks, what happens next, and what the person can still change. */
import { html } from 'hono/html'
import { ownWords } from '../leads/body/languages.ts'
import { dayParts } from '../platform/time.ts'
import type { Next } from './after-sending.ts'
import type { FormFacts } from './form-facts.ts'
import { fill } from './form-words.ts'
import { attributes, type Html } from './render-field.ts'
import { callUs, heading, hidden, paragraphs, SAID, section } from './render-form.ts'

export type SentPage = {
  /** The URL of the form for a correction, and the URL from which the script loads that form. */
  formUrl: string
  againUrl: string
  /** The URL to which the page posts the best time to call. */
  betterUrl: string
  next?: Next | undefined
  /** A page of the school where people can continue. */
  goOn?: string | undefined
  /** The URL that the script goes to immediately. */
  location?: string | undefined
  kiosk?: boolean
  level: 1 | 2
}

/** The section that says that the form has arrived. */
export function renderSent(facts: FormFacts, page: SentPage): Html {
  const { goOn, location, level, next, kiosk = false } = page
  const { kind, form, words, language, settings } = facts
  const own = ownWords(form.sent, language, settings.languages)
  return section(
    facts,
    'sent',
    html`${heading(level, next?.corrected ? words.after.corrected : words[kind].sentTitle, SAID)}
${own === undefined ? whatFollows(facts, next) : paragraphs(own)}
${
  next === undefined || next.bestTime !== undefined || next.completed || kiosk ? '' : times(facts, next, page.betterUrl)
}${next?.email ? contact(facts, next) : ''}${kiosk ? '' : again(facts, page)}${callUs(facts, words.after.call, kiosk)}${
  kiosk ? nextPerson(facts, page) : ''
}${
  goOn === undefined
    ? ''
    : html`\n<p><a href="${goOn}" target="_top">${fill(words.after.goOn, { site: new URL(goOn).host })}</a></p>`
}`,
    { location },
  )
}

/** If the page shows the contact data, that says the rest. */
function whatFollows({ kind, words }: FormFacts, next: Next | undefined): Html {
  const [general = '', ...others] = words[kind].sent.split(/\n\s*\n/)
  const first =
    next?.when !== undefined
      ? fill(words[kind].willCall, { when: next.when })
      : next?.bestTime === undefined
        ? general
        : ''
  return html`${[first, ...(next?.email ? [] : others)].filter(Boolean).map(text => paragraphs(text))}`
}

const contact = ({ kind, words: { after } }: FormFacts, { phone, email, bestTime }: Next): Html =>
  html`${bestTime === undefined ? '' : html`<p>${after[bestTime]}</p>\n`}<p>${fill(kind === 'student' ? after.contact : after.contactOnly, { phone, email })}</p>\n`

/** On a shared tablet: a link to an empty form. */
const nextPerson = ({ words: { kiosk } }: FormFacts, { formUrl, againUrl }: SentPage): Html =>
  html`<p><a class="button" href="${formUrl}" data-again="${againUrl}">${kiosk.next}</a></p>`

/** A link to correct what was sent. */
function again({ words: { after } }: FormFacts, { formUrl, againUrl, next }: SentPage): Html {
  const [url, data] = [formUrl, againUrl].map(one => (next === undefined ? one : withSealed(one, next)))
  return html`<p>${next === undefined ? after.correct : after.wrong} <a href="${url}" data-again="${data}">${next === undefined ? after.again : after.change}</a></p>`
}

const withSealed = (url: string, { sealed }: Next): string => `${url}${url.includes('?') ? '&' : '?'}sent=${sealed}`

/** Buttons, so that one press is enough. */
function times({ words: { after, form } }: FormFacts, { sealed }: Next, url: string): Html {
  return html`<form method="post"${attributes({ action: url, class: 'times' })}>${hidden('sent', sealed)}
<fieldset><legend>${after.bestTime}</legend>
${dayParts.map(part => html`<button class="quiet" name="time" value="${part}">${form[part]}</button>\n`)}</fieldset></form>\n`
}
