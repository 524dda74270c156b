/**
 * The section of a form, the section that says that it has arrived, and the section about an account: the same markup
 * on its own page, in an element and in an iframe.
 */
import { html, raw } from 'hono/html'
import { telLink } from '../content/contact-links.ts'
import { campaignFields } from '../leads/body/form-details.ts'
import { ownWords, writingDirection } from '../leads/body/languages.ts'
import { ASKED_THEN, askedFields, askedThen } from './conditions.ts'
import { ASKED } from './contact-questions.ts'
import type { FieldProblems } from './field-problems.ts'
import type { FormFacts } from './form-facts.ts'
import type { Field } from './form-fields.ts'
import { fill } from './form-words.ts'
import { attributes, type Html, renderField } from './render-field.ts'
import { carriedOver, fieldsOfStep, firstStep, STEP, type Step } from './two-steps.ts'

/** What differs between pages. */
export type FormState = {
  action: string
  token: string
  /** What was typed, and the hidden fields that say where the person came from. */
  values: Readonly<Record<string, string>>
  fieldProblems: FieldProblems
  /** Sentences about the whole form, above the fields. */
  troubles: readonly string[]
  /** The email address that the person most likely meant. */
  suggestion?: string | undefined
  /** Whether the sentences above the fields say that the person can also call. */
  callInstead?: boolean
  /** Whether to show every question, even one that depends on an answer that no one has given. */
  everything?: boolean
  /** Whether many people fill it in on one device. */
  kiosk?: boolean
  step: Step
  /** The URL of the page that says that the first step has arrived, for people who have nothing to add. */
  sentUrl: string
  /** When someone will call, in the second step; undefined if we do not promise it. */
  when?: string | undefined
  /** Whether the first step has just arrived, and the URL that the script then goes to. */
  arrived?: boolean
  location?: string | undefined
  /** The same form in other languages, by URLs to which it is sent so that what was typed is there, too. */
  others: readonly OtherLanguage[]
  /** The level of the heading: 1 on a page of ours, 2 in another page. */
  level: 1 | 2
}

export type OtherLanguage = { language: string; name: string; url: string }

/** The field of the button that asks for another language, and sends nothing to the school. */
export const SWITCH = 'switch'

/** The field that only programs fill in. It has no name or label from which browsers would know what to fill in. */
export const TRAP = 'subject'

/**
 * The id of the result on the page after a post. In an iframe, the URL of the post ends with it, so that browsers
 * scroll the page around the iframe, too; the focus in a frame without scripts does not make them do so.
 */
export const SAID = 'said'

/** The hidden fields that say where the person came from, and what we have asked them about. */
const hiddenFields = ({ settings }: FormFacts): string[] => [
  'page',
  'referrer',
  'landing',
  ...campaignFields.map(field => `utm_${field}`),
  ...settings.forms.clickIds,
  ...Object.values(ASKED),
]

export function renderForm(facts: FormFacts, state: FormState): Html {
  const { kind, words, settings } = facts
  const { form } = words
  const { values, fieldProblems, step } = state
  const fields = fieldsOfStep(facts.fields, step)
  const asked = new Set((state.everything ? fields : askedFields(facts.fields, values)).map(({ name }) => name))
  const then = askedThen(facts.fields, fields, values)
  const isRest = step === 'rest'
  const before = isRest ? carriedOver(facts, values) : {}
  const origin = isRest ? [] : hiddenFields(facts)
  const corrects = !isRest && values['sent'] !== undefined
  const said = summary(facts, state)
  const formatPhone = ['US', 'CA'].includes(settings.school.country)
  return section(
    facts,
    'form',
    html`${heading(state.level, corrects ? words.after.correctTitle : titleOf(facts, step), isRest && said === '' ? SAID : undefined)}
${corrects ? '' : paragraphs(isRest ? introductionOfRest(facts, state.when) : introductionOf(facts), 'introduction')}${
  step === 'first' && !corrects ? html`\n<p class="introduction">${words.rest.follows}</p>` : ''
}
<form method="post"${attributes({
      action: state.action,
      part: 'form',
      'accept-charset': 'utf-8',
      'data-kind': kind,
      'data-name': facts.form.name,
      'data-prefill': facts.form.prefill?.join(' '),
      'data-problems': form.problems,
      'data-error': form.error,
      'data-sending': form.sending,
      'data-slow': form.slow,
      'data-waiting': form.waiting,
      'data-late': form.late,
      'data-draft': form.draft,
      'data-clear': form.clear,
      ...(state.kiosk
        ? {
            autocomplete: 'off',
            'data-kiosk': '',
            'data-next': words.kiosk.next,
            'data-stored': words.kiosk.stored,
            'data-waits': words.kiosk.waits,
          }
        : {}),
    })} novalidate>
${said}${hidden('token', state.token)}${
  step === firstStep(facts) ? '' : hidden(STEP, step)
}${values['sent'] ? hidden('sent', values['sent']) : ''}${Object.entries(before).map(([name, value]) => hidden(name, value))}${origin.map(
  name => (values[name] ? hidden(name, values[name]) : ''),
)}${then === undefined ? '' : hidden(ASKED_THEN, then)}<div class="trap" aria-hidden="true"><label for="${TRAP}">${form.trap}</label><input type="text" id="${TRAP}" name="${TRAP}" tabindex="-1" autocomplete="off"${attributes({ value: values[TRAP] || undefined })}></div>
<div class="fields">
${fields.map(field =>
  renderField(
    field,
    {
      value: values[field.name] ?? '',
      values,
      problem: fieldProblems[field.name],
      isNote: isNote(facts, field, fieldProblems),
      isAsked: asked.has(field.name),
      suggestion: field.name === 'email' ? state.suggestion : undefined,
    },
    words,
    { formatPhone, kiosk: state.kiosk === true },
  ),
)}</div>
${isRest ? '' : consentBox(facts, values['consent'] !== undefined)}
<button part="button">${isRest ? words.rest.send : corrects ? words.after.correctSend : buttonOf(facts)}</button>
<p class="status" role="status" part="status"></p>${languageButtons(state.others)}
</form>${isRest ? html`\n<p class="leave">${leaveLink(facts, state)}</p>` : ''}`,
    { location: state.location, arrived: state.arrived },
  )
}

/** For browsers without scripts, whose links would lose what was typed. Enter presses the first button of a form. */
const languageButtons = (others: readonly OtherLanguage[]): Html | '' =>
  others.length === 0
    ? ''
    : html`\n<p class="languages">${others.map(({ language, name, url }) => html`<button class="quiet" name="${SWITCH}" value="${language}" formaction="${url}" lang="${language}">${name}</button>`)}</p>`

/** On another site's page, the script shows it in place. */
const leaveLink = ({ form, words }: FormFacts, { sentUrl }: FormState): Html =>
  form.sentUrl === undefined
    ? html`<a href="${sentUrl}" data-again="${sentUrl}">${words.rest.leave}</a>`
    : html`<a href="${form.sentUrl}" target="_top">${words.rest.leave}</a>`

export const titleOf = ({ kind, form, words, language, settings }: FormFacts, step?: Step): string =>
  step === 'rest' ? words.rest.title : (ownWords(form.title, language, settings.languages) ?? words[kind].title)

export const introductionOf = ({ kind, form, words, language, settings }: FormFacts): string =>
  ownWords(form.introduction, language, settings.languages) ?? words[kind].introduction

/** A school that has replaced our promise with its own thanks does not promise anything here, either. */
const introductionOfRest = ({ kind, form, words, language, settings }: FormFacts, when: string | undefined): string =>
  when === undefined || ownWords(form.sent, language, settings.languages) !== undefined
    ? words.rest.introduction
    : fill(words.rest.promise, { call: fill(words[kind].willCall, { when }) })

const buttonOf = ({ kind, form, words, language, settings }: FormFacts): string =>
  ownWords(form.button, language, settings.languages) ?? words[kind].send

/** The person has an account at the learning site, and can sign in there. */
export function renderAccount(facts: FormFacts, { signInUrl, level }: { signInUrl: string; level: 1 | 2 }): Html {
  const { after } = facts.words
  return section(
    facts,
    'sent',
    html`${heading(level, after.accountTitle, SAID)}
<p>${after.account}</p>
<p><a class="button" part="button" href="${signInUrl}" target="_top">${after.signIn}</a></p>`,
  )
}

/** A page that has only words, for example when what was sent is too long to be read. */
export const renderWords = (facts: FormFacts, title: string, text: string): Html =>
  section(
    facts,
    'form',
    html`${heading(1, title, SAID)}
<p>${text}</p>
${callUs(facts, facts.words.trouble.callInstead)}`,
  )

export function section(
  { language }: FormFacts,
  what: 'form' | 'sent',
  content: Html,
  { location, arrived = false }: { location?: string | undefined; arrived?: boolean | undefined } = {},
): Html {
  return html`<section class="frontdesk"${attributes({
    'data-frontdesk': what,
    'data-location': location,
    'data-arrived': arrived ? '' : undefined,
    lang: language,
    dir: writingDirection(language),
  })}>
${content}
</section>`
}

export const heading = (level: 1 | 2, text: string, id?: string): Html =>
  level === 1
    ? html`<h1${attributes({ id })} part="title" tabindex="-1">${text}</h1>`
    : html`<h2${attributes({ id })} class="title" part="title" tabindex="-1">${text}</h2>`

/** The school's text: an empty line separates paragraphs. */
export const paragraphs = (text: string, part?: string): Html =>
  html`${text.split(/\n\s*\n/).map(paragraph => {
    const [, label, url] = LINK.exec(paragraph.trim()) ?? []
    return url === undefined
      ? html`<p${attributes({ class: part, part })}>${paragraph}</p>`
      : html`<p><a class="button" part="button" href="${url}" target="_top">${label}</a></p>`
  })}`

/** A paragraph that is only a link becomes a button: the next step. */
const LINK = /^\[([^\]]+)\]\((https?:\/\/[^\s()]+)\)$/

export const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`

/** Whether the sentence beside a field is only a note: the field follows from an answer, and may be left empty. */
export const isNote = (
  { words }: Pick<FormFacts, 'words'>,
  { name, required }: Pick<Field, 'name' | 'required'>,
  fieldProblems: FieldProblems,
): boolean => !required && fieldProblems[name] === words.form.askThen

/** The problems above the form, each with a link to its field. Takes the focus even without a script ("autofocus"). */
function summary(facts: FormFacts, { fieldProblems, troubles, callInstead, kiosk }: FormState) {
  const { words, fields } = facts
  const wrong = fields.filter(({ name }) => fieldProblems[name] !== undefined)
  if (wrong.length === 0 && troubles.length === 0) return ''
  const onlyNotes = troubles.length === 0 && wrong.every(field => isNote(facts, field, fieldProblems))
  return html`<div class="problems${onlyNotes ? ' notes' : ''}" id="${SAID}" part="summary" role="alert" tabindex="-1" autofocus>
${troubles.map(trouble => html`<p>${trouble}</p>\n`)}${callInstead ? callUs(facts, words.trouble.callInstead, kiosk) : ''}${
  wrong.length === 0
    ? ''
    : html`<h2>${onlyNotes ? words.form.more : words.form.problems}</h2>
<ul>${wrong.map(({ name }) => html`<li><a href="#${name}">${fieldProblems[name]}</a></li>`)}</ul>\n`
}</div>\n`
}

function consentBox({ consent, words }: FormFacts, ticked: boolean): Html | '' {
  if (consent === undefined) return ''
  return html`<div class="field tick" part="consent">
<input type="checkbox" id="consent" name="consent" value="yes"${ticked ? raw(' checked') : ''}${attributes({ 'aria-describedby': consent.link && 'consent-link' })}>
<label for="consent">${consent.text}</label>${
    consent.link === undefined
      ? ''
      : html`\n<p class="hint" id="consent-link"><a href="${consent.link}" target="_blank">${words.form.consentLink}</a></p>`
  }
</div>`
}

/** A sentence with the school's phone number, without a link on a shared tablet; empty if we do not know the number. */
export function callUs({ settings: { school } }: FormFacts, sentence: string, kiosk = false): Html | '' {
  const { phone, country } = school
  if (phone === undefined) return ''
  const [before = '', after = ''] = sentence.split('{phone}')
  return html`<p>${before}${kiosk ? phone : html`<a href="${telLink(phone, country)}">${phone}</a>`}${after}</p>\n`
}
