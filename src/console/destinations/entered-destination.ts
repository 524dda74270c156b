/** Reads what someone has entered into the form of a destination, and says what is wrong with it. */
import type { DestinationKind, Values } from '../../destinations/destination-kind.ts'
import { checkedUrl, ForbiddenUrl } from '../../destinations/send-request.ts'
import { statesWith } from '../../leads/body/states.ts'
import { requiredProblem, tidy } from '../../leads/body/tidy-text.ts'
import type { DestinationFilter } from '../../leads/lead/destination-filter.ts'
import { type Label, labelKey, labelNames } from '../../leads/lead/labels.ts'
import type { EventType } from '../../leads/lead/lead-events.ts'
import { programNames } from '../../leads/lead/programs.ts'
import { allStages } from '../../leads/lead/stages.ts'
import type { Destination } from '../../store/destinations/destinations.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'

/** The fields as they were typed: lists of names have commas in between. */
export type Entered = {
  name: string
  values: Values
  /** The secrets to remove. Leaving a secret empty keeps it. */
  cleared: string[]
  events: EventType[]
  fields: string[]
  leadKind: DestinationFilter['kind']
  stages: string[]
  states: string
  programs: string
  tags: string
}

/** Sentences, by the names of fields. */
export type Problems = Partial<Record<string, string | undefined>>

/** What a new destination of a kind begins with. */
export const newEntered = (kind: DestinationKind): Entered => ({
  name: '',
  cleared: [],
  values: Object.fromEntries(kind.inputs.map(({ name, value, choices }) => [name, value ?? choices?.[0] ?? ''])),
  events: offered(kind).filter(type => !kind.quiet?.includes(type)),
  fields: [...kind.chosen],
  leadKind: null,
  stages: [],
  states: '',
  programs: '',
  tags: '',
})

/** Does the same for an existing destination. Secrets are left out. */
export function enteredOf(
  { name, events, fields, filter }: Destination,
  { kind, values, tags }: { kind: DestinationKind; values: Values; tags: readonly Label[] },
): Entered {
  return {
    name,
    cleared: [],
    values: Object.fromEntries(kind.inputs.map(({ name, secret }) => [name, secret ? '' : (values[name] ?? '')])),
    events,
    fields,
    leadKind: filter.kind,
    stages: filter.stages,
    states: filter.states.join(', '),
    programs: filter.programs.join(', '),
    tags: tags.flatMap(({ id, name }) => (filter.tags.includes(id) ? name : [])).join(', '),
  }
}

/** Every destination gets `lead.erased`. */
export const offered = ({ events }: DestinationKind): EventType[] => events.filter(type => type !== 'lead.erased')

export function enteredIn(form: FormData, kind: DestinationKind): Entered {
  const text = (name: string) => String(form.get(name) ?? '')
  const line = (name: string) => tidy(text(name))
  const leadKind = text('kind')
  const values = Object.fromEntries(
    kind.inputs.map(({ name, lines }) => [name, lines ? text(name).replaceAll('\r\n', '\n') : text(name).trim()]),
  )
  return {
    name: line('name'),
    values,
    cleared: kind.inputs.flatMap(({ name, optional }) =>
      optional && form.getAll('cleared').includes(name) ? name : [],
    ),
    events: offered(kind).filter(type => form.getAll('events').includes(type)),
    fields: kind.fieldsIn?.(values) ?? kind.fields.filter(name => form.getAll('fields').includes(name)),
    leadKind: leadKind === 'site' || leadKind === 'student' ? leadKind : null,
    stages: allStages.filter(stage => form.getAll('stages').includes(stage)),
    states: line('states'),
    programs: line('programs'),
    tags: line('tags'),
  }
}

type Checking = {
  c: ConsoleContext
  kind: DestinationKind
  /** The values of the existing destination. Secrets that are left empty stay the same. */
  before?: Values | undefined
  known: Known
}

/** The programs and tags to choose from. */
export type Known = { programs: readonly string[]; tags: readonly Label[] }

/** The programs and tags that leads have, and the programs in the settings. */
export async function knownLabels({ store, settings }: ConsoleDeps): Promise<Known> {
  const labels = await store.listLabels('program', 'tag')
  const programs = new Map(
    [...programNames(settings), ...labelNames(labels, 'program')].map(name => [labelKey(name), name]),
  )
  return { programs: [...programs.values()], tags: labels.filter(({ kind }) => kind === 'tag') }
}

/** The values to store, or what is wrong. */
export function checkEntered(
  entered: Entered,
  { c, kind, before, known }: Checking,
): { problems: Problems } | { choices: Pick<Destination, 'name' | 'events' | 'fields' | 'filter'>; values: Values } {
  const { name, events, fields, leadKind, stages } = entered
  const values = Object.fromEntries(
    kind.inputs.map(({ name, secret }) => {
      const typed = entered.values[name] ?? ''
      const stays = secret && typed.trim() === '' && !entered.cleared.includes(name)
      return [name, stays ? (before?.[name] ?? '') : typed]
    }),
  )
  const programs = valuesOf(entered.programs, new Map(known.programs.map(name => [labelKey(name), name])))
  const tags = valuesOf(entered.tags, new Map(known.tags.map(({ id, name }) => [labelKey(name), id])))
  const states = codesOf(entered.states, statesWith(c.get('frame').deps.settings.studentInterest.states))
  const problem = requiredProblem(name, 'one', 80)
  const problems: Problems = {
    ...Object.fromEntries(kind.inputs.map(input => [input.name, inputProblem(input, values[input.name] ?? '')])),
    ...kind.problems?.(values),
    ...(entered.values['url'] === '' && before !== undefined ? {} : { url: urlProblem(c, kind, values) }),
    name: problem && `The name ${problem}.`,
    events: events.length === 0 ? 'Choose at least one event.' : undefined,
    programs: programs.unknown && `There is no program “${programs.unknown}”.`,
    tags: tags.unknown && `There is no tag “${tags.unknown}”.`,
    states: states.unknown && `“${states.unknown}” is not a state; use codes such as IL, TX.`,
  }
  if (Object.values(problems).some(one => one !== undefined)) return { problems }
  const filter = { kind: leadKind, stages, states: states.found, programs: programs.found, tags: tags.found }
  return { choices: { name, events, fields, filter }, values }
}

function inputProblem(
  { label, optional, choices, lines }: DestinationKind['inputs'][number],
  value: string,
): string | undefined {
  if (value.trim() === '') return optional ? undefined : `Fill in: ${label}.`
  if (choices !== undefined && !choices.includes(value)) return 'Choose one of these.'
  return value.length > (lines ? 20_000 : 2000) ? 'That is too long.' : undefined
}

function urlProblem(c: ConsoleContext, kind: DestinationKind, values: Values): string | undefined {
  const own = kind.problems?.(values)['url']
  if (own !== undefined) return own
  try {
    checkedUrl(values['url'] ?? '', c.get('frame').deps.config.destinationNetworks)
    return undefined
  } catch (error) {
    if (error instanceof ForbiddenUrl) return `This URL cannot be used: ${error.message}.`
    throw error
  }
}

type Found<T> = { found: T[]; unknown: string | undefined }

const listed = (text: string): string[] =>
  text
    .split(',')
    .map(one => one.trim())
    .filter(one => one !== '')

function valuesOf<T>(text: string, known: ReadonlyMap<string, T>): Found<T> {
  const names = listed(text)
  const values = names.flatMap(name => known.get(labelKey(name)) ?? [])
  return { found: [...new Set(values)], unknown: names.find(name => !known.has(labelKey(name))) }
}

function codesOf(text: string, states: ReadonlyMap<string, string>): Found<string> {
  const known = new Set(states.values())
  const codes = listed(text).map(one => one.toUpperCase())
  return { found: codes.filter(code => known.has(code)), unknown: codes.find(code => !known.has(code)) }
}
