/** The routes of the private API that change a lead. Each uses the same lead action as the console. */
import { toldOf, toldSchema } from '../../destinations/event-payload.ts'
import { addNote, LONGEST_NOTE } from '../../lead-actions/add-note.ts'
import { assign, takersOf } from '../../lead-actions/assign.ts'
import { changeStage } from '../../lead-actions/change-stage.ts'
import { close, reasonsToClose } from '../../lead-actions/close.ts'
import type { Invalid } from '../../lead-actions/services.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { allStages, stages } from '../../leads/lead/stages.ts'
import type { StageChanged } from '../../store/actions/change-stage.ts'
import { mayWork } from '../frame/access.ts'
import { apiErrors } from './api-errors.ts'
import type { ApiCall, ApiRoute, Schema } from './api-route.ts'

const changed: Schema = {
  type: 'object',
  properties: {
    changed: { type: 'boolean', description: 'false: nothing has changed' },
    lead: {
      ...toldSchema([]),
      description: 'The lead as it is now, without personal data. A merged lead has the id of the other lead.',
    },
  },
  required: ['changed', 'lead'],
}

type Change = Pick<ApiRoute, 'path' | 'scope' | 'name' | 'summary' | 'description' | 'body'> & {
  does(call: ApiCall, lead: Lead): Promise<StageChanged | Invalid>
}

const change = ({ does, ...route }: Change): ApiRoute => ({
  ...route,
  method: 'POST',
  action: 'work on leads',
  response: changed,
  errors: [400, 404, 409],
  handle: async call => {
    const lead = await call.deps.store.findLead(call.id)
    if (lead === undefined || !mayWork(call.operator, lead)) throw apiErrors.noLead()
    return resultOf(call, await does(call, lead))
  },
})

export const changingRoutes: ApiRoute[] = [
  change({
    path: '/leads/{id}/stage',
    scope: 'leads:stage',
    name: 'changeStage',
    summary: 'Change the stage of a lead, or close it',
    description: 'Reminders and follow-up emails stop as they do in the console. Sent twice, it changes the lead once.',
    body: {
      type: 'object',
      properties: {
        stage: {
          enum: [...allStages],
          description: `of a student: ${stages.student.join(', ')}; of a site: ${stages.site.join(', ')}`,
        },
        reason: { enum: [...reasonsToClose], description: 'why it is closed; only with closed, and needed there' },
        from: {
          type: 'array',
          items: { enum: [...allStages] },
          description: 'only if it is in one of these stages; otherwise 409',
        },
      },
      required: ['stage'],
    },
    does: moveLead,
  }),
  change({
    path: '/leads/{id}/notes',
    scope: 'leads:note',
    name: 'addNote',
    summary: 'Add a note to a lead',
    description: 'The same text within five minutes is the same note.',
    body: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1, maxLength: LONGEST_NOTE } },
      required: ['text'],
    },
    does: ({ deps, body, by }, lead) => addNote(deps, lead, { text: String(body['text']) }, by),
  }),
  change({
    path: '/leads/{id}/counselor',
    scope: 'leads:assign',
    name: 'assignLead',
    summary: 'Assign a lead',
    description: 'The counselor is notified as if someone had assigned it in the console.',
    body: {
      type: 'object',
      properties: { counselor: { type: ['string', 'null'], description: 'an id of listCounselors; null: the team' } },
      required: ['counselor'],
    },
    does: giveLead,
  }),
]

async function moveLead({ deps, body, by }: ApiCall, lead: Lead): Promise<StageChanged | Invalid> {
  const stage = String(body['stage'])
  const from = body['from'] as string[] | undefined
  const reason = reasonsToClose.find(one => one === body['reason'])
  if (stage === 'closed') {
    if (reason === undefined) throw apiErrors.invalid('A lead is closed for a reason: send reason, too')
    return inStage(stage, from, await close(deps, lead, { reason, from }, by))
  }
  if (reason !== undefined) throw apiErrors.invalid('reason is only for the stage closed: leave it out')
  const ofKind: readonly string[] = stages[lead.kind]
  if (!ofKind.includes(stage))
    throw apiErrors.invalid(`stage must be one of ${ofKind.join(', ')}: the lead is a ${lead.kind}`)
  return inStage(stage, from, await changeStage(deps, lead, { stage, from }, by))
}

/** If the stage of the lead is not in `from`, the lead did not change, and the response must not look like success. */
function inStage(stage: string, from: string[] | undefined, result: StageChanged | Invalid) {
  if (from !== undefined && result.outcome === 'before' && result.lead.stage !== stage)
    throw apiErrors.otherStage(result.lead.stage)
  return result
}

async function giveLead({ deps, body, by }: ApiCall, lead: Lead) {
  const owner = body['counselor'] as string | null
  const takers = takersOf(deps.settings)
  if (owner !== null && !takers.some(({ id }) => id === owner))
    throw apiErrors.invalid(`counselor must be one of ${takers.map(({ id }) => id).join(', ')}, or null for the team`)
  return assign(deps, lead, { owner }, by)
}

async function resultOf({ deps }: ApiCall, result: StageChanged | Invalid) {
  if (result.outcome === 'invalid') throw apiErrors.invalid(result.problem)
  if (result.outcome === 'duplicate') throw apiErrors.otherLead()
  if (result.outcome === 'gone') throw apiErrors.noLead()
  const [lead] = await deps.store.readToldLeads([result.lead.id])
  if (lead === undefined) throw apiErrors.noLead()
  return { changed: result.outcome === 'done', lead: toldOf(lead, { consoleUrl: deps.config.consoleUrl, fields: [] }) }
}
