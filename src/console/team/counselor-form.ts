/** The form for one counselor: what someone typed, what it means, and what is wrong with each field. */
import { html } from 'hono/html'
import { campusNames } from '../../config/school-forms.ts'
import type { Settings } from '../../config/settings.ts'
import { languageName } from '../../leads/body/languages.ts'
import { stateCode, statesWith } from '../../leads/body/states.ts'
import { tidy } from '../../leads/body/tidy-text.ts'
import { programNames } from '../../leads/lead/programs.ts'
import { checkbox, field, option } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'
import type { Counselor } from './edits.ts'

export type Fields = Record<string, string | undefined>

export const fieldsOfCounselor = (counselor: Counselor): Fields => ({
  name: counselor.name,
  email: counselor.email,
  states: counselor.states?.join(', '),
  weight: String(counselor.weight ?? 1),
  backup: counselor.backup,
  ...Object.fromEntries((counselor.languages ?? []).map(tag => [`speaks-${tag}`, 'on'])),
  ...Object.fromEntries((counselor.programs ?? []).map(name => [`program-${name}`, 'on'])),
  ...Object.fromEntries((counselor.campuses ?? []).map(name => [`campus-${name}`, 'on'])),
})

/**
 * The counselor that the fields describe, as the settings file would have it. What the form does not show, such as
 * absences, comes from `counselor`. The result may not be valid, since the settings are checked as a whole.
 */
export function counselorFrom(
  fields: Fields,
  { id, absent, ...before }: Pick<Counselor, 'id' | 'absent' | 'languages' | 'programs' | 'campuses'>,
  settings: Settings,
): Record<string, unknown> {
  const states = statesIn(fields, settings)
  /** The selected values, plus earlier values that the form does not show. */
  const ticked = (prefix: string, offered: readonly string[], before: readonly string[] = []) => [
    ...offered.filter(name => fields[`${prefix}-${name}`] === 'on'),
    ...before.filter(name => !offered.includes(name)),
  ]
  const spoken = ticked('speaks', languagesToChoose(settings), before.languages)
  const taught = ticked('program', programNames(settings), before.programs)
  const campuses = ticked('campus', campusNames(settings), before.campuses)
  const weight = tidy(fields['weight'] ?? '')
  return {
    id,
    name: tidy(fields['name'] ?? ''),
    email: tidy(fields['email'] ?? ''),
    weight: /^\d{1,4}$/.test(weight) ? Number(weight) : weight,
    ...(states.length > 0 && { states }),
    ...(taught.length > 0 && { programs: taught }),
    ...(campuses.length > 0 && { campuses }),
    ...(spoken.length > 0 && { languages: spoken }),
    ...(fields['backup'] && { backup: fields['backup'] }),
    ...(absent && { absent }),
  }
}

/** The codes of the states that someone typed, each once. Text that is not a known state stays as it is. */
export function statesIn(fields: Fields, { studentInterest }: Settings): string[] {
  const known = statesWith(studentInterest.states)
  const typed = (fields['states'] ?? '').split(/[,;\n]/).map(tidy)
  return [...new Set(typed.filter(text => text !== '').map(text => stateCode(text, known) ?? text))]
}

/** The languages to choose. The school's first language is left out, since everyone speaks it. */
const languagesToChoose = ({ languages }: Settings): readonly string[] => languages.slice(1)

const labels: Record<string, string> = {
  name: 'The name',
  email: 'The email',
  weight: 'The weight',
  states: 'The states',
  programs: 'The programs',
  campuses: 'The campuses',
  backup: 'The backup',
  languages: 'The languages',
}

/**
 * What is wrong with the counselor or the manager at `path`, by field; `''` has everything else. A problem with one of
 * `states` names that state.
 */
export function problemsByField(
  problems: readonly string[],
  path: string,
  states: readonly string[] = [],
): Map<string, string> {
  const found = new Map<string, string>()
  for (const problem of problems) {
    const name = problem.startsWith(`${path}.`) ? (/^\w+/.exec(problem.slice(path.length + 1))?.[0] ?? '') : ''
    const rest = name === '' ? problem : problem.slice(path.length + 1 + name.length)
    const [, at] = /^\[(\d+)\]/.exec(rest) ?? []
    const state = name === 'states' && at !== undefined ? states[Number(at)] : undefined
    const sentence =
      state === undefined
        ? `${labels[name] ?? name}${rest.replace(/^\[\d+\]/, '')}.`
        : `“${state}” is not a state that we know. Write its name or its code, such as TX.`
    if (!found.has(name)) found.set(name, sentence)
  }
  return found
}

type Shown = {
  fields: Fields
  problems: ReadonlyMap<string, string>
  settings: Settings
  /** The counselor who is changed; undefined if one is added. */
  id: string | undefined
}

export function counselorFields({ fields, problems, settings, id }: Shown): Html {
  const others = settings.admissions.counselors.filter(one => one.id !== id)
  const common = { autocomplete: 'off' }
  const input = (name: string, label: string, more: Partial<Parameters<typeof field>[0]> = {}) =>
    field({ ...common, name, label, value: fields[name], problem: problems.get(name), ...more })
  return html`${problems.has('') ? html`<p class="problem">${problems.get('')}</p>` : ''}
${input('name', 'Name')}
${input('email', 'Email', { type: 'email', hint: 'Their notifications and reminders go there. Someone with this address who signs in sees these leads.' })}
${input('states', 'States (optional)', { required: false, hint: 'Their territory, separated by commas: TX, OK. Students from there go to them first.' })}
${programFields(settings, fields, problems.get('programs'))}
${campusFields(settings, fields, problems.get('campuses'))}
${languageFields(settings, fields, problems.get('languages'))}
${input('weight', 'Weight', { hint: 'Their share of the other students: with 2 they get twice as many as with 1, with 0 only those of their campuses, programs and states.' })}
<label for="backup">Backup</label>
<p class="hint" id="backup-hint">Gets their notifications and reminders while they are away, and is reminded when no one has tried to reach a student.</p>
${problems.has('backup') ? html`<p class="problem">${problems.get('backup')}</p>` : ''}
<select id="backup" name="backup" aria-describedby="backup-hint"><option value="">No one: the team</option>${others.map(
    ({ id, name }) => option(id, name, id === fields['backup']),
  )}</select>`
}

function programFields(settings: Settings, fields: Fields, problem: string | undefined): Html | '' {
  const names = programNames(settings)
  return choices('Programs (optional): students who want one of these go to them first', problem, names, name =>
    box(`program-${name}`, name, fields),
  )
}

function campusFields(settings: Settings, fields: Fields, problem: string | undefined): Html | '' {
  const names = campusNames(settings)
  return choices('Campuses (optional): students who chose one of these go to them first', problem, names, name =>
    box(`campus-${name}`, name, fields),
  )
}

function languageFields(settings: Settings, fields: Fields, problem: string | undefined): Html | '' {
  const offered = languagesToChoose(settings)
  const [first = 'en'] = settings.languages
  return choices(`Languages, beside ${languageName(first)}`, problem, offered, tag =>
    box(`speaks-${tag}`, languageName(tag), fields),
  )
}

const choices = (legend: string, problem: string | undefined, all: readonly string[], one: (name: string) => Html) =>
  all.length === 0
    ? ''
    : html`<fieldset><legend>${legend}</legend>
${problem === undefined ? '' : html`<p class="problem">${problem}</p>`}
${all.map(one)}</fieldset>`

const box = (name: string, label: string, fields: Fields): Html => checkbox(name, label, fields[name] === 'on')
