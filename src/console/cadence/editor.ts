/** The editor of a cadence: its steps as a form, what is wrong or unwise about them, and what they mean for a month. */
import { html, raw } from 'hono/html'
import { checkEdited, type Edited } from '../../config/edited-parts.ts'
import type { Settings } from '../../config/settings.ts'
import { type Cadence, type Recipient, templatesOf } from '../../follow-up/cadence.ts'
import { differences, stepInWords } from '../../follow-up/cadence-words.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import type { StepMessage, StepMessages } from '../../mail/step-messages.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { option } from '../frame/form-fields.ts'
import { type Html, hidden, page, sentences } from '../frame/layout.ts'
import { cadenceOf, type Draft, MOST_STEPS, type Row } from './draft.ts'
import { monthWith, peopleOf, timeInWords } from './month.ts'
import { considerations, messageInWords, preview, recipientInWords } from './step-timeline.ts'

/** What the editor shows besides the draft. */
export type Shown = {
  /** A notice above everything else, for example that someone else saved first. */
  notice?: Html
  status?: 200 | 409 | 422
}

/** The steps of a draft, and what the checks of the settings and of the messages say about them. */
export function checkDraft(
  { kind, rows }: Pick<Draft, 'kind' | 'rows'>,
  { settings, stepMessages }: Pick<ConsoleDeps, 'settings' | 'stepMessages'>,
): { value: Edited['cadence']; cadence: Cadence; problems: string[] } {
  const { student, site } = settings.followUp
  const given: Edited['cadence'] = { student, site, [kind]: cadenceOf(rows) }
  const { value, problems } = checkEdited('cadence', given, settings)
  const cadence = value[kind]
  const found =
    problems.length > 0
      ? problems.map(problem => forReaders(problem, kind, given[kind]))
      : messageProblems(kind, cadence, stepMessages)
  return { value, cadence, problems: found }
}

/** What a check says, in words for readers who do not know the settings file and the names of its steps. */
function forReaders(problem: string, kind: Kind, steps: Cadence): string {
  const named = (words: string, name: string) => {
    const step = steps.find(one => one.name === name)
    return step === undefined ? words : stepInWords(step)
  }
  return capital(
    problem
      .replace(new RegExp(`^followUp\\.${kind}\\[(\\d+)\\]\\.?`), (_, i) => `step ${Number(i) + 1}: `)
      .replace(/^followUp(\.\w+)?: /, '')
      .replace("its clock must be 'student'", 'it must be counted in calendar time')
      .replace("a delay in 'after' such as", 'a delay such as')
      .replace(/(?:step )?'([^']+)'/g, named),
  )
}

function messageProblems(kind: Kind, cadence: Cadence, { sample }: StepMessages): string[] {
  const files = new Set(templatesOf({ student: cadence, site: [] }))
  return [...files].flatMap(file => {
    const found = sample(file, { kind })
    return 'problem' in found ? [found.problem] : []
  })
}

export async function editorPage(
  c: ConsoleContext,
  deps: ConsoleDeps,
  draft: Draft,
  { notice, status = 200 }: Shown = {},
) {
  const { settings, config, stepMessages } = deps
  const { kind, rows } = draft
  const { cadence, problems } = checkDraft(draft, deps)
  const inForce = settings.followUp[kind]
  const changes = problems.length > 0 ? [] : differences(inForce, cadence, messageInWords(deps, kind))
  const people = peopleOf(draft.people)
  const valid = problems.length === 0
  const month = valid
    ? await monthWith(deps, { kind, people, draft: changes.length > 0 ? cadence : undefined })
    : html`<p>The month is simulated once the steps can be put in force.</p>`
  const warnings = valid ? considerations(kind, cadence, settings) : []
  const messages = stepMessages.list(kind)
  const id = config.edited.cadence?.id ?? 0
  return page(
    c,
    { title: `Edit the cadence: ${kindTitles[kind].toLowerCase()}`, current: '/cadence', width: 'wide', status },
    html`<p class="back"><a href="/cadence?kind=${kind}">Back to the cadence</a></p>
${notice ?? ''}${valid ? '' : html`<div class="banner" role="alert"><p><strong>These steps cannot be put in force:</strong></p>${sentences(problems)}</div>`}
<form method="post" action="/cadence" class="cadence-editor" data-draft="/cadence/edit">
<button class="hidden" formmethod="get" formaction="/cadence/edit" tabindex="-1" aria-hidden="true">Show</button>
${hidden({ kind, replaces: id })}
<div class="cadence-edit"${valid ? LIVE : ''}>
<p>The steps are in the order of their times, counted from the inquiry. The cadence ends as soon as someone reaches the person. ${kind === 'site' ? '' : html`Steps that are counted in calendar time wait while it is night where the student lives (${timeInWords(settings.followUp.quietHours.from, settings.school)} to ${timeInWords(settings.followUp.quietHours.to, settings.school)}). `}The URL of this page holds your draft: bookmark it to continue later, or send it to a colleague. Nothing changes until you put it in force.</p>
<ol class="cadence-rows">${rows.map((row, i) => rowFields(row, i, { kind, settings, messages }))}</ol>
${rows.length >= MOST_STEPS ? html`<p class="hint">A cadence has at most ${MOST_STEPS} steps.</p>` : addButtons(kind, rows)}
<p class="hint">Emails to students are written under <a href="/emails">Emails</a>. The person who runs Frontdesk can add messages to the staff as files.</p>
${unusable(messages)}
</div>
<div class="cadence-effect"><div id="effect">
<section class="panel"><h2>What changes</h2>${
      valid
        ? changes.length === 0
          ? html`<p class="quiet">Nothing yet: these are the steps in force.</p>`
          : sentences(changes)
        : html`<p>Correct these problems first.</p>${c.req.header('hx-request') === undefined ? '' : html`<div class="problem">${sentences(problems)}</div>`}`
    }</section>
${warnings.length === 0 ? '' : html`<section class="panel warnings"><h2>Please consider</h2>${sentences(warnings)}</section>`}
<section class="panel"><h2>What it means for a month</h2>${month}</section>
</div>
<section class="panel"><div class="inline"><div><label for="people">People who write in during the month</label><input id="people" name="people" type="number" min="10" max="500" value="${people}"></div><button class="secondary" formmethod="get" formaction="/cadence/edit">Show what this means</button></div></section>
<section class="panel"><h2>Put it in force</h2><p>New leads begin with the new steps immediately. Leads that have begun keep the steps that they began with.</p>
<label for="note">Why (optional, for the list of versions)</label><input id="note" name="note" maxlength="200" value="${draft.note}" autocomplete="off">
<div class="actions"><button>Put in force</button><a class="button secondary" href="/cadence?kind=${kind}">Discard the draft</a></div></section>
</div>
</form>`,
  )
}

/**
 * With JavaScript, the effect of a change appears beside the steps; until it does, the previous effect is shown pale.
 * If the page was loaded with problems, they are listed above the form, and the effect updates only when the form is
 * sent.
 */
const LIVE = raw(
  ' hx-get="/cadence/edit" hx-include="closest form" hx-trigger="change" hx-select="#effect" hx-target="#effect" hx-indicator="#effect" hx-swap="outerHTML"',
)

const addButtons = (kind: Kind, rows: readonly Row[]): Html => {
  const button = (added: string, words: string) =>
    html`<button class="secondary" formmethod="get" formaction="/cadence/edit" name="add" value="${added}">${words}</button>`
  const ends = rows.some(({ to }) => to === 'close')
  return html`<div class="actions">${button('reminder', 'Add a reminder')}${button('chat', 'Add a message to the chat channels')}${kind === 'site' ? '' : button('email', 'Add an email to the student')}${ends ? '' : button('end', 'Add the end: close the lead')}</div>`
}

/** The school's own files that no step can send, and why. */
function unusable(messages: readonly StepMessage[]): Html | '' {
  const found = messages.flatMap(one => ('problem' in one ? [one] : []))
  return found.length === 0
    ? ''
    : html`<details><summary>Files that no step can send</summary>${sentences(found.map(({ problem }) => problem))}</details>`
}

type RowContext = { kind: Kind; settings: Settings; messages: readonly StepMessage[] }

function rowFields(row: Row, i: number, context: RowContext): Html {
  const { kind, messages } = context
  const number = i + 1
  const options = (name: 'unit' | 'clock' | 'to', choices: Record<string, string>) => {
    const all = row[name] in choices ? choices : { ...choices, [row[name]]: row[name] }
    return html`<select id="${name}-${number}" name="${name}">${Object.entries(all).map(([value, words]) =>
      option(value, words, value === row[name]),
    )}</select>`
  }
  const units = { minutes: 'minutes', hours: 'hours', days: 'days' }
  const clocks = { school: 'school hours', student: 'calendar time' }
  return html`<li id="step-${number}" class="panel ${row.to === 'close' ? 'end' : row.to === 'student' ? 'student' : 'staff'}"><fieldset><legend>Step ${number}</legend>${hidden({ name: row.name })}
<div class="row-fields">
<div class="row-after"><label for="count-${number}">After</label><div class="inline compact"><input id="count-${number}" name="count" inputmode="numeric" value="${row.count}"><label class="hidden" for="unit-${number}">Unit</label>${options('unit', units)}</div></div>
<div><label for="clock-${number}">Counted in</label>${options('clock', clocks)}</div>
<div class="row-to"><label for="to-${number}">To</label>${options('to', recipientsOf(context))}</div>
<div class="row-message"><label for="message-${number}">Message</label>${messageSelect(row, number, messages)}</div>
<div class="row-do"><button class="secondary" formmethod="get" formaction="/cadence/edit" name="remove" value="${number}">Remove<span class="hidden"> step ${number}</span></button></div>
</div>
${row.to === 'chat' ? CHAT_HINT : ''}${row.to === 'close' || row.message === '' ? '' : preview({ kind, file: row.message, id: `preview-${number}`, name: `step ${number}`, languages: row.to === 'student' ? context.settings.languages : [] })}</fieldset></li>`
}

const CHAT_HINT = html`<p class="hint">All <a href="/destinations">destinations</a> that get <code>lead.late</code>, such as channels in Slack or Teams, each if its filter fits the lead. No message is needed.</p>`

const forKind: Record<Kind, readonly (Recipient | 'chat')[]> = {
  student: ['counselor', 'backup', 'manager', 'team', 'chat', 'student'],
  site: ['team', 'manager', 'chat'],
}

const recipientsOf = ({ kind, settings }: RowContext): Record<string, string> => ({
  ...Object.fromEntries(forKind[kind].map(to => [to, recipientInWords(to, settings)])),
  close: 'no one: close the lead',
})

function messageSelect({ message }: Row, number: number, messages: readonly StepMessage[]): Html {
  const usable = messages.flatMap(one => ('subject' in one ? [one] : []))
  const alike = (subject: string) => usable.filter(one => one.subject === subject).length > 1
  const inFolder = (folder: string) =>
    usable
      .filter(({ file }) => file.startsWith(folder))
      .map(({ file, subject }) => choice(file, alike(subject) ? `${subject} (${file})` : subject))
  const choice = (file: string, words: string) => option(file, words, file === message)
  const known = message === '' || usable.some(({ file }) => file === message)
  return html`<select id="message-${number}" name="message">${choice('', 'none')}${known ? '' : choice(message, message)}
<optgroup label="To the staff">${inFolder('notifications/')}</optgroup><optgroup label="To the student">${inFolder('letters/')}</optgroup></select>`
}
