/** One field of a form as HTML: label, hint, problem, control, and what the script checks before sending. */
import { html, raw } from 'hono/html'
import { MOST_RADIOS } from '../config/school-form.ts'
import { SUGGESTED } from './contact-questions.ts'
import { digitsOf } from './field-problems.ts'
import type { Field, OurField } from './form-fields.ts'
import { fill, type Words } from './form-words.ts'

/** Text with its characters escaped, as the `html` template makes it. */
export type Html = ReturnType<typeof html>

export type FieldState = {
  value: string
  /** What was typed in all fields. A question with several answers has several values. */
  values: Readonly<Record<string, string>>
  /** The sentence that says what is wrong; undefined if the field is fine. */
  problem: string | undefined
  /** Whether the sentence is only a note, not a problem. */
  isNote: boolean
  /** Whether the question is already asked. Other questions stay hidden until an answer calls for them. */
  isAsked: boolean
  /** The address that the person most likely meant; undefined if we do not doubt the one they typed. */
  suggestion: string | undefined
}

/** Attributes with their values escaped; attributes that are undefined are left out. */
export const attributes = (values: Record<string, string | undefined>): Html => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return html`${given.map(([name, value]) => html` ${raw(name)}="${value}"`)}`
}

/**
 * Which data browsers can fill in (HTML, "Autofill"; WCAG 2.2, 1.3.5), and which keyboard a phone shows. No field has
 * `off`, because then browsers would not restore it after a step back or a reload.
 */
const inputs: Partial<Record<OurField, Record<string, string>>> = {
  firstName: { autocomplete: 'given-name', autocapitalize: 'words', spellcheck: 'false' },
  lastName: { autocomplete: 'family-name', autocapitalize: 'words', spellcheck: 'false' },
  // Email addresses and phone numbers are written from left to right in every language.
  email: { type: 'email', autocomplete: 'email', autocapitalize: 'none', spellcheck: 'false', dir: 'ltr' },
  phone: { type: 'tel', autocomplete: 'tel', dir: 'ltr' },
  company: { autocomplete: 'organization' },
  address: { autocomplete: 'street-address', rows: '3' },
  city: { autocomplete: 'address-level2' },
  state: { autocomplete: 'address-level1' },
  employer: { autocomplete: 'organization' },
  message: { rows: '5' },
}

/** Looser than the server's check: the script must not reject what the server accepts. */
const EMAIL = '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$'

export function renderField(
  field: Field,
  { value, problem, isNote, isAsked, suggestion, values }: FieldState,
  words: Words,
  options: { formatPhone: boolean; kiosk: boolean },
): Html {
  const { name, required, choices, own } = field
  if (own?.type === 'hidden') return html`<input type="hidden" name="${name}" value="${value}">\n`
  const { label, hint, use = '' } = field.words
  const described = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(problem === undefined ? [] : [`${name}-problem`]),
  ].join(' ')
  const common = {
    id: name,
    name,
    part: 'input',
    ...(own === undefined ? inputs[name as OurField] : {}),
    // On a shared tablet, browsers must not offer the next person what the last one typed.
    ...(options.kiosk ? { autocomplete: 'off' } : {}),
    'aria-describedby': described || undefined,
    'aria-invalid': problem === undefined || isNote ? undefined : 'true',
    ...checksOf(field),
    'data-format': name === 'phone' && options.formatPhone ? 'phone' : undefined,
  }
  const said = problem === undefined ? '' : sentenceBeside(name, problem, isNote)
  const follows = attributes({
    'data-if': own?.showIf?.field,
    'data-is': own?.showIf?.answer,
    hidden: own?.showIf === undefined || isAsked ? undefined : '',
  })
  if (choices !== undefined && (own?.type === 'choices' || isShort(choices))) {
    const chosen = (i: number, answer: string) =>
      own?.type === 'choices' ? values[`${name}-${i}`] !== undefined : value === answer
    return boxesField(field, chosen, { said, described, follows, optional: words.form.optional })
  }
  return html`<div class="field ${name}" part="field"${follows}>
<label for="${name}" part="label">${label}${required ? '' : html` <span class="optional">${words.form.optional}</span>`}</label>
${hint === undefined ? '' : html`<p class="hint" id="${name}-hint" part="hint">${hint}</p>\n`}${said}${
  choices !== undefined
    ? renderChoices(choices, value, common, name === 'state' ? words.form.chooseState : words.form.choose)
    : field.format === 'lines'
      ? html`<textarea dir="auto"${attributes({ ...common, 'data-left': words.form.left })}>\n${value}</textarea>`
      : html`<input${attributes({ type: own?.type === 'date' ? 'date' : 'text', ...common, value: value || undefined })}>`
}${
  suggestion === undefined
    ? ''
    : html`\n<div class="tick"><input type="checkbox" id="${SUGGESTED}" name="${SUGGESTED}" value="${suggestion}">
<label for="${SUGGESTED}">${fill(use, { meant: suggestion })}</label></div>`
}
</div>\n`
}

/** Whether a question has so few answers that all of them are shown. Otherwise, they are in a menu. */
const isShort = (choices: NonNullable<Field['choices']>): boolean => choices.length <= MOST_RADIOS

const sentenceBeside = (name: string, sentence: string, isNote: boolean): Html =>
  isNote
    ? html`<p class="hint" id="${name}-problem" part="hint">${sentence}</p>\n`
    : html`<p class="problem" id="${name}-problem" part="error">${sentence}</p>\n`

/** Radio buttons or checkboxes. A link to the question leads to the first one. */
function boxesField(
  field: Field,
  isChosen: (i: number, answer: string) => boolean,
  { said, described, follows, optional }: { said: Html | string; described: string; follows: Html; optional: string },
): Html {
  const { name, required, choices = [], own, words } = field
  const { label, hint, empty } = words
  const several = own?.type === 'choices'
  return html`<fieldset class="field ${name} boxes" part="field" id="${name}"${attributes({
    'aria-describedby': described || undefined,
    'data-empty': required && !several ? empty : undefined,
  })}${follows}>
<legend part="label">${label}${required ? '' : html` <span class="optional">${optional}</span>`}</legend>
${hint === undefined ? '' : html`<p class="hint" id="${name}-hint" part="hint">${hint}</p>\n`}${said}${choices.map(
  ({ value, label: text }, i) =>
    html`<div class="tick"><input type="${several ? 'checkbox' : 'radio'}" id="${name}-${i}" name="${several ? `${name}-${i}` : name}" value="${value}"${isChosen(i, value) ? raw(' checked') : ''}>
<label for="${name}-${i}">${text}</label></div>\n`,
)}</fieldset>\n`
}

const renderChoices = (
  choices: NonNullable<Field['choices']>,
  chosen: string,
  common: Record<string, string | undefined>,
  first: string,
): Html =>
  html`<select${attributes(common)}><option value="">${first}</option>${choices.map(
    ({ value, label }) => html`<option value="${value}"${value === chosen ? raw(' selected') : ''}>${label}</option>`,
  )}</select>`

/** What the script checks when someone leaves the field, with the sentence for each problem. */
function checksOf(field: Field): Record<string, string | undefined> {
  const { required, least, most, choices, format } = field
  const { empty, wrong, short, long, few, many, extension, maybe, use } = field.words
  const asked = required ? { 'data-empty': empty } : {}
  if (choices !== undefined) return asked
  const limits = { least, most }
  const digits = digitsOf(field)
  if (digits !== undefined) {
    const [fewest, most] = digits
    return {
      ...asked,
      'data-digits': digits.join(' '),
      'data-few': few && fill(few, { least: fewest }),
      'data-many': many && fill(many, { most }),
      'data-extension': extension,
      'data-maybe': maybe,
    }
  }
  return {
    ...asked,
    ...(least > 1 && format !== 'email' && { 'data-min': `${least}`, 'data-short': short && fill(short, limits) }),
    'data-max': `${most}`,
    'data-long': long && fill(long, limits),
    ...(format === 'email' && { 'data-pattern': EMAIL, 'data-wrong': wrong, 'data-maybe': maybe, 'data-use': use }),
  }
}
