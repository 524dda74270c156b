/** Merging a lead with another of the same person: finding the other, seeing the effect, merging, and unmerging. */
import { merge as mergeLeads } from '../../lead-actions/merge.ts'
import { unmerge as unmergeLeads } from '../../lead-actions/unmerge.ts'
import { obstacleToWriting } from '../../lead-actions/write-email.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { keptFirst, mergeObstacle } from '../../leads/lead/merging.ts'
import { mergeObstacles, unmergeObstacle } from '../../leads/words/merge-sentences.ts'
import { parseWords } from '../../leads/words/search-words.ts'
import { maySee, mayWork, visibleLeads } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { get, post } from '../frame/routes.ts'
import { choosePage, sidesPage } from './merge-pages.ts'
import { noLead, readLeadFor } from './view.ts'

const PATH = '/leads/:id{[0-9]{1,15}}/merge'

export const mergeRoutes: ConsoleRoute[] = [
  get(PATH, 'merge leads', openMerge),
  post(PATH, 'merge leads', submitMerge),
  post('/leads/:id{[0-9]{1,15}}/unmerge', 'merge leads', submitUnmerge),
]

async function openMerge(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  const id = numberOf(c.req.query('with'))
  if (id === undefined) return choose(c, deps, lead)
  return showSides(c, deps, lead, await readOther(c, deps, lead, id))
}

async function submitMerge(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  return merge(c, deps, lead, await fieldsOf(c))
}

async function submitUnmerge(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  return unmerge(c, deps, lead, numberOf((await fieldsOf(c))['lead']) ?? 0)
}

const MOST = 10

async function choose(c: ConsoleContext, deps: ConsoleDeps, lead: Lead) {
  const operator = c.get('operator')
  const candidates = await deps.store.mergeCandidates(lead, MOST)
  const q = (c.req.query('q') ?? '').trim().slice(0, 200)
  const words = parseWords(q)
  const visibleTo = visibleLeads(operator)
  const rows =
    words === undefined
      ? []
      : (
          await deps.store.listInbox(
            { words, kind: lead.kind, ...(visibleTo && { visibleTo: visibleTo.owner }) },
            { limit: MOST + 1 },
          )
        ).rows
  return choosePage(c, deps, {
    lead,
    q,
    candidates: candidates.filter(one => mayWork(operator, one.lead)),
    found: rows.flatMap(row => (mergeObstacle(lead, row.lead) === 'same address' ? [] : row.lead)),
  })
}

/** Someone who may not work on the other lead may not merge it: for them, it does not exist. */
async function readOther(c: ConsoleContext, { store }: ConsoleDeps, lead: Lead, id: number) {
  const other = await store.findLead(id)
  if (other === undefined || !mayWork(c.get('operator'), other)) throw noLead()
  if (other.id === lead.id) throw new ConsoleError(409, 'These two are already one lead.')
  return other
}

/** Which of two leads is kept: the one that someone chose, if that is possible. */
function sidesOf(lead: Lead, other: Lead, chosen: number | undefined): [kept: Lead, other: Lead] {
  const sides = keptFirst(lead, other)
  const [kept, merged] = sides.toSorted((a, b) => Number(b.id === chosen) - Number(a.id === chosen))
  if (kept === undefined || merged === undefined) return sides
  return mergeObstacle(kept, merged) === undefined ? [kept, merged] : sides
}

/** The lead whose address can get emails, if only one of the two can; otherwise undefined. */
async function reachableOf(deps: ConsoleDeps, ...leads: Lead[]) {
  const reachable: Lead[] = []
  for (const lead of leads) if ((await obstacleToWriting(deps, lead)) === undefined) reachable.push(lead)
  return reachable.length === 1 ? reachable[0]?.id : undefined
}

async function showSides(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, one: Lead, trouble?: string) {
  const chosen = numberOf(c.req.query('keep')) ?? (await reachableOf(deps, lead, one))
  const [kept, other] = sidesOf(lead, one, chosen)
  const why = mergeObstacle(kept, other)
  if (why !== undefined) throw new ConsoleError(409, mergeObstacles[why])
  return sidesPage(c, deps, { lead, kept, other, trouble })
}

async function merge(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, fields: Record<string, string | undefined>) {
  const one = await readOther(c, deps, lead, numberOf(fields['with']) ?? 0)
  const [kept, other] = numberOf(fields['keep']) === one.id ? [one, lead] : [lead, one]
  const by = byOperator(c, numberOf(fields['seen']))
  const result = await mergeLeads(deps, kept, { other, seenOther: numberOf(fields['seenOther']) }, by)
  if (result.outcome === 'refused') throw new ConsoleError(409, mergeObstacles[result.why])
  if (result.outcome === 'gone') throw noLead()
  if (result.outcome === 'stale') return showSides(c, deps, lead, one, STALE)
  const path = `/leads/${kept.id}`
  if (result.outcome === 'before') return redirect(c, path, { text: 'Nothing changed: they are already one lead.' })
  return redirect(c, path, {
    text: `Merged: lead ${other.id} is now part of this one.`,
    undo: { path: `${path}/unmerge`, fields: { lead: String(other.id) } },
  })
}

const STALE =
  'Someone else has changed one of these leads meanwhile, and nothing is merged yet. You see both as they are now. If they still belong together, press the button again.'

async function unmerge(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, id: number) {
  const merged = (await deps.store.readMergedLeads(lead.id)).find(one => one.lead.id === id)
  const path = `/leads/${lead.id}`
  if (merged === undefined) return redirect(c, path, { text: 'Nothing changed: they are not merged.' })
  const result = await unmergeLeads(deps, lead, { other: id }, byOperator(c))
  if (result.outcome === 'refused') return redirect(c, path, { text: unmergeObstacle(result.why, result.by) })
  if (result.outcome !== 'done') return redirect(c, path, { text: 'Nothing changed.' })
  return redirect(c, maySee(c.get('operator'), result.lead) ? `/leads/${id}` : path, {
    text: `Unmerged: ${fullName(merged.lead)} has lead ${id} again.`,
  })
}
