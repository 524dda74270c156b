/** What someone chooses for the link, the code and the lines of a form: its campaign, program, language and colors. */
import { html } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import type { SchoolForm } from '../../config/school-form.ts'
import { languageName } from '../../leads/body/languages.ts'
import { programNames } from '../../leads/lead/programs.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { option } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'

const themes = { light: 'Light', dark: 'Dark', auto: 'As the screen of the person' }

/** The parameters of the URL of a form, as they are read by `forms/form-request.ts`; empty ones are left out. */
export type Chosen = { utm_source: string; utm_campaign: string; program: string; lang: string; theme: string }

/** The part of the page that follows what is chosen. */
export const CHOSEN = 'chosen'

export function chosenIn(c: ConsoleContext, form: SchoolForm, settings: Settings): Chosen {
  const of = (name: keyof Chosen) => (c.req.query(name) ?? '').trim().slice(0, 100)
  const among = (name: keyof Chosen, all: readonly string[]) => all.find(one => one === of(name)) ?? ''
  return {
    utm_source: of('utm_source'),
    utm_campaign: of('utm_campaign'),
    program: among('program', programsOf(form, settings)),
    lang: among('lang', settings.languages),
    theme: among('theme', Object.keys(themes)),
  }
}

const programsOf = ({ kind }: SchoolForm, settings: Settings): string[] =>
  kind === 'student' ? programNames(settings) : []

/** A URL with what is chosen, and perhaps more. */
export function withChosen(url: string, chosen: Partial<Chosen>, more: Record<string, string> = {}): string {
  const given = ([, value]: [string, string]) => value !== ''
  const all = Object.entries({ ...more, ...Object.fromEntries(Object.entries(chosen).filter(given)) }).filter(given)
  return all.length === 0 ? url : `${url}?${new URLSearchParams(all)}`
}

/** Without its script, the form loads the page again. */
export function choiceForm(path: string, chosen: Chosen, form: SchoolForm, settings: Settings): Html {
  const select = (name: keyof Chosen, label: string, usual: string, all: readonly (readonly [string, string])[]) =>
    all.length === 0
      ? ''
      : html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${option('', usual, chosen[name] === '')}${all.map(([value, words]) => option(value, words, chosen[name] === value))}</select></div>`
  const input = (name: keyof Chosen, label: string, example: string) =>
    html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${chosen[name]}" maxlength="100" placeholder="${example}" autocomplete="off"></div>`
  const languages =
    settings.languages.length < 2 ? [] : settings.languages.map(one => [one, languageName(one)] as const)
  const programs = programsOf(form, settings).map(one => [one, one] as const)
  return html`<form method="get" action="${path}" class="panel link-choices" hx-get="${path}" hx-trigger="input delay:300ms" hx-select="#${CHOSEN}" hx-target="#${CHOSEN}" hx-swap="outerHTML">
<h2>What the link says</h2><p>The link, the code and the lines below follow what you choose. A lead then says where it came from.</p>
<div class="row">${input('utm_source', 'Source', 'newsletter')}${input('utm_campaign', 'Campaign', 'spring-2027')}</div>
<div class="row">${select('program', 'Program', 'As the form says', programs)}${select('lang', 'Language', 'As the page or the browser', languages)}${select('theme', 'Colors', 'As usual', Object.entries(themes))}</div>
<div class="actions"><button class="secondary">Show</button></div></form>`
}
