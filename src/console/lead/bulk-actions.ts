/** What the inbox can do with one lead or with many at once, and the single undo for all of them. */
import { assign, assignees, ownerOf } from '../../lead-actions/assign.ts'
import { close, reasonsToClose } from '../../lead-actions/close.ts'
import { needNoAnswer } from '../../lead-actions/need-no-answer.ts'
import { planCallback } from '../../lead-actions/plan-callback.ts'
import { callOutcomeNamed, recordCall } from '../../lead-actions/record-call.ts'
import type { By, Invalid, Services } from '../../lead-actions/services.ts'
import { addTag } from '../../lead-actions/tags-and-programs.ts'
import { undo } from '../../lead-actions/undo.ts'
import { counted } from '../../leads/body/tidy-text.ts'
import { callWords } from '../../leads/lead/call-outcomes.ts'
import { readTag } from '../../leads/lead/labels.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import type { Changed, Done } from '../../store/actions/change-lead.ts'
import { mayUndo, mayWork } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { isLocal, redirect } from '../frame/flash.ts'
import { formOf } from '../frame/form-fields.ts'
import { post } from '../frame/routes.ts'

/** The maximum number of leads at once: more than a page shows. */
const MOST = 200

export const bulkRoutes: ConsoleRoute[] = [
  post('/inbox/actions', 'work on leads', actOnChosen),
  post('/inbox/undo', 'work on leads', undoAll),
]

async function actOnChosen(c: ConsoleContext, deps: ConsoleDeps) {
  const form = await formOf(c)
  const [, what = '', one] = /^([a-z -]+?)(?::(\d{1,15}))?$/.exec(textOf(form, 'do')) ?? []
  const chosen = one === undefined ? form.getAll('lead').map(Number) : [Number(one)]
  const text = one === undefined ? '' : textOf(form, 'note')
  return act(c, deps, { what, chosen, choice: textOf(form, what), text, back: backTo(form) })
}

async function undoAll(c: ConsoleContext, deps: ConsoleDeps) {
  const form = await formOf(c)
  const entries = unpacked(textOf(form, 'entries')).slice(0, MOST)
  const undone = await toEach(deps, entries, (services, entry) => undoEntry(c, services, entry))
  const text =
    undone.length === entries.length
      ? 'Undone.'
      : `Undone for ${counted(undone.length, 'lead')}; for the others it was too late.`
  return redirect(c, backTo(form), { text })
}

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '')

function backTo(form: FormData): string {
  const back = textOf(form, 'back')
  return isLocal(back) ? back : '/inbox'
}

/** Why some leads did not change: someone else was faster, or has erased or taken over a lead. */
const unchangedInWords = (count: number): string =>
  `${counted(count, 'lead')} did not change: someone else may have worked on ${count === 1 ? 'it' : 'them'} meanwhile.`

/** `text` is the note on the call with one of these leads. */
type Bulk = { what: string; chosen: number[]; choice: string; text: string; back: string }

async function act(c: ConsoleContext, deps: ConsoleDeps, { what, chosen, choice, text, back }: Bulk) {
  const bulkAction = await bulkActionOf(deps, { what, choice, text })
  if (bulkAction === undefined) throw new ConsoleError(422, 'Choose what to do with the leads.')
  const ids = chosen.filter(id => Number.isSafeInteger(id) && id > 0).slice(0, MOST)
  const rows = await deps.store.readInboxRows(ids)
  const mine = rows.filter(({ lead }) => mayWork(c.get('operator'), lead))
  const done = await toEach(deps, mine, async (services, { lead }) => bulkAction.run(services, lead, byOperator(c)))
  const [first] = done
  if (first === undefined) {
    const text = rows.length === 0 ? 'Select at least one lead.' : 'Nothing changed.'
    return redirect(c, back, { text })
  }
  const who = done.length === 1 ? fullName(first.lead) : counted(done.length, 'lead')
  const unchanged = chosen.length - done.length
  const others = unchanged === 0 ? '' : ` ${unchangedInWords(unchanged)}`
  const entries = done.flatMap(({ entry }) => entry ?? [])
  return redirect(c, back, { text: `${who}: ${bulkAction.words}.${others}`, undo: undoInList(entries, back) })
}

/** Acts on one lead after the other, and wakes up workers and pages once. Returns what changed. */
async function toEach<One>(
  deps: ConsoleDeps,
  all: readonly One[],
  act: (services: Services, one: One) => Promise<{ outcome: string } | Done | Invalid>,
): Promise<Done[]> {
  const services = { ...deps, changed: () => {} }
  const done: Done[] = []
  for (const one of all) {
    const result = await act(services, one)
    if ('problem' in result) throw new ConsoleError(422, result.problem)
    if ('entry' in result && result.outcome === 'done') done.push(result)
  }
  if (done.length > 0) deps.changed()
  return done
}

/** The form that undoes what these entries record, and returns to the list. */
export const undoInList = (entries: readonly number[], back: string) => ({
  path: '/inbox/undo',
  fields: { entries: packed(entries), back: shortened(back) },
})

/**
 * The ids of entries as a text that stays short, since it goes into a cookie and browsers allow no more than 4 KB: the
 * distance of each id to the one before, in base 36.
 */
const packed = (ids: readonly number[]): string => {
  const sorted = ids.toSorted((one, other) => one - other)
  return sorted.map((id, index) => (id - (sorted[index - 1] ?? 0)).toString(36)).join('.')
}

function unpacked(text: string): number[] {
  let id = 0
  return text.split('.').map(distance => {
    id += Number.parseInt(distance, 36)
    return id
  })
}

/** A search can be longer than the space that is left in the cookie. */
const shortened = (back: string): string => (encodeURIComponent(back).length > 1500 ? '/inbox' : back)

type BulkAction = {
  words: string
  run: (services: Services, lead: Lead, by: By) => Promise<{ outcome: string } | Done | Invalid>
}

async function bulkActionOf(
  deps: ConsoleDeps,
  { what, choice, text }: Pick<Bulk, 'what' | 'choice' | 'text'>,
): Promise<BulkAction | undefined> {
  const outcome = callOutcomeNamed(what)
  if (outcome !== undefined) {
    const words = outcome === 'reached' ? outcome : callWords[outcome]
    return { words, run: (services, lead, by) => recordCall(services, lead, { outcome, text }, by) }
  }
  if (what === 'no answer needed')
    return { words: what, run: (services, lead, by) => needNoAnswer(services, lead, {}, by) }
  if (what === 'callback')
    return {
      words: 'callback promised',
      run: (services, lead, by) => planCallback(services, lead, { when: choice }, by),
    }
  if (what === 'assign') {
    const person = (await assignees(deps)).find(({ id }) => id === choice)
    if (person === undefined) return undefined
    const to = { owner: ownerOf(person.id) }
    return { words: `assigned to ${person.name}`, run: (services, lead, by) => assign(services, lead, to, by) }
  }
  if (what === 'tag') {
    const tag = readTag(choice)
    if ('problem' in tag) throw new ConsoleError(422, tag.problem)
    const { name } = tag
    return { words: `tagged “${name}”`, run: (services, lead, by) => addTag(services, lead, { tag: name }, by) }
  }
  const reason = reasonsToClose.find(reason => reason === choice)
  if (what !== 'close' || reason === undefined) return undefined
  return { words: `closed (${reason})`, run: (services, lead, by) => close(services, lead, { reason }, by) }
}

/** Undoes what an entry records, if the operator may and it is not too late. */
async function undoEntry(c: ConsoleContext, services: Services, entryId: number): Promise<Changed> {
  const { store } = services
  const entry = Number.isSafeInteger(entryId) ? await store.readEntry(entryId) : undefined
  const lead = entry && (await store.findLead(entry.leadId))
  if (entry === undefined || lead === undefined) return { outcome: 'gone' }
  if (!mayUndo(c.get('operator'), lead, entry)) return { outcome: 'gone' }
  return undo(services, lead, { entry }, byOperator(c))
}
