/** The words of a list that could not be read: people are imported without them, unless someone says what they mean. */
import { html } from 'hono/html'
import { checkImport } from '../../lead-actions/import-list.ts'
import { listValues } from '../../lead-actions/list-values.ts'
import { counted, inDigits } from '../../leads/body/tidy-text.ts'
import {
  type AskedField,
  type Choice,
  choicesFor,
  isAsked,
  type Meanings,
  nearestChoice,
  wordsKey,
} from '../../leads/import/list-values.ts'
import { statusChoices } from '../../leads/import/status-list.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { UnreadValue } from '../../store/imports/portions.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { formOf, option } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'

const SHOWN = 50

/** What to do with words in a column of choices: leave them out, or replace them by one of these. */
type Question = UnreadValue & { choices: readonly Choice[] }

/** Before the import, asks what words mean, once for all rows, and lists the other words, which are added to a note. */
export async function unreadPanel(c: ConsoleContext, list: Import): Promise<Html | ''> {
  const { store, settings } = c.get('frame').deps
  if (!list.hasRows) return ''
  if (list.purpose === 'status') return unknownStatuses(c, list)
  if (list.plan === null) return ''
  const { kind, meanings = {} } = list.plan
  const all = (await store.listUnreadValues(list.id)).slice(0, SHOWN)
  if (all.length === 0) return ''
  const known = listValues(settings)
  const questions = all.flatMap((one): Question[] => {
    const { field = 'message', value = '' } = one
    if (list.state !== 'checked' || !isAsked(field) || meanings[field]?.[wordsKey(value)] !== undefined) return []
    const choices = choicesFor(field, kind, known)
    return choices.length === 0 ? [] : [{ ...one, choices }]
  })
  const others = all.filter(one => !questions.some(({ column, value }) => column === one.column && value === one.value))
  return html`${questions.length === 0 ? '' : questionsForm(list, questions)}${others.length === 0 ? '' : leftOut(list, others)}`
}

async function unknownStatuses(c: ConsoleContext, list: Import): Promise<Html | ''> {
  const words = (await c.get('frame').deps.store.listUnknownWords(list.id)).slice(0, SHOWN)
  if (words.length === 0 || list.state !== 'checked') return ''
  return questionsForm(
    list,
    words.map(one => ({ ...one, choices: statusChoices })),
  )
}

const questionsForm = (
  { id, purpose }: Import,
  questions: readonly Question[],
): Html => html`<section class="panel"><h2>What do these words mean?</h2>
<p>We do not know them. Each answer counts for all rows. ${purpose === 'status' ? 'Rows with a word that you leave out move no one.' : 'Without one, the people are imported anyway, and the words stay in the notes on them.'}</p>
<form method="post" action="/import/${id}/meanings"><table class="table stacked"><thead><tr><th>In the list</th><th>Rows</th><th>Means</th></tr></thead><tbody>
${questions.map(({ column, field = '', value = '', rows, choices }, i) => {
  const nearest = nearestChoice(value, choices)
  return html`<tr><td>${column}: <strong dir="auto">${value}</strong></td><td>${inDigits(rows)}</td><td>${hidden({ [`field-${i}`]: field, [`words-${i}`]: value })}
<select name="meaning-${i}" aria-label="What ${value} means">${option('', 'Leave it out', nearest === undefined)}${choices.map(one => option(one.value, one.words, one === nearest))}</select></td></tr>`
})}
</tbody></table>
<div class="actions"><button>Use these answers, and check again</button></div></form></section>`

const leftOut = (
  { state }: Import,
  values: readonly UnreadValue[],
): Html => html`<section class="panel"><h2>What could not be read</h2>
<p>These people ${state === 'checked' ? 'will be' : 'were'} imported without these values. The words are in the notes on each of them.</p>
<ul class="plain-list">${values.map(
  ({ column, value = '', reason, rows }) =>
    html`<li><span>${column}: <strong dir="auto">${value}</strong><br><span class="quiet small">${reason}</span></span><span class="quiet">${counted(rows, 'row')}</span></li>`,
)}</ul></section>`

/** Saves the answers, and checks the list again with them. */
export async function saveMeanings(c: ConsoleContext, list: Import) {
  const { deps } = c.get('frame')
  const form = await formOf(c)
  const { plan, statusPlan } = list
  if (statusPlan !== null) {
    const answers = answersIn(form, () => statusChoices)
    const answered = { ...statusPlan, meanings: { ...statusPlan.meanings, ...answers.stage } }
    return checkImport(deps, list, { plan: answered }, byOperator(c))
  }
  if (plan === null) return { outcome: 'before' as const }
  const known = listValues(deps.settings)
  const answers = answersIn(form, field => choicesFor(field, plan.kind, known))
  const meanings: Meanings = { ...plan.meanings }
  for (const [field, said] of Object.entries(answers))
    if (isAsked(field)) meanings[field] = { ...meanings[field], ...said }
  return checkImport(deps, list, { plan: { ...plan, meanings } }, byOperator(c))
}

/** The answers, by field and words; '' for words to leave out. */
function answersIn(form: FormData, choicesOf: (field: AskedField) => readonly Choice[]): Meanings {
  const answers: Meanings = {}
  for (let i = 0; i < SHOWN; i++) {
    const field = String(form.get(`field-${i}`) ?? '')
    if (!isAsked(field)) continue
    const meaning = String(form.get(`meaning-${i}`) ?? '')
    const isChoice = choicesOf(field).some(({ value }) => value === meaning)
    const words = wordsKey(String(form.get(`words-${i}`) ?? ''))
    answers[field] = { ...answers[field], [words]: isChoice ? meaning : '' }
  }
  return answers
}
