/** The part of the form editor for the school's own questions. */
import { html } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import {
  answersOf,
  askedInOrder,
  hasOwnChoices,
  LONGEST_LABEL,
  LONGEST_VALUE,
  type OwnQuestion,
  optionalQuestions,
  ownTypes,
  type SchoolForm,
} from '../../config/school-form.ts'
import { MOST_ANSWERS } from '../../leads/body/form-details.ts'
import { inLanguage, type Localized } from '../../leads/body/languages.ts'
import { programNames } from '../../leads/lead/programs.ts'
import { option } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { rowAfter, rowButton } from '../frame/row-button.ts'
import { localizedFields, readLocalized } from '../school/localized-fields.ts'
import { fieldNames } from './field-names.ts'
import { prefillBox } from './prefill-fields.ts'

type Fields = Record<string, string | undefined>

const typeNames: Record<OwnQuestion['type'], string> = {
  text: 'A line of text',
  choice: 'One answer from a list',
  choices: 'Several answers from a list',
  yesno: 'Yes or no',
  date: 'A date',
  time: 'The best time to call',
  campus: 'A campus from a list',
  hidden: 'None: it is hidden',
}

/** Questions that many schools ask, ready to add. */
const readyMade: Record<'time' | 'campus', Omit<OwnQuestion, 'id'>> = {
  time: { label: { en: 'Best time to call', es: 'Mejor hora para llamarte' }, type: 'time', answer: 'optional' },
  campus: { label: { en: 'Which campus?', es: '¿En qué plantel?' }, type: 'campus', answer: 'optional' },
}

/** The questions that the fields describe, after someone pressed a button that adds, moves or removes one. */
export function ownIn(fields: Fields, settings: Settings): OwnQuestion[] {
  const count = Math.min(MOST_ANSWERS, Number(fields['own-count']) || 0)
  const typed = Array.from({ length: count }, (_, i): OwnQuestion => {
    const of = (name: string) => (fields[`own-${i}-${name}`] ?? '').trim()
    const type = ownTypes.find(one => one === of('type')) ?? 'text'
    const before = optionalQuestions.student.find(one => one === of('before'))
    const choices = choicesIn(`own-${i}-choices`, fields, settings)
    const [, question, answer] = /^(\w+)=(.*)$/s.exec(of('if')) ?? []
    return {
      id: /^[a-z0-9]{1,20}$/.test(of('id')) ? of('id') : `q${i + 1}`,
      label: readLocalized(`own-${i}-label`, fields, settings) ?? '',
      type,
      answer: of('answer') === 'required' ? 'required' : 'optional',
      ...(hasOwnChoices(type) && { choices }),
      ...(before !== undefined && { before }),
      ...(question !== undefined && answer !== undefined && { showIf: { question, answer } }),
      ...(type === 'hidden' && of('value') !== '' && { value: of('value') }),
    }
  })
  return pressed(withRenamed(typed, fields, settings), fields['do'] ?? '', settings)
}

/** The field that contains the answers as the page showed them. */
const WAS = 'was'

/** A condition names an answer by its words. If someone changes these words, the condition changes with them. */
function withRenamed(own: OwnQuestion[], fields: Fields, { languages }: Settings): OwnQuestion[] {
  const [first = 'en'] = languages
  const renamed = new Map(
    own.flatMap((question, i) => {
      const was = (fields[`own-${i}-${WAS}`] ?? '').split('\n').map(line => line.trim())
      const now = hasOwnChoices(question.type) ? (answersOf(question, first) ?? []) : []
      if (was.length !== now.length) return []
      return was.flatMap((before, at) => {
        const after = now[at] ?? ''
        const isRenamed = before !== after && !now.includes(before) && !was.includes(after)
        return isRenamed ? [[`${question.id}=${before}`, after] as const] : []
      })
    }),
  )
  return own.map(one => {
    const answer = one.showIf && renamed.get(`${one.showIf.question}=${one.showIf.answer}`)
    return one.showIf && answer !== undefined ? { ...one, showIf: { ...one.showIf, answer } } : one
  })
}

function pressed(own: OwnQuestion[], button: string, settings: Settings): OwnQuestion[] {
  const [, what, which = ''] = /^own-(add|up|remove):(\w*)$/.exec(button) ?? []
  const i = Number(which)
  if (what === 'add' && own.length < MOST_ANSWERS) {
    const ready = which === 'time' || which === 'campus' ? inLanguages(readyMade[which], settings) : undefined
    return [...own, { id: freeId(own), ...(ready ?? { label: '', type: 'text', answer: 'optional' }) }]
  }
  if (what === 'remove') return own.toSpliced(i, 1)
  const [moved] = what === 'up' && i > 0 ? own.slice(i, i + 1) : []
  if (moved !== undefined) return own.toSpliced(i, 1).toSpliced(i - 1, 0, moved)
  // A row in which nothing was typed is left out.
  return button === '' ? own.filter(({ label }) => label !== '') : own
}

function freeId(own: readonly OwnQuestion[]): string {
  const ids = own.map(({ id }) => id)
  for (let n = 1; ; n++) if (!ids.includes(`q${n}`)) return `q${n}`
}

/** Removes languages that the school does not have. */
function inLanguages(question: Omit<OwnQuestion, 'id'>, { languages }: Settings): Omit<OwnQuestion, 'id'> {
  const known = (words: Localized): Localized =>
    typeof words === 'string'
      ? words
      : Object.fromEntries(Object.entries(words).filter(([tag]) => languages.includes(tag)))
  return { ...question, label: known(question.label) }
}

/** One answer per line, in each language. The first line of every language is the same answer, and so on. */
function choicesIn(name: string, fields: Fields, { languages }: Settings): Localized[] {
  const lines = languages.map(language => (fields[`${name}-${language}`] ?? '').split('\n').map(line => line.trim()))
  const all = lines.map(ofOne => ofOne.filter(line => line !== ''))
  const [first = []] = all
  return first.map((text, at): Localized => {
    const given = languages.flatMap((language, i) => {
      const words = all[i]?.[at]
      return words === undefined ? [] : [[language, words] as const]
    })
    return given.length === 1 ? text : Object.fromEntries(given)
  })
}

/** All choices, as the text of one field for each language. */
function linesOf(choices: readonly Localized[], { languages }: Settings): Localized {
  const [first] = languages
  const wordsIn = (words: Localized, language: string) =>
    typeof words === 'string' ? (language === first ? words : '') : (words[language] ?? '')
  return Object.fromEntries(
    languages.map(language => [
      language,
      choices
        .map(words => wordsIn(words, language))
        .join('\n')
        .trim(),
    ]),
  )
}

export const ownFields = (form: SchoolForm, settings: Settings, problemAt: (setting: string) => Html | ''): Html => {
  const { own = [] } = form
  const addButton = (which: string, words: string) =>
    rowButton({ press: `own-add:${which}`, at: rowId(own.length), says: 'Question added.' }, `Add ${words}`)
  return html`<section class="panel"><h2>Questions of your own</h2>
<p class="hint">The answers are on the lead, in the notification and in exports, and search finds them.</p>
${hidden({ 'own-count': own.length })}${own.map((_, i) => ownRow(form, i, settings, problemAt))}
${
  own.length >= MOST_ANSWERS
    ? ''
    : html`<div class="actions" id="own-add">${addButton('', 'a question')}${addButton('time', '“Best time to call”')}${addButton('campus', '“Which campus?”')}</div>`
}</section>`
}

const rowId = (i: number | undefined): string => (i === undefined ? 'own-add' : `own-${i}`)

function ownRow(form: SchoolForm, i: number, settings: Settings, problemAt: (setting: string) => Html | ''): Html {
  const question = form.own?.[i]
  if (question === undefined) return html``
  const { id, label, type, answer, choices = [], value = '' } = question
  const name = (field: string) => `own-${i}-${field}`
  const n = html`<span class="hidden"> question ${i + 1}</span>`
  const up = { press: `own-up:${i}`, at: rowId(i - 1), says: `Question ${i + 1} moved up.` }
  const next = rowId(rowAfter(i, form.own?.length ?? 0))
  const remove = { press: `own-remove:${i}`, at: next, says: `Question ${i + 1} removed.` }
  return html`<fieldset class="own" id="${rowId(i)}" data-shows="own-${id}"><legend class="hidden">Question ${i + 1}</legend>${hidden({ [name('id')]: id, ...(hasOwnChoices(type) && { [name(WAS)]: choices.map(one => inLanguage(one, settings.languages[0] ?? 'en')).join('\n') }) })}
${problemAt(`own[${i}].label`)}${problemAt(`own[${i}].type`)}<div class="row">${localizedFields({ name: name('label'), label: 'Question', value: label, most: LONGEST_LABEL }, settings)}</div>
<div class="row"><div><label for="${name('type')}">Answer</label><select id="${name('type')}" name="${name('type')}">${ownTypes.map(one => option(one, typeNames[one], one === type))}</select></div>
<div class="must"><label for="${name('answer')}">Must be answered</label><select id="${name('answer')}" name="${name('answer')}">${option('optional', 'Optional', answer === 'optional')}${option('required', 'Required', answer === 'required')}</select></div></div>
<div class="choices-of">${problemAt(`own[${i}].choices`)}<div class="row">${localizedFields({ name: name('choices'), label: 'Answers to choose from, one per line', value: linesOf(choices, settings), most: 3000, rows: 4 }, settings)}</div></div>
<div class="value-of"><label for="${name('value')}">What it says</label><input id="${name('value')}" name="${name('value')}" value="${value}" maxlength="${LONGEST_VALUE}" autocomplete="off"></div>
${placeField(form, i)}
${problemAt(`own[${i}].showIf`)}${conditionField(form, i, settings)}
${prefillBox(form, `own-${id}`, 'The URL may fill it in')}
<div class="actions">${i === 0 ? '' : rowButton(up, html`Move up${n}`)}${rowButton(remove, html`Remove${n}`)}</div></fieldset>`
}

/** The field that chooses the place of the question. Questions with the same place keep the order of the editor. */
function placeField({ own = [], questions }: SchoolForm, i: number): Html | '' {
  if (questions.length === 0) return ''
  const before = questions.find(({ field }) => field === own[i]?.before)?.field
  return html`<div class="must"><label for="own-${i}-before">Place</label><select id="own-${i}-before" name="own-${i}-before">${option('', 'After the other questions', before === undefined)}${questions.map(({ field }) => option(field, `Before: ${fieldNames[field]}`, field === before))}</select></div>`
}

/** The field that chooses who is asked: everyone, or people who gave a certain answer to an earlier question. */
function conditionField(form: SchoolForm, i: number, settings: Settings): Html | '' {
  const [first = 'en'] = settings.languages
  const question = form.own?.[i]
  if (question === undefined) return ''
  const { showIf } = question
  const chosen = showIf === undefined ? '' : `${showIf.question}=${showIf.answer}`
  const inOrder = askedInOrder(form)
  const before = inOrder
    .slice(0, inOrder.indexOf(question))
    .flatMap(one => {
      if ('id' in one)
        return [{ id: one.id, title: inLanguage(one.label, first), answers: answersOf(one, first) ?? [] }]
      return one.field === 'program' ? [{ id: 'program', title: 'Program', answers: programNames(settings) }] : []
    })
    .filter(({ answers }) => answers.length > 0)
  const known = before.some(({ id, answers }) => id === showIf?.question && answers.includes(showIf.answer))
  if (before.length === 0 && showIf === undefined) return ''
  return html`<div><label for="own-${i}-if">Ask it</label><select id="own-${i}-if" name="own-${i}-if">${option('', 'Of everyone', chosen === '')}${
    showIf === undefined || known ? '' : option(chosen, `Only if they answered: ${showIf.answer}`, true)
  }${before.map(({ id, title, answers }) =>
    // A closed menu shows only the words of the option.
    answers.map(answer => option(`${id}=${answer}`, `Only if “${title}” is: ${answer}`, chosen === `${id}=${answer}`)),
  )}</select></div>`
}
