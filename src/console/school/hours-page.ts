/** School hours and holidays: managers edit them, see what they mean for people, and can go back to any version. */
import { html, raw } from 'hono/html'
import { checkEdited, parts } from '../../config/edited-parts.ts'
import { timeZoneInWords } from '../../content/date-format.ts'
import type { Weekday } from '../../follow-up/school-hours.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { errorSummary } from '../frame/error-summary.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { rowAfter, rowButton } from '../frame/row-button.ts'
import {
  type EditedPage,
  saveEdited,
  undoOf,
  valueIn,
  versionInForce,
  whereFrom,
  whoWasFaster,
} from '../versions/edited-page.ts'
import { readVersion, versionList, versionRoutes } from '../versions/version-pages.ts'
import {
  BLANK_HOLIDAY,
  draftOf,
  type HolidayRow,
  type HoursDraft,
  MOST_SPANS,
  readDraft,
  type SpanRow,
  valueOfDraft,
  withButton,
} from './hours-draft.ts'
import { hoursPreview } from './hours-preview.ts'
import { holidayInWords, hoursDifferences, hoursInWords, weekdayName, weekdays } from './hours-words.ts'

const PATH = '/hours'
const action = 'edit school'

export const editedHours: EditedPage<'hours'> = {
  part: 'hours',
  path: PATH,
  action,
  differences: (before, after, { settings }) => hoursDifferences(before, after, settings.school),
  show: ({ hours, holidays }, { settings: { school } }) =>
    html`<section class="panel"><h2>Hours</h2><dl class="facts">${weekdays.map(day => html`<dt>${weekdayName(day)}</dt><dd>${hoursInWords(hours[day], school)}</dd>`)}</dl></section>
<section class="panel"><h2>Holidays</h2>${holidays.length === 0 ? html`<p class="quiet">None.</p>` : html`<ul>${holidays.map(one => html`<li>${holidayInWords(one, school)}</li>`)}</ul>`}</section>`,
  editFrom: id => html`<a class="button secondary" href="${PATH}?version=${id}">Edit from here</a>`,
}

export const hoursRoutes: ConsoleRoute[] = [
  get(PATH, action, open, { menu: 'School hours' }),
  post(PATH, action, save),
  ...versionRoutes(editedHours),
]

/** The form with what is in force, or with an earlier version. */
async function open(c: ConsoleContext, deps: ConsoleDeps) {
  const version = c.req.query('version')
  const value =
    version === undefined
      ? parts.hours.of(deps.settings)
      : valueIn('hours', await readVersion('hours', numberOf(version), deps), deps)
  return hoursPage(c, deps, draftOf(value, thisYear(deps)))
}

const thisYear = ({ calendar, clock }: ConsoleDeps): string => calendar.today(clock.now()).slice(0, 4)

async function save(c: ConsoleContext, deps: ConsoleDeps) {
  const fields = await fieldsOf(c)
  const draft = readDraft(fields)
  const changed = withButton(draft, fields['do'])
  if (changed !== undefined || fields['do'] === 'preview') return hoursPage(c, deps, changed ?? draft)
  const replaces = numberOf(fields['replaces']) ?? -1
  const value = valueOfDraft(draft)
  const checked = checkEdited('hours', value, deps.settings)
  if (checked.problems.length > 0) return hoursPage(c, deps, draft, { status: 422 })
  const changes = editedHours.differences(parts.hours.of(deps.settings), checked.value, deps)
  const unchanged = () => redirect(c, PATH, { text: 'These hours and holidays are already in force.' })
  if (changes.length === 0) return unchanged()
  const { note } = draft
  const saved = await saveEdited(c, deps, 'hours', { replaces, value, note, detail: changes.join(' ') })
  if ('saved' in saved)
    return redirect(c, PATH, { text: 'The new hours are in force.', undo: undoOf(editedHours, replaces, saved.saved) })
  // If the button was pressed twice, the first press has saved it.
  if (editedHours.differences(parts.hours.of(deps.settings), checked.value, deps).length === 0) return unchanged()
  return hoursPage(c, deps, draft, { status: 409, overtaken: true })
}

type Shown = { status?: 200 | 409 | 422; overtaken?: boolean }

async function hoursPage(
  c: ConsoleContext,
  deps: ConsoleDeps,
  draft: HoursDraft,
  { status = 200, overtaken }: Shown = {},
) {
  const { value, problems } = checkEdited('hours', valueOfDraft(draft), deps.settings)
  const faults = faultsOf(problems)
  const meaning = problems.length === 0 ? hoursPreview(value, deps) : ['Correct the times and dates first.']
  const shown = [...draft.holidays, ...(draft.holidays.includes(BLANK_HOLIDAY) ? [] : [BLANK_HOLIDAY])]
  const changes = problems.length === 0 ? editedHours.differences(parts.hours.of(deps.settings), value, deps) : []
  return page(
    c,
    { title: 'School hours', current: PATH, width: 'wide', status },
    html`${overtaken ? html`<div class="banner" role="alert"><p><strong>${whoWasFaster('hours', deps)}</strong> What you typed is still here. If you save it now, it replaces their version.</p></div>` : ''}
${status === 422 ? errorSummary(faults.all) : ''}
<p class="quiet">${whereFrom('hours', deps)}</p>
<form method="post" action="${PATH}" class="hours-editor">
<button class="hidden" name="do" value="preview" tabindex="-1" aria-hidden="true">Show</button>
${hidden({ replaces: versionInForce('hours', deps) })}
<div>
<section class="panel"><h2>When your team is there</h2>
<p>Reminders to the staff count these hours, in ${timeZoneInWords(deps.settings.school)}. Two empty times mean closed.</p>
${weekdays.map(day => weekdayFields(day, draft.week[day], faults.at(`hours.${day}`)))}</section>
<section class="panel"><h2>Holidays</h2>
<p>Days when you are closed. Empty all fields of a row to remove it.</p>
${faults.at('holidays') === undefined ? '' : html`<p class="problem">${faults.at('holidays')}</p>`}
<ol class="holiday-rows" id="holidays">${shown.map((row, i) => holidayFields(row, { i, count: shown.length, problem: faults.at(`holidays[${i}]`) }))}</ol>
${rowButton({ press: 'add:holiday', at: `holiday-${shown.length}`, says: 'Holiday added.' }, 'Add a holiday')}</section>
</div>
<div>
<section class="panel" id="preview"><h2>What it means</h2><ul>${meaning.map(one => html`<li>${one}</li>`)}</ul>
<h3>What changes</h3>${changes.length === 0 ? html`<p class="quiet">Nothing yet.</p>` : html`<ul>${changes.map(one => html`<li>${one}</li>`)}</ul>`}</section>
<section class="panel"><h2>Put it in force</h2><p>Steps that are already planned keep their time, but no reminder goes out while you are closed.</p>
<label for="note">Why (optional, for the list of versions)</label><input id="note" name="note" maxlength="200" value="${draft.note}" autocomplete="off">
<div class="actions"><button>Save</button>${rowButton({ press: 'preview', at: 'preview', says: 'What it means is shown.' }, 'Show what it means')}</div></section>
<section class="panel"><h2>Versions</h2>${await versionList(editedHours, deps)}</section>
</div></form>`,
  )
}

/** What is wrong, by the field that it is about, in words for people who do not know the settings file. */
function faultsOf(problems: readonly string[]) {
  const inWords = problems.map(problem => {
    const [, path = '', rest = problem] = /^school\.((?:hours\.\w+|holidays(?:\[\d+\])?))\S* (.*)$/s.exec(problem) ?? []
    if (path.startsWith('hours.'))
      return { path, text: 'Give an opening and a closing time for each part of the day; parts must not overlap.' }
    if (/^holidays\[/.test(path))
      return { path, text: /^must be .* or later|at most/.test(rest) ? `The last day ${rest}.` : 'Choose a date.' }
    return { path: 'holidays', text: 'The school must open at least once a year.' }
  })
  return {
    all: inWords.map(({ path, text }) => {
      const [, day, row] = /^hours\.(\w+)|\[(\d+)\]/.exec(path) ?? []
      if (day !== undefined) return { words: `${weekdayName(day as Weekday)}: ${text}`, at: `${day}-0-from` }
      return row === undefined
        ? { words: text, at: 'holidays' }
        : { words: `Holiday ${Number(row) + 1}: ${text}`, at: `holiday-${row}-date` }
    }),
    at: (path: string): string | undefined => inWords.find(one => one.path === path)?.text,
  }
}

function weekdayFields(day: Weekday, spans: readonly SpanRow[], problem: string | undefined): Html {
  const shown = spans.length === 0 ? [{ from: '', to: '' }] : spans
  const name = weekdayName(day)
  return html`<fieldset class="weekday"><legend>${name}</legend>
${problem === undefined ? '' : html`<p class="problem" id="${day}-problem">${problem}</p>`}
<div class="spans">${shown.map(({ from, to }, i) => {
    const field = (which: 'from' | 'to', value: string) =>
      html`<input type="time" id="${day}-${i}-${which}" name="${day}-${i}-${which}" value="${value}" aria-label="${name}, ${which === 'from' ? 'opens' : 'closes'}${i === 0 ? '' : `, part ${i + 1}`}"${problem === undefined ? '' : raw(` aria-invalid="true" aria-describedby="${day}-problem"`)}>`
    return html`<div class="span" id="${day}-span-${i}">${field('from', from)}<span>to</span>${field('to', to)}</div>`
  })}</div>
${shown.length >= MOST_SPANS ? '' : html`${rowButton({ press: `add:${day}`, at: `${day}-span-${shown.length}`, says: `Time added on ${name}.`, look: 'plain' }, html`Add a time<span class="hidden"> on ${name}</span>`)}`}</fieldset>`
}

function holidayFields(
  { date, until, yearly, name }: HolidayRow,
  { i, count, problem }: { i: number; count: number; problem: string | undefined },
): Html {
  const id = `holiday-${i}`
  const remove = {
    press: `remove:${i}`,
    at: `holiday-${rowAfter(i, count) ?? 0}`,
    says: 'Holiday removed.',
    look: 'plain' as const,
  }
  return html`<li id="${id}">${problem === undefined ? '' : html`<p class="problem">${problem}</p>`}<div class="holiday">
<div class="named"><label for="${id}-name">Name</label><input id="${id}-name" name="${id}-name" value="${name}" maxlength="80" autocomplete="off"></div>
<div><label for="${id}-date">Day</label><input id="${id}-date" type="date" name="${id}-date" value="${date}"></div>
<div><label for="${id}-until">Last day, if several</label><input id="${id}-until" type="date" name="${id}-until" value="${until}"></div>
<label class="check"><input type="checkbox" name="${id}-yearly"${yearly ? raw(' checked') : ''}> Every year</label>
${date === '' ? '' : html`${rowButton(remove, html`Remove<span class="hidden"> ${name || date}</span>`)}`}</div></li>`
}
