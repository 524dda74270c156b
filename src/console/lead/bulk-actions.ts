/** What the inbox does with one lead or with many at once, and the one undo for all of it. */

import { counted } from '../../leads/body/text.ts'
import { readTag } from '../../leads/lead/labels.ts'
import { fullName } from '../../leads/lead/lead.ts'
import { closedReasons } from '../../leads/lead/stages.ts'
import { canTakeBack } from '../../leads/lead/undo.ts'
import type { StageResult } from '../../store/actions/staff-actions.ts'
import { mayUndo, mayWork } from '../frame/access.ts'
import { audit } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { formOf } from '../frame/fields.ts'
import { isLocal, redirect } from '../frame/flash.ts'
import { auditDetailOf } from './audit-detail.ts'

/** In the audit log, before the number of the lead. */
export const UNDID = 'undid a change of'

/** More leads than a page shows. */
const MOST = 200

/** The reasons for which a person closes a lead; the others are for the end of a follow-up. */
export const reasonsToClose = closedReasons.filter(
  reason => reason !== 'no reply' && reason !== 'never contacted' && reason !== 'unsubscribed',
)

export const bulkRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  {
    method: 'POST',
    path: '/inbox/actions',
    action: 'work on leads',
    handle: async c => {
      const form = await formOf(c)
      const [, what = '', one] = /^([a-z -]+?)(?::(\d{1,15}))?$/.exec(textOf(form, 'do')) ?? []
      const chosen = one === undefined ? form.getAll('lead').map(Number) : [Number(one)]
      return act(c, deps, { what, chosen, choice: textOf(form, what), back: backTo(form) })
    },
  },
  {
    method: 'POST',
    path: '/inbox/undo',
    action: 'work on leads',
    handle: async c => {
      const form = await formOf(c)
      const entries = unpacked(textOf(form, 'entries')).slice(0, MOST)
      const undone: number[] = []
      for (const entry of entries) undone.push(...(await undoEntry(c, deps, entry)))
      await audit(c, UNDID, { leads: undone })
      const text =
        undone.length === entries.length
          ? 'Undone.'
          : `Undone for ${counted(undone.length, 'lead')}; for the others it was too late.`
      return redirect(c, backTo(form), { text })
    },
  },
]

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '')

function backTo(form: FormData): string {
  const back = textOf(form, 'back')
  return isLocal(back) ? back : '/inbox'
}

/** Someone else was faster, erased a lead, or made it one of their own. */
const unchangedInWords = (count: number): string =>
  `${counted(count, 'lead')} did not change: someone else may have worked on ${count === 1 ? 'it' : 'them'} meanwhile.`

type Bulk = { what: string; chosen: number[]; choice: string; back: string }

async function act(c: ConsoleContext, deps: ConsoleDeps, { what, chosen, choice, back }: Bulk) {
  const { store, clock, changed } = deps
  const { actor } = c.get('operator')
  const bulkAction = await bulkActionOf(deps, { what, choice, actor })
  if (bulkAction === undefined) throw new ConsoleError(422, 'Choose what to do with the leads.')
  const ids = chosen.filter(id => Number.isSafeInteger(id) && id > 0).slice(0, MOST)
  const rows = await store.readInboxRows(ids)
  const since = clock.now()
  const done: { id: number; name: string }[] = []
  for (const { lead } of rows) {
    if (!mayWork(c.get('operator'), lead)) continue
    if ((await bulkAction.run(lead.id)) === 'done') done.push({ id: lead.id, name: fullName(lead) })
  }
  changed()
  const [first] = done
  if (first === undefined) {
    const text = rows.length === 0 ? 'Select at least one lead.' : 'Nothing changed.'
    return redirect(c, back, { text })
  }
  const leads = done.map(({ id }) => id)
  const deed = { do: what, tag: choice, reason: choice }
  await audit(c, 'changed', { leads, detail: await auditDetailOf(store, first.id, deed) })
  const entries = await store.listRecentActions(leads, { actor, since })
  const who = done.length === 1 ? first.name : counted(done.length, 'lead')
  const unchanged = chosen.length - done.length
  const others = unchanged === 0 ? '' : ` ${unchangedInWords(unchanged)}`
  return redirect(c, back, { text: `${who}: ${bulkAction.words}.${others}`, undo: undoInList(entries, back) })
}

/** The form that undoes what these entries record, and leads back to the list. */
export const undoInList = (entries: readonly number[], back: string) => ({
  path: '/inbox/undo',
  fields: { entries: packed(entries), back: shortened(back) },
})

/**
 * The ids of entries as text that stays short in a cookie, since browsers keep no more than 4 KB of one: the
 * distance of each to the one before, in base 36.
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

/** A search can be longer than what is left of the cookie. */
const shortened = (back: string): string => (encodeURIComponent(back).length > 1500 ? '/inbox' : back)

type BulkAction = { words: string; run: (id: number) => Promise<StageResult> }

async function bulkActionOf(
  { store, clock, actions }: ConsoleDeps,
  { what, choice, actor }: { what: string; choice: string; actor: string },
): Promise<BulkAction | undefined> {
  if (what === 'reached') return { words: 'reached', run: id => actions.act('contacted', id, actor) }
  if (what === 'no answer') return { words: 'no answer', run: id => actions.act('attempted', id, actor) }
  if (what === 'assign') {
    const person = (await actions.choices()).find(({ id }) => id === choice)
    if (person === undefined) return undefined
    const run = async (id: number) => (await actions.assign(id, actor, choice)).outcome
    return { words: `assigned to ${person.name}`, run }
  }
  if (what === 'tag') {
    const tag = readTag(choice)
    if ('problem' in tag) throw new ConsoleError(422, tag.problem)
    const label = { kind: 'tag', name: tag.name, actor } as const
    const run = (id: number) => store.addLabel(id, { ...label, now: clock.now() })
    return { words: `tagged “${tag.name}”`, run }
  }
  const reason = reasonsToClose.find(reason => reason === choice)
  if (what !== 'close' || reason === undefined) return undefined
  const change = { stage: 'closed', closedReason: reason, actor }
  return { words: `closed (${reason})`, run: id => store.changeStage(id, { ...change, now: clock.now() }) }
}

/** Returns the lead whose change was undone, if it was not too late. */
async function undoEntry(
  c: ConsoleContext,
  { store, clock, actions }: ConsoleDeps,
  entryId: number,
): Promise<number[]> {
  const entry = Number.isSafeInteger(entryId) ? await store.readEntry(entryId) : undefined
  const lead = entry && (await store.findLead(entry.leadId))
  if (entry === undefined || lead === undefined) return []
  if (!mayUndo(c.get('operator'), lead, entry)) return []
  const now = clock.now()
  const outcome = canTakeBack(entry, now)
    ? await store.takeBack(entryId, { now })
    : await actions.undo('undo', entryId, c.get('operator').actor)
  return outcome === 'done' ? [lead.id] : []
}
