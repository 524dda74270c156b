/** The choices for the link, the code and the lines of a form: its campaign, program, language and colors. */
import { html } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import type { SchoolForm } from '../../config/school-form.ts'
import { type FormChoice, formChoices } from '../../http/form-choices.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { option } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'

/** The parameters of the URL of a form, as they are read by `forms/form-request.ts`; empty ones are left out. */
export type Chosen = Record<FormChoice['name'], string>

/** The part of the page that depends on the choices. */
export const CHOSEN = 'chosen'

const choicesOf = ({ kind }: SchoolForm, settings: Settings) => formChoices(settings, { programs: kind === 'student' })

export function chosenIn(c: ConsoleContext, form: SchoolForm, settings: Settings): Chosen {
  const chosen: Chosen = { utm_source: '', utm_campaign: '', program: '', lang: '', theme: '' }
  for (const choice of choicesOf(form, settings)) {
    const text = (c.req.query(choice.name) ?? '').trim().slice(0, 100)
    if ('example' in choice || choice.options.some(([value]) => value === text)) chosen[choice.name] = text
  }
  return chosen
}

/** A URL with the choices, and perhaps more parameters. */
export function withChosen(url: string, chosen: Partial<Chosen>, more: Record<string, string> = {}): string {
  const given = ([, value]: [string, string]) => value !== ''
  const all = Object.entries({ ...more, ...Object.fromEntries(Object.entries(chosen).filter(given)) }).filter(given)
  return all.length === 0 ? url : `${url}?${new URLSearchParams(all)}`
}

/**
 * Folded until something is chosen, since most people copy the link as it is. Without the script, the form loads the
 * page again.
 */
export function choiceForm(path: string, chosen: Chosen, form: SchoolForm, settings: Settings): Html {
  const control = (choice: FormChoice) =>
    'example' in choice
      ? html`<input id="${choice.name}" name="${choice.name}" value="${chosen[choice.name]}" maxlength="100" placeholder="${choice.example}" autocomplete="off">`
      : html`<select id="${choice.name}" name="${choice.name}">${option('', choice.usual, chosen[choice.name] === '')}${choice.options.map(([value, words]) => option(value, words, chosen[choice.name] === value))}</select>`
  const choices = choicesOf(form, settings)
  const labels = choices.map(({ label }, i) => (i === 0 ? label : label.toLowerCase())).join(', ')
  const isOpen = Object.values(chosen).some(value => value !== '')
  return html`<form method="get" action="${path}" class="panel folded-section link-choices" hx-get="${path}" hx-trigger="input delay:300ms" hx-select="#${CHOSEN}" hx-target="#${CHOSEN}" hx-swap="outerHTML">
<details${isOpen ? ' open' : ''}><summary><h2>What the link says</h2> <span class="quiet small">${labels}</span></summary>
<p>Everything below follows what you choose. A lead then says where it came from.</p>
<div class="row">${choices.map(choice => html`<div><label for="${choice.name}">${choice.label}</label>${control(choice)}</div>`)}</div>
<div class="actions"><button class="secondary">Show</button></div></details></form>`
}
