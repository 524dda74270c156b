/** The programs of the school. Emails and saved replies list them in this order. */
import { isDeepStrictEqual } from 'node:util'
import { html } from 'hono/html'
import type { Settings } from '../../config/settings.ts'
import { inLanguage, languageName, ownWords } from '../../leads/body/languages.ts'
import { followRenamedPrograms } from '../forms/renamed-programs.ts'
import type { ConsoleRoute } from '../frame/context.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { rowAfter, rowButton } from '../frame/row-button.ts'
import type { EditedPage } from '../versions/edited-page.ts'
import { type FormPage, formRoutes } from '../versions/form-page.ts'
import { localizedFields, readLocalized } from './localized-fields.ts'

type Programs = Parameters<EditedPage<'programs'>['show']>[0]
type Program = Programs['programs'][number]

const MOST = 60
const FACTS = { name: 'Name', starts: 'Starts', hours: 'Hours', cost: 'Cost' } as const
const factNames = Object.keys(FACTS) as (keyof typeof FACTS)[]

/** Examples of what to write, by language. */
const EXAMPLES: Record<string, Partial<Record<keyof typeof FACTS, string>>> = {
  en: {
    name: 'Surgical technology',
    starts: 'March 1, then every quarter',
    hours: '900, days or evenings',
    cost: '$14,500',
  },
  es: {
    name: 'Tecnología quirúrgica',
    starts: '1 de marzo y cada trimestre',
    hours: '900, de día o de noche',
    cost: '$14,500',
  },
}

const nameOf = ({ name }: Program, { languages }: Settings): string => inLanguage(name, languages[0] ?? 'en')

export const editedPrograms: EditedPage<'programs'> = {
  part: 'programs',
  path: '/programs',
  action: 'edit school',
  differences: ({ programs: before }, { programs: after }, { settings }) => {
    const names = (all: readonly Program[]) => all.map(one => nameOf(one, settings))
    const [was, is] = [names(before), names(after)]
    const changed = after.filter((one, i) => {
      const then = before[was.indexOf(is[i] ?? '')]
      return then !== undefined && !isDeepStrictEqual(then, one)
    })
    const kept = (all: string[], others: string[]) => all.filter(name => others.includes(name))
    return [
      ...was.filter(name => !is.includes(name)).map(name => `Removed: ${name}.`),
      ...is.filter(name => !was.includes(name)).map(name => `New: ${name}.`),
      ...changed.map(one => `Changed: ${nameOf(one, settings)}.`),
      ...(isDeepStrictEqual(kept(was, is), kept(is, was)) ? [] : ['They are in another order.']),
    ]
  },
  show: ({ programs }, { settings }) =>
    html`<section class="panel"><h2>Programs</h2><ul>${programs.map(
      program =>
        html`<li>${factNames.flatMap(fact => (program[fact] === undefined ? [] : inLanguage(program[fact], settings.languages[0] ?? 'en'))).join(', ')}</li>`,
    )}${programs.length === 0 ? html`<li>None</li>` : ''}</ul></section>`,
  editFrom: id => html`<a class="button secondary" href="/programs?version=${id}">Edit from here</a>`,
  follow: (c, deps, { programs }) =>
    followRenamedPrograms(
      c,
      deps,
      programs.map(one => nameOf(one, deps.settings)),
    ),
}

const programsForm: FormPage<'programs'> = {
  edited: editedPrograms,
  title: 'Programs',
  menu: 'Programs',
  read: (fields, { settings }) => {
    const count = Math.min(MOST, Number(fields['count']) || 0)
    const rows = Array.from({ length: count }, (_, i) =>
      factNames.flatMap(fact => {
        const text = readLocalized(`program-${i}-${fact}`, fields, settings)
        return text === undefined ? [] : [[fact, text] as const]
      }),
    )
    return { programs: rows.filter(row => row.length > 0).map(row => Object.fromEntries(row) as Program) }
  },
  pressed: ({ programs }, button) => {
    const [, what, which] = /^(add|up|remove):(\d*)$/.exec(button) ?? []
    const i = Number(which)
    if (what === 'add') return { programs: [...programs, { name: '' }] }
    if (what === 'remove') return { programs: programs.toSpliced(i, 1) }
    const [moved] = what === 'up' && i > 0 ? programs.slice(i, i + 1) : []
    return moved && { programs: programs.toSpliced(i, 1).toSpliced(i - 1, 0, moved) }
  },
  fieldOf: (setting, { settings }) => {
    const [, i, which] = /^programs\[(\d+)\](?:\.(\w+))?/.exec(setting) ?? []
    const fact = factNames.find(one => one === which) ?? 'name'
    return i === undefined
      ? undefined
      : { label: `${FACTS[fact]} of program ${Number(i) + 1}`, id: `program-${i}-${fact}-${settings.languages[0]}` }
  },
  form: ({ programs }, { settings }, problemAt) => {
    const shown = programs.length === 0 ? [{ name: '' }] : programs
    return html`${hidden({ count: shown.length })}<p>The form for students asks which program someone is interested in; emails and saved replies show its facts, and list programs in this order. Only the name must be filled in: facts that you leave out are not shown. A program that you remove stays on the leads that have it.</p>
${unnamedIn(programs, settings)}
${shown.map(
  (
    program: Program,
    i,
  ) => html`<fieldset class="panel program" id="${rowId(i)}"><legend><h2>${(program.name && inLanguage(program.name, settings.languages[0] ?? 'en')) || `Program ${i + 1}`}</h2></legend>${problemAt(`programs[${i}]`)}
${factNames.map(fact => html`<div class="row">${localizedFields({ name: `program-${i}-${fact}`, label: FACTS[fact], value: program[fact], most: 120, example: language => EXAMPLES[language]?.[fact] }, settings)}</div>`)}
${programs.length === 0 ? '' : html`<div class="actions">${i === 0 ? '' : rowButton({ press: `up:${i}`, at: rowId(i - 1), says: `Program ${i + 1} moved up.` }, html`Move up${ofRow(i)}`)}${rowButton({ press: `remove:${i}`, at: rowId(rowAfter(i, programs.length)), says: `Program ${i + 1} removed.` }, html`Remove${ofRow(i)}`)}</div>`}</fieldset>`,
)}
${shown.length >= MOST ? '' : html`<div class="actions">${rowButton({ press: 'add:', at: rowId(shown.length), says: 'Program added.' }, 'Add a program')}</div>`}`
  },
}

/** The programs that are missing in a language. */
function unnamedIn(programs: readonly Program[], { languages }: Settings): Html {
  const [first = 'en', ...others] = languages
  const named = programs.filter(({ name }) => name)
  return html`${others.map(language => {
    const names = named.filter(({ name }) => ownWords(name, language, languages) === undefined)
    const which = names.map(({ name }) => inLanguage(name, first)).join(', ')
    const spoken = languageName(language)
    return which === ''
      ? ''
      : html`<p class="quiet">No ${spoken} name: ${which}. People who read ${spoken} see the ${languageName(first)} one.</p>`
  })}`
}

const rowId = (i = 0): string => `program-${i}`
const ofRow = (i: number): Html => html`<span class="hidden"> program ${i + 1}</span>`

export const programRoutes: ConsoleRoute[] = formRoutes(programsForm)
