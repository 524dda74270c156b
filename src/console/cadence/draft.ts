/**
 * A cadence while someone edits it. The URL of the editor contains the whole draft, so it can be bookmarked or sent to
 * a colleague, and is not lost when a session ends.
 */
import {
  type Cadence,
  nominalMinutes,
  parseDelay,
  recipientOf,
  type Step,
  templateOf,
} from '../../follow-up/cadence.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { kindOf, numberOf } from '../frame/form-fields.ts'

/** A step as the fields of the form; `to` is a recipient, `chat` or `close`. */
export type Row = { name: string; count: string; unit: string; clock: string; to: string; message: string }
const columns = ['name', 'count', 'unit', 'clock', 'to', 'message'] as const

export type Draft = {
  kind: Kind
  /** The version that was in force when the draft was begun; 0 for the settings file. */
  replaces: number
  /** How many people write in the month that is simulated. */
  people: string
  note: string
  rows: readonly Row[]
}

/** The maximum number of steps: more than anyone needs, and few enough for a URL. */
export const MOST_STEPS = 30
export const USUAL_PEOPLE = '200'

/**
 * Reads the draft from the fields of a form or URL; `valuesOf` returns the values of a field. Returns undefined if
 * there is no draft, or if it does not say which version it replaces.
 */
export function readDraft(valuesOf: (name: string) => string[]): Draft | undefined {
  const one = (name: string) => valuesOf(name).at(-1)
  const replaces = numberOf(one('replaces'))
  if (replaces === undefined) return undefined
  const lists = columns.map(name => valuesOf(name))
  const count = Math.min(MOST_STEPS, ...lists.map(list => list.length))
  const rows = Array.from({ length: count }, (_, i) =>
    Object.fromEntries(columns.map((name, at) => [name, lists[at]?.[i]?.trim() ?? ''])),
  ) as Row[]
  return {
    kind: kindOf(one('kind')),
    replaces,
    people: one('people') ?? USUAL_PEOPLE,
    note: one('note')?.trim() ?? '',
    rows: inOrder(rows),
  }
}

/** What follows `?` in the URL of the draft. */
export function queryOf({ kind, replaces, people, note, rows }: Draft): string {
  const query = new URLSearchParams({ kind, replaces: String(replaces), people })
  if (note !== '') query.set('note', note)
  for (const row of rows) for (const name of columns) query.append(name, row[name])
  return query.toString()
}

export const rowsOf = (cadence: Cadence): Row[] =>
  cadence.map(step => {
    const [count = '', unit = ''] = step.after.split(' ')
    return {
      name: step.name,
      count,
      unit: unit.replace(/s?$/, 's'),
      clock: step.clock,
      to: recipientOf(step) ?? 'close',
      message: templateOf(step) ?? '',
    }
  })

const afterOf = ({ count, unit }: Row): string => `${count} ${count === '1' ? unit.replace(/s$/, '') : unit}`

/** The steps as the settings write them. The checks of the settings decide whether they are valid. */
export const cadenceOf = (rows: readonly Row[]): Step[] =>
  rows.map(row => {
    const { name, clock, to, message } = row
    const timing = { name, after: afterOf(row), clock }
    if (to === 'close') return { ...timing, close: 'no reply' } as Step
    return (to === 'chat' ? { ...timing, channel: 'chat' } : { ...timing, to, message }) as Step
  })

/** Sorts rows by time. A row without a valid time stays after the row that it follows now. */
function inOrder(rows: readonly Row[]): Row[] {
  let last = 0
  const timed = rows.map(row => {
    const delay = parseDelay(afterOf(row))
    last = delay ? nominalMinutes(delay) : last
    return { row, at: last }
  })
  return timed.toSorted((one, other) => one.at - other.at).map(({ row }) => row)
}

/** What the buttons of the editor add. */
export const newSteps = ['reminder', 'chat', 'email', 'end'] as const
type NewStep = (typeof newSteps)[number]

/** Adds a step after the last one of its sort, with times that fit the others, for the operator to edit. */
export function withAdded({ kind, rows }: Draft, added: NewStep): Row[] {
  const last = rows.findLast(({ to }) => (sorts[to] ?? 'reminder') === added)
  return inOrder([...rows, { ...newRow(added, kind, last), name: freeName(added, rows) }])
}

const sorts: Record<string, NewStep> = { close: 'end', student: 'email', chat: 'chat' }

function newRow(added: NewStep, kind: Kind, last: Row | undefined): Omit<Row, 'name'> {
  if (added === 'end') return { count: '14', unit: 'days', clock: 'student', to: 'close', message: '' }
  if (added === 'email') {
    const file = last?.message ?? 'letters/day-1.md'
    const count = last?.unit === 'days' ? String(Number(last.count) + 3) : '1'
    return { count, unit: 'days', clock: 'student', to: 'student', message: file }
  }
  if (last !== undefined) return { ...last, count: String(Number(last.count) * 2 || 1) }
  const first = { clock: 'school' }
  if (added === 'chat')
    return { ...first, count: '1', unit: kind === 'site' ? 'days' : 'hours', to: 'chat', message: '' }
  return kind === 'site'
    ? { ...first, count: '1', unit: 'days', to: 'team', message: 'notifications/site-reminder.md' }
    : { ...first, count: '5', unit: 'minutes', to: 'counselor', message: 'notifications/reminder.md' }
}

/** A name that no other step has, such as `reminder-4`. */
function freeName(added: NewStep, rows: readonly Row[]): string {
  const names = new Set(rows.map(({ name }) => name))
  const base = added === 'end' ? 'no-reply' : added
  if (added === 'end' && !names.has(base)) return base
  let number = rows.length + 1
  while (names.has(`${base}-${number}`)) number++
  return `${base}-${number}`
}
