/** Moves a card of the board: to another stage, or closes its lead. */
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { actorName } from '../../leads/lead/staff.ts'
import { stageInWords } from '../../leads/lead/stages.ts'
import { mayWork } from '../frame/access.ts'
import { audit } from '../frame/audit.ts'
import type { ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { fieldsOf, numberOf } from '../frame/fields.ts'
import { isLocal, redirect } from '../frame/flash.ts'
import { leadActionNamed } from '../lead/actions.ts'
import { undoInList } from '../lead/bulk-actions.ts'
import { noLead } from '../lead/view.ts'
import { readPlace } from './board-columns.ts'

export const moveRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  {
    method: 'POST',
    path: '/board/move',
    action: 'work on leads',
    handle: async c => {
      const fields = await fieldsOf(c)
      const { actor } = c.get('operator')
      const lead = await deps.store.findLead(numberOf(fields['lead']) ?? 0)
      if (lead === undefined || !mayWork(c.get('operator'), lead)) throw noLead()
      const back = isLocal(fields['back']) ? fields['back'] : '/board'
      const place = readPlace(fields['to'])
      const leadAction = place && leadActionNamed('reason' in place ? 'close' : 'stage')
      if (place === undefined || leadAction === undefined) throw new ConsoleError(422, 'Choose where to move the lead.')
      const result = await leadAction.run({
        deps,
        lead,
        actor,
        now: deps.clock.now(),
        seen: undefined,
        fields: { from: fields['from'] ?? lead.stage, ...place },
      })
      deps.changed()
      if ('problem' in result) return redirect(c, back, { text: result.problem })
      if (result.outcome === 'gone') throw noLead()
      if (result.outcome !== 'done') return redirect(c, back, { text: await movedByOthers(deps, lead) })
      await audit(c, 'changed', { leadId: lead.id, detail: `moved: ${fields['to']}` })
      const entry = await deps.store.readLatestEntryBy(lead.id, actor)
      return redirect(c, back, {
        text: 'reason' in place ? `${fullName(lead)}: ${result.text}` : result.text,
        ...(entry && { undo: undoInList([entry.id], back) }),
      })
    },
  },
]

/** Where the lead is by now, and who has moved it there: the person who moved the card should know it. */
async function movedByOthers({ store, settings }: ConsoleDeps, { id }: Lead): Promise<string> {
  const lead = await store.findLead(id)
  if (lead === undefined) throw noLead()
  const entry = await store.readLatestEntry(id, ['stage', 'undone'])
  const by = entry?.actor ? ` ${actorName(entry.actor, settings.admissions)} moved it there.` : ''
  return `Nothing changed: the lead of ${fullName(lead)} is in ${stageInWords(lead.stage, lead.closedReason)} by now.${by}`
}
