/** Searching leads in the inbox: the search field, the filters, and which filters are set. */

import { html } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import { answersToChoose, campusNames, formsOf } from '../../config/school-forms.ts'
import { titleOfForm } from '../../content/form-titles.ts'
import { staffOf } from '../../lead-actions/assign.ts'
import { consentInShort } from '../../leads/body/consent.ts'
import { languageName } from '../../leads/body/languages.ts'
import { withoutRank } from '../../leads/body/ranked-answers.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { type Label, type LabelKind, labelKey, labelNames } from '../../leads/lead/labels.ts'
import { TEAM } from '../../leads/lead/staff.ts'
import { allStages, stageInWords } from '../../leads/lead/stages.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import type { SavedView } from '../../store/lists/saved-views.ts'
import { may } from '../frame/access.ts'
import type { ConsoleContext } from '../frame/context.ts'
import { option, suggestions } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { type FilterFields, partsInWords, queryOf, waitingInWords } from './inbox-filter.ts'

const PATH = '/inbox'
const MOST_SUGGESTED = 5

export async function searchForm(c: ConsoleContext, fields: FilterFields, labels: readonly Label[]): Promise<Html> {
  const { settings, store } = c.get('frame').deps
  const known = await store.recentOrigins()
  const people = [{ id: 'me', name: 'Me' }, { id: TEAM, name: 'Unassigned' }, ...staffOf(settings)].filter(
    ({ id }) => id !== 'me' || c.get('operator').counselor !== undefined,
  )
  const sources = settings.studentInterest.answers.source?.allowed?.map(withoutRank)
  const labelFilter = (kind: LabelKind, name: string) => {
    const known = labels.filter(label => label.kind === kind)
    if (known.length === 0) return ''
    return html`<label>${name} <select name="${kind}">${option('', 'Any', fields[kind] === '')}${known.map(({ id, name }) => option(String(id), name, fields[kind] === String(id)))}</select></label>`
  }
  return html`<form class="search" method="get" action="${PATH}" role="search">
<div class="search-line">
<label class="hidden" for="q">Search leads</label>
<input id="q" name="q" type="search" value="${fields.q}" placeholder="Search name, company, phone, email, city, message, note" autocomplete="off" data-search>
<button class="secondary">Search</button>
</div>
${fields.mainProgram === '' ? '' : hidden({ mainProgram: fields.mainProgram })}<details class="filters"><summary>Filters</summary>
<div class="filter-grid">
<label>Kind <select name="kind">${option('', 'Any', fields.kind === '')}${Object.entries(kindTitles).map(([kind, title]) => option(kind, title, kind === fields.kind))}</select></label>
<label>Stage <select name="stage">${option('', 'Open', fields.stage === '')}${option('any', 'Any', fields.stage === 'any')}${allStages.map(stage => option(stage, stageInWords(stage, null), fields.stage === stage))}</select></label>
<label>Counselor <select name="who">${option('', 'Anyone', fields.who === '')}${people.map(({ id, name }) => option(id, name, fields.who === id))}</select></label>
<label>Waiting <select name="waiting">${option('', 'All', fields.waiting === '')}${Object.entries(waitingInWords).map(([value, words]) => option(value, capital(words), fields.waiting === value))}</select></label>
<label>State <input name="state" value="${fields.state}" placeholder="TX" maxlength="60"></label>
<label>Heard of us ${
    sources === undefined
      ? html`<input name="source" value="${fields.source}" placeholder="A friend" maxlength="120">`
      : html`<select name="source">${option('', 'Any', fields.source === '')}${sources.map(source => option(source, source, fields.source === source))}</select>`
  }</label>
<label>Came from <input name="from" value="${fields.from}" placeholder="facebook" maxlength="120" list="sites"></label>
<label>Campaign <input name="campaign" value="${fields.campaign}" placeholder="spring-2027" maxlength="120" list="campaigns"></label>
<label>Form <select name="form">${option('', 'Any', fields.form === '')}${formsOf(settings).map(form => option(form.name, `${titleOfForm(form, settings)} (${form.name})`, fields.form === form.name))}</select></label>
${campusFilter(fields, settings)}${answerFilter(fields, settings)}
<label>Calls and texts <select name="consent">${option('', 'Any', fields.consent === '')}${Object.entries(consentInShort).map(([consent, words]) => option(consent, words, fields.consent === consent))}</select></label>
<label>Language <select name="language">${option('', 'Any', fields.language === '')}${settings.languages.map(tag => option(tag, languageName(tag), fields.language === tag))}</select></label>
${labelFilter('tag', 'Tag')}${labelFilter('program', 'Program')}
<label>First wrote from <input name="since" type="date" value="${fields.since}"></label>
<label>First wrote until <input name="until" type="date" value="${fields.until}"></label>
</div>
${suggestions(
  'tags',
  labelNames(labels, 'tag'),
)}${suggestions('sites', known.sites)}${suggestions('campaigns', known.campaigns)}
<div class="actions"><button>Show leads</button><a class="button secondary" href="${PATH}">Clear</a></div>
</details>
</form>`
}

function campusFilter({ campus }: FilterFields, settings: Settings): Html | '' {
  const names = campusNames(settings)
  if (names.length === 0) return ''
  return html`<label>Campus <select name="campus">${option('', 'Any', campus === '')}${names.map(name => option(name, name, name === campus))}</select></label>`
}

/** The filter by answers to the school's own questions of choice. */
function answerFilter({ answer }: FilterFields, settings: Settings): Html | '' {
  const asked = answersToChoose(settings, ['choice', 'choices', 'yesno', 'time'])
  if (asked.length === 0) return ''
  return html`<label>Own questions <select name="answer">${option('', 'Any answer', answer === '')}${asked.map(
    ({ question, answers }) =>
      html`<optgroup label="${question}">${answers.map(one => option(`${question}: ${one}`, one, answer === `${question}: ${one}`))}</optgroup>`,
  )}</select></label>`
}

/**
 * Links to labels that match the search. The search only finds words of people who wrote in, but someone may mean a
 * label that staff have added.
 */
export function matchingLabels(fields: FilterFields, labels: readonly Label[]): Html {
  const key = labelKey(fields.q)
  const found = key === '' ? [] : labels.filter(({ name }) => labelKey(name).startsWith(key))
  if (found.length === 0) return html``
  return html`<p class="quiet">${found
    .slice(0, MOST_SUGGESTED)
    .map(
      ({ id, kind, name }) =>
        html`<a class="chip" href="${PATH}${queryOf({ [kind]: String(id), stage: 'any' })}">${kind === 'tag' ? 'Tag' : 'Program'}: ${name}</a> `,
    )}</p>`
}

/** The current filters, each with a link that removes it, and the form that saves them. */
export function chips(
  c: ConsoleContext,
  { fields, views, labels }: { fields: FilterFields; views: SavedView[]; labels: Label[] },
): Html {
  const saved = views.find(({ own, filter }) => own && filter === queryOf(fields).slice(1))
  const { settings } = c.get('frame').deps
  const parts = partsInWords(fields, { settings, labels })
  if (parts.length === 0) return html``
  return html`<div class="chips">
${parts.map(
  ({ words, without }) =>
    html`<a class="chip" href="${PATH}${queryOf(without)}">${words}<span aria-hidden="true">×</span><span class="hidden">: leave out</span></a>`,
)}
${saved === undefined ? saveForm(c, fields) : viewForms(saved)}
${onBoard(fields)}</div>`
}

/** The link to the same leads on the board, if the board has all of the current filters. */
function onBoard({ kind, who, source, tag, stage, ...others }: FilterFields): Html | '' {
  const isThere = (stage === '' || stage === 'open') && queryOf(others) === ''
  return isThere ? html`<a href="/board${queryOf({ kind, who, source, tag })}">On the board</a>` : ''
}

const viewForms = ({ id, name }: SavedView): Html =>
  html`<details class="save-view"><summary>Change the view “${name}”</summary>
<form method="post" action="/inbox/views/${id}/rename" class="inline">
<label>Name <input name="name" value="${name}" required maxlength="40"></label>
<button class="small">Rename</button>
</form>
<form method="post" action="/inbox/views/${id}/delete"><button class="plain small">Delete it</button></form></details>`

function saveForm(c: ConsoleContext, fields: FilterFields): Html {
  return html`<details class="save-view"><summary>Save as view</summary>
<form method="post" action="/inbox/views" class="inline">
${hidden({ filter: queryOf(fields).slice(1) })}
<label>Name <input name="name" required maxlength="40"></label>
${may(c.get('operator'), 'work on leads') ? html`<label class="check"><input type="checkbox" name="shared" value="1"> Share with everyone</label>` : ''}
<button class="small">Save</button>
</form></details>`
}
