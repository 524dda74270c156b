/** The school's forms: which forms there are, where they are, and how many people use them. */
import { isDeepStrictEqual } from 'node:util'
import { html } from 'hono/html'
import { notesOnForm } from '../../config/form-notes.ts'
import { MOST_FORMS, type SchoolForm } from '../../config/school-form.ts'
import { FIRST_FORM, formsOf } from '../../config/school-forms.ts'
import { titleOfForm } from '../../content/form-titles.ts'
import { formUrl } from '../../http/urls.ts'
import { languageName } from '../../leads/body/languages.ts'
import { kinds } from '../../leads/body/submission.ts'
import { capital, inDigits } from '../../leads/body/tidy-text.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { type EditedPage, saveEdited, undoOf, versionInForce, whereFrom } from '../versions/edited-page.ts'
import { versionList, versionRoutes } from '../versions/version-pages.ts'

export const FORMS_PATH = '/forms'
const action = 'edit school'

export const editedForms: EditedPage<'forms'> = {
  part: 'forms',
  path: FORMS_PATH,
  action,
  differences: ({ forms: before }, { forms: after }) => {
    const known = new Map(before.map(one => [one.name, one]))
    const here = new Set(after.map(({ name }) => name))
    return [
      ...before.filter(({ name }) => !here.has(name)).map(({ name }) => `Removed: ${name}.`),
      ...after.flatMap(one => {
        const was = known.get(one.name)
        if (was === undefined) return [`New: ${one.name}.`]
        if (isDeepStrictEqual(was, one)) return []
        if (was.state === one.state) return [`Changed: ${one.name}.`]
        return [one.state === 'archived' ? `Archived: ${one.name}.` : `In use again: ${one.name}.`]
      }),
    ]
  },
  show: ({ forms }, { settings }) =>
    html`<section class="panel"><h2>The forms then</h2><ul>${forms.map(one => html`<li>${titleOfForm(one, settings)}, <span class="quiet">${one.name}${one.state === undefined ? '' : ', archived'}</span></li>`)}</ul></section>`,
}

export const formListRoutes: ConsoleRoute[] = [
  get(FORMS_PATH, action, formsPage, { menu: 'Forms' }),
  post(`${FORMS_PATH}/archive`, action, archive),
  ...versionRoutes(editedForms),
]

/** The form with that name. Throws a ConsoleError if there is none. */
export const formNamed = (name: string | undefined, { settings }: Pick<ConsoleDeps, 'settings'>): SchoolForm =>
  existing(
    'form',
    formsOf(settings).find(one => one.name === name),
  )

async function formsPage(c: ConsoleContext, deps: ConsoleDeps) {
  const all = formsOf(deps.settings)
  const { calendar, clock, store } = deps
  const since = Temporal.PlainDate.from(calendar.today(clock.now()))
    .subtract({ days: DAYS - 1 })
    .toString()
  const counts = new Map((await store.readFormCounts(since)).map(one => [one.form, one]))
  const shown = kinds.map(kind => {
    const theirs = all.filter(one => one.kind === kind && one.state === undefined)
    return html`<section class="panel"><h2>${kindTitles[kind]}</h2>
<ul class="emails forms">${theirs.map(one => row(one, deps, counts.get(one.name)))}</ul>
${all.length >= MOST_FORMS ? '' : html`<div class="actions"><a class="button secondary" href="${FORMS_PATH}/new?kind=${kind}">New form<span class="hidden"> for ${kindTitles[kind].toLowerCase()}</span></a></div>`}</section>`
  })
  const archived = all.filter(({ state }) => state === 'archived')
  return page(
    c,
    { title: 'Forms', current: FORMS_PATH, width: 'wide' },
    html`<p>Each form has its own page, and you can put it on your website. A lead says which form it came through. The figures are for the last ${DAYS} days.</p>
<p class="quiet">${whereFrom('forms', deps)}</p>
${shown}
${archived.length === 0 ? '' : html`<section class="panel"><h2>Archived</h2><p class="quiet">The URL of each leads to the first form of its kind.</p><ul class="emails forms">${archived.map(one => row(one, deps, counts.get(one.name)))}</ul></section>`}
<section class="panel"><h2>Versions</h2>${await versionList(editedForms, deps)}</section>`,
  )
}

/** How many days the list counts. */
const DAYS = 30

type Counts = { seen: number; begun: number; sent: number; rest_begun: number; rest_sent: number }

const NONE: Counts = { seen: 0, begun: 0, sent: 0, rest_begun: 0, rest_sent: 0 }

/**
 * Mentions the second step if the form has one, or had one in these days. A step that was sent also counts as begun,
 * since a browser without JavaScript does not report the beginning.
 */
function figures({ seen, begun, sent, rest_begun, rest_sent }: Counts, { steps }: SchoolForm): Html {
  const counts = { Seen: seen, Begun: Math.max(begun, sent), Sent: sent }
  const hasRest = steps !== undefined || rest_begun + rest_sent > 0
  const lines = [
    ...(sent > 0 && sent <= seen ? [`Sent in ${Math.round((100 * sent) / seen)}% of views`] : []),
    ...(hasRest
      ? [`Second step: begun ${inDigits(Math.max(rest_begun, rest_sent))}, sent ${inDigits(rest_sent)}`]
      : []),
  ]
  return html`<div class="form-figures"><dl class="form-counts">${Object.entries(counts).map(([what, times]) => html`<div><dt>${what}</dt><dd>${inDigits(times)}</dd></div>`)}</dl>${lines.map(line => html`<div class="quiet small">${line}</div>`)}</div>`
}

/** The facts that distinguish a form from others with the same title. */
const factsOf = ({ program, steps, language }: SchoolForm): string =>
  [
    ...(program === undefined ? [] : [program]),
    ...(steps === undefined ? [] : ['two steps']),
    ...(language === undefined ? [] : [`begins in ${languageName(language)}`]),
  ].join(', ')

function row(form: SchoolForm, deps: ConsoleDeps, counts = NONE): Html {
  const { name, kind, state } = form
  const url = formUrl(deps.config, form)
  const label = titleOfForm(form, deps.settings)
  const named = html`<span class="hidden"> ${name}</span>`
  const inUse = state === undefined
  const facts = factsOf(form)
  const edit = `${FORMS_PATH}/edit/${name}`
  const notes = inUse ? notesOnForm(form, deps.settings) : []
  return html`<li><div><strong>${label}</strong> <span class="quiet small">${name}</span><br><a class="small" href="${url}">${url}</a>${facts === '' ? '' : html`<br><span class="quiet small">${capital(facts)}</span>`}${notes.length === 0 ? '' : html`<br><span class="small">${noteOn(notes)} <a href="${edit}">${notes.length === 1 ? 'Change it' : 'Show them'}${named}</a></span>`}</div>
${figures(counts, form)}
<div class="actions"><a class="button secondary small" href="${edit}">Edit${named}</a>${inUse ? html`<a class="button secondary small" href="${FORMS_PATH}/embed/${name}">Link, code, website${named}</a>` : ''}<a class="button secondary small" href="${FORMS_PATH}/new?from=${name}">Make a copy${named}</a>${name === FIRST_FORM[kind] ? '' : html`<form method="post" action="${FORMS_PATH}/archive">${hidden({ name, state: inUse ? 'archived' : '', replaces: versionInForce('forms', deps) })}<button class="secondary small">${inUse ? 'Archive' : 'Use again'}${named}</button></form>`}</div></li>`
}

/** The editor, to which the line links, says more. */
const noteOn = (notes: string[]): string =>
  notes.length === 1 ? capital(notes[0] ?? '') : `${notes.length} of its texts lack a language.`

async function archive(c: ConsoleContext, deps: ConsoleDeps) {
  const fields = await fieldsOf(c)
  const form = formNamed(fields['name'], deps)
  const { state: _, ...inUse } = form
  const isArchived = fields['state'] === 'archived'
  const after: SchoolForm = isArchived ? { ...inUse, state: 'archived' } : inUse
  const forms = formsOf(deps.settings).map(one => (one.name === form.name ? after : one))
  const note = isArchived ? `archived ${form.name}` : `put ${form.name} to use again`
  const replaces = numberOf(fields['replaces']) ?? -1
  const saved = await saveEdited(c, deps, 'forms', { replaces, value: { forms }, note })
  if ('problems' in saved) throw new ConsoleError(422, `Nothing was changed: ${saved.problems.join('. ')}.`)
  if ('before' in saved)
    throw new ConsoleError(409, `${saved.before?.createdBy ?? 'Someone'} has changed the forms in the meantime.`)
  return redirect(c, FORMS_PATH, {
    text: isArchived ? `${form.name} is archived.` : `${form.name} is in use again.`,
    undo: undoOf(editedForms, replaces, saved.saved),
  })
}
