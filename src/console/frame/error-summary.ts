/** The summary above a form in which something is wrong: each problem leads to its field. */
import { html } from 'hono/html'
import { capital } from '../../leads/body/tidy-text.ts'
import type { Html } from './layout.ts'

export type Problem = {
  /** A sentence, which is also shown beside the field. */
  words: string
  /** The id of the field, if the problem is about one. */
  at?: string | undefined
}

/** A field of a form: its label, and its id. */
export type NamedField = { label: string; id: string }

/** The wording of GOV.UK, which many people know. The page opens at the summary. */
export const errorSummary = (problems: readonly Problem[]): Html | '' =>
  problems.length === 0
    ? ''
    : html`<div class="banner problems" role="alert" tabindex="-1" autofocus><h2>There is a problem</h2><p>Nothing was saved.</p>
<ul>${problems.map(({ words, at }) => html`<li>${at === undefined ? words : html`<a href="#${at}">${words}</a>`}</li>`)}</ul></div>`

/** A problem as the settings word it, with the label of its field instead of the setting's name. */
export function problemInWords(problem: string, fieldOf: (setting: string) => NamedField | undefined): Problem {
  const [setting = ''] = /^[^\s:]+/.exec(problem) ?? []
  const field = fieldOf(setting)
  const words = field === undefined ? besideItsField(problem) : `${field.label}${problem.slice(setting.length)}.`
  return { words, at: field?.id }
}

/** A problem without the name of its setting, since it is shown beside that setting's field. */
const besideItsField = (problem: string): string => `${capital(problem.replace(/^\S+(?= must)/, 'this'))}.`
