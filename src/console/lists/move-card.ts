/** Moves a card of the board: to another stage, or closes its lead. */

import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { actorName } from '../../leads/lead/staff.ts'
import { stageInWords } from '../../leads/lead/stages.ts'
import { mayWork } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { isLocal, redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { post } from '../frame/routes.ts'
import { undoInList } from '../lead/bulk-actions.ts'
import { leadButtonNamed } from '../lead/buttons.ts'
import { noLead } from '../lead/view.ts'
import { readPlace } from './board-columns.ts'

export const moveRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  post('/board/move', 'work on leads', async c => {
    const fields = await fieldsOf(c)
    const lead = await deps.store.findLead(numberOf(fields['lead']) ?? 0)
    if (lead === undefined || !mayWork(c.get('operator'), lead)) throw noLead()
    const back = isLocal(fields['back']) ? fields['back'] : '/board'
    const place = readPlace(fields['to'])
    const button = place && leadButtonNamed('reason' in place ? 'close' : 'stage')
    if (place === undefined || button === undefined) throw new ConsoleError(422, 'Choose where to move the lead.')
    const pressed = { from: fields['from'] ?? lead.stage, ...place }
    const said = await button({ deps, lead, fields: pressed, by: byOperator(c) })
    if ('problem' in said) return redirect(c, back, { text: said.problem })
    const { result } = said
    if (result.outcome === 'gone') throw noLead()
    if (result.outcome !== 'done') return redirect(c, back, { text: await movedByOthers(deps, result.lead) })
    return redirect(c, back, {
      text: 'reason' in place ? `${fullName(lead)}: ${said.text}` : said.text,
      undo: undoInList([result.entry ?? 0], back),
    })
  }),
]

/** Where the lead is by now, and who has moved it there: the person who moved the card should know it. */
async function movedByOthers({ store, settings }: ConsoleDeps, lead: Lead): Promise<string> {
  const entry = await store.readLatestEntry(lead.id, ['stage', 'undone'])
  const by = entry?.actor ? ` ${actorName(entry.actor, settings.admissions)} moved it there.` : ''
  return `Nothing changed: the lead of ${fullName(lead)} is in ${stageInWords(lead.stage, lead.closedReason)} by now.${by}`
}
