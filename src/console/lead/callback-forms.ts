/** The promised callbacks of a lead, and the forms that plan, move and end a callback. */
import { html, raw } from 'hono/html'
import { LONGEST_NOTE } from '../../lead-actions/add-note.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import type { Callback } from '../../store/leads/callbacks.ts'
import { option } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { callbackChoices } from './callback-choices.ts'
import type { Fields } from './lead-button.ts'
import type { LeadOnPage } from './view.ts'

export function callbackSection(view: LeadOnPage, typed: Fields): Html {
  const { found, work } = view
  const plan = work && found.lead.stage !== 'closed'
  if (found.callbacks.length === 0 && !plan) return html``
  return html`<section class="panel callbacks" data-part="callbacks" aria-labelledby="callbacks"><h2 id="callbacks">Callbacks</h2>
${found.callbacks.length === 0 ? '' : html`<ul>${found.callbacks.map(one => callbackItem(view, one))}</ul>`}
${plan ? anotherTime(view, typed) : ''}</section>`
}

const form = ({ found }: LeadOnPage, fields: Record<string, number>, content: Html): Html =>
  html`<form method="post" action="/leads/${found.lead.id}">${hidden({ seen: found.version, ...fields })}${content}</form>`

/** A button for each moment that one tap chooses. `form`: the id of their form, if they are outside of it. */
export const callbackButtons = (
  { found, deps, now }: Pick<LeadOnPage, 'found' | 'deps' | 'now'>,
  { form, name: field = 'when' }: { form?: string; name?: 'when' | 'asked' } = {},
): Html[] =>
  callbackChoices({ ...deps, now }, found.lead).map(
    ({ when, name }, index) =>
      html`<button class="secondary small"${form && html` form="${form}"`} name="${field}" value="${when}"${field === 'when' && form && index === 0 ? raw(' data-key="s"') : ''}>${name}</button>`,
  )

function callbackItem(view: LeadOnPage, { id, dueAt, assignee, words }: Callback): Html {
  const { found, deps, now, moment, work } = view
  const { settings } = deps
  const late = dueAt <= now
  const who = ownerName(assignee ?? found.lead.owner, settings.admissions)
  return html`<li id="callback-${id}" class="callback${late ? ' late' : ''}"><p><strong>${late ? 'Overdue: promised for' : 'Promised for'} ${moment(dueAt)}</strong> <span class="quiet">by ${who}</span></p>
${words === '' ? '' : html`<blockquote dir="auto">${words}</blockquote>`}
${
  work
    ? html`<details><summary>Move, done or called off …</summary>${form(view, { callback: id }, html`<p class="days">${callbackButtons(view)}</p>`)}
${form(view, { callback: id }, html`${timeFields(view, {}, `-${id}`)}<button class="secondary small" name="do" value="callback">Move</button>`)}
${form(
  view,
  { callback: id },
  html`<label for="ended-${id}">How it ended <span class="quiet">(optional)</span></label><input id="ended-${id}" name="text" maxlength="${LONGEST_NOTE}">
<p class="days"><button class="secondary small" name="do" value="callback done">Done</button><button class="secondary small" name="do" value="callback called off">Called off</button></p>`,
)}</details>`
    : ''
}</li>`
}

function anotherTime(view: LeadOnPage, typed: Fields): Html {
  const { choices, found } = view
  const open = typed['do'] === 'callback' && typed['callback'] === undefined
  const { owner } = found.lead
  const people = choices.filter(({ id }) => id !== 'team' && id !== owner)
  const assignees =
    people.length === 0
      ? ''
      : html`<label for="caller">Who calls</label><select id="caller" name="assignee"><option value="">I do</option>${
          owner === null ? '' : option('team', 'The counselor of the lead', typed['assignee'] === 'team')
        }${people.map(({ id, name }) => option(id, name, id === typed['assignee']))}</select>`
  return html`<details${open ? raw(' open') : ''}><summary>Another time or person …</summary>
${form(
  view,
  {},
  html`${timeFields(view, typed)}${assignees}
<label for="about">About <span class="quiet">(optional)</span></label><input id="about" name="text" maxlength="${LONGEST_NOTE}" value="${typed['text'] ?? ''}">
<button class="secondary small" name="do" value="callback">Promise a callback</button>`,
)}</details>`
}

/** Fields for a day and a time; they say whose local time it is, if it is not the school's. */
function timeFields({ found, deps }: LeadOnPage, typed: Fields, suffix = ''): Html {
  const { calendar, settings } = deps
  const theirs = calendar.zonesOf(found.lead).zones[0]
  const clock =
    theirs === undefined || theirs === settings.school.timeZone
      ? ''
      : html`<label for="clock${suffix}">Time</label><select id="clock${suffix}" name="clock">${option(
          'theirs',
          'where they are',
          typed['clock'] !== 'school',
        )}${option('school', 'at the school', typed['clock'] === 'school')}</select>`
  return html`<div class="when"><label for="day${suffix}">Day</label><input id="day${suffix}" name="day" type="date" required value="${typed['day'] ?? ''}">
<label for="time${suffix}">Time <span class="quiet">(optional)</span></label><input id="time${suffix}" name="time" type="time" value="${typed['time'] ?? ''}">${clock}</div>`
}
