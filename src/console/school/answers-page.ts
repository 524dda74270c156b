/** The answers to choose from in the questions about start, interest, experience and how people heard of the school. */
import { isDeepStrictEqual } from 'node:util'
import { html } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import type { RankedField } from '../../leads/body/body-schemas.ts'
import { inLanguage, languageName } from '../../leads/body/languages.ts'
import { type RankedQuestions, withoutRank } from '../../leads/body/ranked-answers.ts'
import { fieldNames } from '../forms/field-names.ts'
import type { ConsoleRoute } from '../frame/context.ts'
import { option } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'
import { rowButton } from '../frame/row-button.ts'
import type { EditedPage } from '../versions/edited-page.ts'
import { type FormPage, formRoutes } from '../versions/form-page.ts'
import { localizedFields } from './localized-fields.ts'
import { suggestedAnswers } from './suggested-answers.ts'

type Question = NonNullable<RankedQuestions[RankedField]>

/** The maximum number of answers to a question. The tenth and all later answers share a rank. */
const MOST = 30

const questions = Object.keys(suggestedAnswers) as RankedField[]

/** Which answer in the list is the warmest; undefined if the answers do not have ranks. */
function warmest({ allowed = [], hotter }: Question): 'first' | 'last' | undefined {
  if (hotter === undefined) return undefined
  return (hotter === 'low') === isRising(allowed) ? 'first' : 'last'
}

const rankOf = (answer: string | undefined): number => Number(answer?.[0] ?? 0)
const isRising = (allowed: readonly string[]): boolean => rankOf(allowed[0]) <= rankOf(allowed.at(-1))

/** Answers with their ranks. An answer keeps its rank as long as its words are the same. */
function ranked(words: string[], { allowed = [] }: Question): string[] {
  if (isDeepStrictEqual(words, allowed.map(withoutRank))) return allowed
  const first = allowed[0]?.startsWith('0') ? 0 : 1
  return words.map((answer, i) => `${Math.min(9, first + i)} - ${answer}`)
}

/** A question with these words in each language, the school's first one first; undefined if nothing is set. */
function questionOf(
  words: (readonly [language: string, answers: string[]])[],
  warm: string | undefined,
  was: Question,
): Question | undefined {
  const [[, first] = ['', []], ...others] = words
  const allowed = ranked(first, was)
  const labels = others.filter(([, answers]) => answers.length > 0)
  const question = {
    ...(allowed.length > 0 && { allowed }),
    ...((warm === 'first' || warm === 'last') && {
      hotter: (warm === 'first') === isRising(allowed) ? ('low' as const) : ('high' as const),
    }),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
  }
  return Object.keys(question).length === 0 ? undefined : question
}

/** The answers in a language, without their ranks. */
const answersIn = ({ allowed = [], labels = {} }: Question, language: string, isFirst: boolean): string[] =>
  isFirst ? allowed.map(withoutRank) : (labels[language] ?? [])

const WARM = { first: 'The first answer', last: 'The last answer' }

const inWords = (question: Question = {}): string => {
  const { allowed = [] } = question
  const warm = warmest(question)
  const answers = allowed.length === 0 ? 'no answers' : allowed.map(withoutRank).join(', ')
  return warm === undefined ? answers : `${answers} (${WARM[warm].toLowerCase()} is the warmest)`
}

export const editedAnswers: EditedPage<'answers'> = {
  part: 'answers',
  path: '/answers',
  action: 'edit school',
  differences: (before, after) =>
    questions.flatMap(name => {
      const [was, is] = [inWords(before[name]), inWords(after[name])]
      if (was !== is) return [`${fieldNames[name]}: ${is} instead of ${was}.`]
      const same = isDeepStrictEqual(before[name]?.labels ?? {}, after[name]?.labels ?? {})
      return same ? [] : [`${fieldNames[name]}: other words in another language.`]
    }),
  show: value =>
    html`<section class="panel"><h2>Answers</h2><dl class="facts">${questions.map(name => html`<dt>${fieldNames[name]}</dt><dd>${inWords(value[name])}</dd>`)}</dl></section>`,
  editFrom: id => html`<a class="button secondary" href="/answers?version=${id}">Edit from here</a>`,
}

const answersForm: FormPage<'answers'> = {
  edited: editedAnswers,
  title: 'Answers to choose from',
  menu: 'Answers',
  read: (fields, { settings }) => {
    const typed = (name: string): string[] =>
      (fields[name] ?? '')
        .split('\n')
        .map(line => withoutRank(line.trim()))
        .filter(line => line !== '')
        .slice(0, MOST)
    const { answers } = settings.studentInterest
    const given = questions.flatMap(name => {
      const words = settings.languages.map(language => [language, typed(`${name}-answers-${language}`)] as const)
      const question = questionOf(words, fields[`${name}-warm`], answers[name] ?? {})
      return question === undefined ? [] : [[name, question] as const]
    })
    return Object.fromEntries(given)
  },
  pressed: (value, button, { settings }) => {
    const [, which] = /^suggest:(\w+)$/.exec(button) ?? []
    const name = questions.find(one => one === which)
    if (name === undefined) return undefined
    const { answers, warm } = suggestedAnswers[name]
    const words = settings.languages.map(language => [language, inLanguage(answers, language).split('\n')] as const)
    return { ...value, [name]: questionOf(words, warm, {}) }
  },
  fieldOf: (setting, { settings }) => {
    const [, which, language = settings.languages[0]] =
      /^studentInterest\.answers\.(\w+)(?:\.labels\.([\w-]+))?/.exec(setting) ?? []
    const name = questions.find(one => one === which)
    if (name === undefined) return undefined
    const inWhich = /labels/.test(setting) ? ` (${languageName(language ?? '')})` : ''
    return { label: `${fieldNames[name]}${inWhich}`, id: `${name}-answers-${language}` }
  },
  form: (value, { settings }, problemAt) =>
    html`<p>The forms ask these questions of students once they have answers here. Programs and agents may only give these answers, too. What people have answered already stays as it is, and the warmest answer counts for new leads only.</p>
${questions.map(name => questionFields(name, value[name] ?? {}, settings, problemAt))}`,
}

function questionFields(
  name: RankedField,
  question: Question,
  settings: Settings,
  problemAt: (setting: string) => Html | '',
): Html {
  const warm = warmest(question)
  const words = settings.languages.map(
    (language, i) => [language, answersIn(question, language, i === 0).join('\n')] as const,
  )
  const isEmpty = words.every(([, text]) => text === '')
  // All answers are visible, so that the same answer lines up across languages.
  const rows = Math.max(5, ...words.map(([, text]) => text.split('\n').length + 1))
  return html`<section class="panel" id="answers-${name}"><h2>${fieldNames[name]}</h2>${problemAt(`studentInterest.answers.${name}`)}
<div class="row">${localizedFields({ name: `${name}-answers`, label: 'Answers, one per line', value: Object.fromEntries(words), rows, most: 4000 }, settings)}</div>
${isEmpty ? html`<div class="actions">${rowButton({ press: `suggest:${name}`, at: `answers-${name}`, says: `Answers suggested for ${fieldNames[name]}.` }, html`Suggest answers<span class="hidden"> for ${fieldNames[name]}</span>`)}</div>` : ''}
<label for="${name}-warm">The warmest lead gave</label><select id="${name}-warm" name="${name}-warm">${option('', 'Any answer', warm === undefined)}${(['first', 'last'] as const).map(one => option(one, WARM[one], one === warm))}</select></section>`
}

export const answerRoutes: ConsoleRoute[] = formRoutes(answersForm)
