/** The form of a destination: its name, its URL, which events it gets, and which fields of a lead they contain. */
import { html, raw } from 'hono/html'
import type { DestinationKind, Input } from '../../destinations/destination-kind.ts'
import { fieldInWords } from '../../destinations/event-payload.ts'
import { labelNames } from '../../leads/lead/labels.ts'
import { eventTypes } from '../../leads/lead/lead-events.ts'
import { allStages, stageInWords } from '../../leads/lead/stages.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import { checkbox, field, option, suggestions } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'
import { type Entered, type Known, offered, type Problems } from './entered-destination.ts'

type Shown = {
  kind: DestinationKind
  entered: Entered
  problems?: Problems | undefined
  /** The host of the URL of an existing destination. Its secrets stay the same unless someone types new ones. */
  host?: string | undefined
  known: Known
}

export const formFields = ({ kind, entered, problems = {}, host, known }: Shown): Html => html`
${field({ name: 'name', label: 'Name', autocomplete: 'off', value: entered.name, hint: 'Such as the name of the program.', problem: problems['name'] })}
${kind.inputs.map(input => inputField(input, entered, problems[input.name], host))}
<fieldset><legend>Events</legend>${problemOf(problems['events'])}
${offered(kind).map(type => checkbox('events', html`<code>${type}</code> <span class="quiet small">${eventTypes[type]}</span>`, entered.events.includes(type), { value: type }))}</fieldset>
${
  kind.fields.length === 0
    ? ''
    : html`<fieldset><legend>What it gets about a lead</legend><p class="hint">Besides its number, its stage and a link.</p>
${kind.fields.map(name => checkbox('fields', fieldInWords(name), entered.fields.includes(name), { value: name }))}</fieldset>`
}
${filterFields(entered, problems, known)}`

const problemOf = (problem: string | undefined, id?: string): Html =>
  problem === undefined ? html`` : html`<p class="problem"${id === undefined ? '' : raw(` id="${id}"`)}>${problem}</p>`

function inputField(input: Input, entered: Entered, problem: string | undefined, host: string | undefined): Html {
  const { name, label, hint, secret, lines, choices, optional } = input
  const value = entered.values[name] ?? ''
  const kept = secret && host !== undefined
  const place = name === 'url' ? `It is at ${host}.` : 'It is stored.'
  const said = kept ? `${place} Leave this empty to keep it.` : hint
  if (choices !== undefined)
    return html`<label for="${name}">${label}</label>${problemOf(problem)}
<select id="${name}" name="${name}">${choices.map(one => option(one, one, one === value))}</select>`
  const clear =
    kept && optional
      ? checkbox('cleared', 'Remove what is stored', entered.cleared.includes(name), { value: name })
      : ''
  if (!lines)
    return html`${field({
      name,
      label,
      autocomplete: 'off',
      value,
      required: !optional && !kept,
      secret: secret === true,
      hint: said,
      problem,
    })}${clear}`
  const described = [said && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ')
  return html`<label for="${name}">${label}</label>
<p class="hint" id="${name}-hint">${said}</p>${problemOf(problem, `${name}-problem`)}
<textarea id="${name}" name="${name}" rows="${secret ? 3 : 12}" class="code" autocomplete="off" spellcheck="false" maxlength="20000" aria-describedby="${described}"${secret ? raw(' data-secret') : ''}${problem ? raw(' aria-invalid="true"') : ''}>${value}</textarea>${clear}`
}

/** Open only if a filter is set, since most destinations get all leads. */
function filterFields(entered: Entered, problems: Problems, known: Known): Html {
  const { leadKind, stages, states, programs, tags } = entered
  const open = leadKind !== null || stages.length > 0 || [states, programs, tags].some(text => text !== '')
  return html`<details${open ? raw(' open') : ''}><summary>Only some leads</summary>
<label for="kind">Leads</label>
<select id="kind" name="kind">${option('', 'All', leadKind === null)}${Object.entries(kindTitles).map(([kind, title]) => option(kind, title, kind === leadKind))}</select>
<fieldset><legend>Stages</legend><p class="hint">The stage of the lead after the event. None: all.</p>
${allStages.map(stage => checkbox('stages', stageInWords(stage, null), stages.includes(stage), { value: stage }))}</fieldset>
${listField({ name: 'programs', label: 'Programs', value: programs, problem: problems['programs'] }, known.programs)}
${listField({ name: 'tags', label: 'Tags', value: tags, problem: problems['tags'] }, labelNames(known.tags, 'tag'))}
${field({ name: 'states', label: 'States', autocomplete: 'off', value: states, required: false, hint: 'Codes separated by commas, such as IL, WI.', problem: problems['states'] })}
</details>`
}

function listField(
  about: { name: string; label: string; value: string; problem: string | undefined },
  known: readonly string[],
): Html {
  const hint = 'Names separated by commas. A lead needs one of them.'
  const list = `${about.name}-known`
  return html`${field({ ...about, autocomplete: 'off', required: false, hint, list })}${suggestions(list, known)}`
}
