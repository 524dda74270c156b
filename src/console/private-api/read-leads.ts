/** The routes of the private API that read leads. */
import { everyField, toldOf, toldSchema } from '../../destinations/event-payload.ts'
import { takersOf } from '../../lead-actions/assign.ts'
import type { Submission } from '../../leads/body/submission.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { timelineWords } from '../../leads/words/timeline-words.ts'
import { exactMoment } from '../../platform/time.ts'
import type { ToldLead } from '../../store/destinations/told-leads.ts'
import type { ChangesCursor, Gap } from '../../store/lookup/changed-leads.ts'
import { maySee } from '../frame/access.ts'
import { filterOf, orderOf, positionText, readPosition } from '../lists/inbox-filter.ts'
import { apiErrors } from './api-errors.ts'
import type { ApiCall, ApiRoute, Schema } from './api-route.ts'
import { filterParameters, readFilter, readLimit } from './list-query.ts'

const text = { type: 'string' }
const moment = { type: 'string', format: 'date-time' }
const next = { type: ['string', 'null'], description: 'send it as cursor to read on; null: there is no more' }
const leads = { type: 'array', items: { $ref: '#/components/schemas/Lead' } }

export const leadSchema: Schema = {
  ...toldSchema(everyField),
  description: 'A lead as it is now, with the fields of the webhooks.',
}

const objectOf = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const entrySchema = objectOf({
  id: { type: 'integer' },
  at: moment,
  kind: { type: 'string', description: 'what kind of entry it is; there may be new ones' },
  what: { type: 'string', description: 'what happened, in words for people' },
  text: { type: 'string', description: 'the words of the staff or of the person; may be empty' },
  by: { type: ['string', 'null'], description: 'who did it, if it was the staff or a program at the school' },
})

const inquirySchema = objectOf({
  id: { type: 'integer' },
  at: moment,
  fields: { type: 'object', description: 'as they were sent' },
  answers: {
    type: 'array',
    items: objectOf({ question: text, answer: text }),
    description: 'to questions of the school’s own',
  },
})

export const readingRoutes: ApiRoute[] = [
  {
    method: 'GET',
    path: '/leads',
    scope: 'leads:read',
    action: 'see leads',
    name: 'listLeads',
    summary: 'List leads',
    description:
      'The newest first, unless sort says otherwise. The parameters are those of the inbox: filter there, and take them from its URL.',
    query: filterParameters,
    response: objectOf({ leads, next }),
    errors: [400],
    handle: listLeads,
  },
  {
    method: 'GET',
    path: '/leads/{id}',
    scope: 'leads:read',
    action: 'see leads',
    name: 'readLead',
    summary: 'Read a lead with its history',
    description: 'For a lead that was merged into another, this returns the other, with its own id.',
    query: {
      before: {
        schema: { type: 'integer', minimum: 1 },
        description: 'the value of older in an earlier response, to read what came before it',
      },
    },
    response: objectOf({
      lead: { $ref: '#/components/schemas/Lead' },
      inquiries: { type: 'array', items: inquirySchema, description: 'oldest first' },
      timeline: { type: 'array', items: entrySchema, description: 'oldest first' },
      older: {
        type: ['integer', 'null'],
        description: 'send it as before to read what came before these; null: there is no more',
      },
    }),
    errors: [400, 404],
    handle: readLead,
  },
  {
    method: 'GET',
    path: '/changes',
    scope: 'leads:read',
    action: 'see leads',
    name: 'listChanges',
    summary: 'List the leads that have changed',
    description:
      'Since a cursor. Without a cursor, the response has no leads, only the cursor to begin with. A lead may come again although nothing more has changed. Erased leads are not listed: a webhook reports them (lead.erased).',
    query: { cursor: { schema: text, description: 'the cursor of an earlier response' } },
    response: objectOf({
      leads,
      cursor: { type: 'string', description: 'send it with the next request' },
      more: { type: 'boolean', description: 'whether there is more already' },
    }),
    errors: [400, 410],
    handle: listChanges,
  },
  {
    method: 'GET',
    path: '/counselors',
    scope: 'leads:read',
    action: 'see leads',
    name: 'listCounselors',
    summary: 'List who can be assigned leads',
    response: objectOf({ counselors: { type: 'array', items: objectOf({ id: text, name: text }) } }),
    handle: async ({ deps }) => ({ counselors: takersOf(deps.settings) }),
  },
]

async function listLeads(call: ApiCall) {
  const { deps, operator, query } = call
  const { fields, email } = readFilter(query)
  if (email !== undefined) {
    const found = await deps.store.findLeadsOf(email)
    return {
      leads: await tell(
        call,
        found.map(({ id }) => id),
      ),
      next: null,
    }
  }
  const after = query['cursor'] === undefined ? undefined : readPosition(query['cursor'])
  if (query['cursor'] !== undefined && after === undefined)
    throw apiErrors.invalid('cursor must be the value of next in an earlier response')
  const filter = filterOf(fields, { ...deps, operator })
  const order = orderOf(fields, { listOrder: 'newest' })
  const page = await deps.store.listInbox(filter, { after, order, limit: readLimit(query) })
  // To a person, the search offers similar names; a program would treat those as matches.
  const found = page.similar ? [] : page.rows.map(({ lead }) => lead.id)
  return { leads: await tell(call, found), next: page.next === null || page.similar ? null : positionText(page.next) }
}

async function readLead(call: ApiCall) {
  const { deps, operator, id, query } = call
  const before = query['before']
  if (before !== undefined && !/^\d{1,15}$/.test(before)) throw apiErrors.invalid('before must be a whole number')
  const found = await deps.store.readLead(id, { before: before === undefined ? undefined : Number(before) })
  if (found === undefined || !maySee(operator, found.lead)) throw apiErrors.noLead()
  const [lead] = await deps.store.readToldLeads([found.lead.id])
  if (lead === undefined) throw apiErrors.noLead()
  await call.audit('opened', { leadId: lead.id })
  return {
    lead: wordsOf(call, lead),
    inquiries: found.submissions.map(inquiryOf),
    timeline: found.timeline.map(entry => entryOf(entry, call)),
    older: found.older,
  }
}

async function listChanges(call: ApiCall) {
  const { deps, query } = call
  const cursor = query['cursor'] === undefined ? undefined : readCursor(query['cursor'])
  if (query['cursor'] !== undefined && cursor === undefined)
    throw apiErrors.invalid('cursor must be the cursor of an earlier response')
  const changed = await deps.store.listChangedLeads({ cursor, now: deps.clock.now() })
  if (changed === undefined) throw apiErrors.restored()
  return { leads: await tell(call, changed.ids), cursor: cursorText(changed.cursor), more: changed.more }
}

/** Returns the leads that the operator may see, as they are now. The audit log records which. */
async function tell(call: ApiCall, ids: readonly number[]) {
  const leads = (await call.deps.store.readToldLeads(ids)).filter(lead =>
    maySee(call.operator, { owner: lead.owner, callbackFor: lead.callback_for?.split(' ') ?? [] }),
  )
  if (leads.length > 0) await call.audit('read leads', { detail: leads.map(({ id }) => id).join(', ') })
  return leads.map(lead => wordsOf(call, lead))
}

const wordsOf = ({ deps }: ApiCall, lead: ToldLead) =>
  toldOf(lead, { consoleUrl: deps.config.consoleUrl, fields: everyField })

const inquiryOf = ({ id, receivedAt, body, form }: Submission) => ({
  id,
  at: exactMoment(receivedAt),
  fields: body,
  answers: form?.answers ?? [],
})

function entryOf(entry: TimelineEntry, { deps }: ApiCall) {
  const { what, text, by } = timelineWords(entry, deps.settings.admissions)
  return { id: entry.id, at: exactMoment(entry.at), kind: entry.kind, what, text, by }
}

const cursorText = ({ after, at, gaps }: ChangesCursor): string =>
  [[after, at], ...gaps].map(numbers => numbers.join('-')).join('.')

function readCursor(text: string): ChangesCursor | undefined {
  if (!/^\d{1,15}-\d{1,15}(?:\.\d{1,15}-\d{1,15}-\d{1,15}){0,30}$/.test(text)) return undefined
  const [[after = 0, at = 0] = [], ...gaps] = text.split('.').map(part => part.split('-').map(Number))
  return { after, at, gaps: gaps as unknown as Gap[] }
}
