/** The events about leads for destinations, and the timeline entries that cause them. */
import { callIn } from './call-outcomes.ts'
import { isCompleted } from './timeline-details.ts'
import type { TimelineEntry } from './timeline-entries.ts'

/** What each event means, in the words of the console and of its schema. */
export const eventTypes = {
  'lead.created': 'a new lead',
  'submission.received': 'someone sent an inquiry: the first for their lead, or another one',
  'lead.assigned': 'the lead has another counselor',
  'lead.stage_changed': 'the lead moved to another stage, or was closed',
  'lead.reached': 'someone spoke with the person',
  'lead.merged': 'another lead of the same person was merged into this one',
  'lead.unmerged': 'the two are separate leads again',
  'lead.late': 'no one has reached the person, and the cadence tells the backup, the manager or the chat channels',
  'lead.handed_over': 'someone pressed Hand over again: take the lead as it is now',
  'lead.erased': 'the lead no longer exists: delete what you have of it',
  'message.failed': 'an email to the person came back, or was given up',
  'report.weekly': 'the figures of a week',
} as const

export type EventType = keyof typeof eventTypes

export const everyEvent = Object.keys(eventTypes) as EventType[]

/** What an event contains besides the lead: only ids and figures. */
export type EventFacts = { submission?: number; completes?: true; other?: number; report?: WeekFigures }

/** The figures of a week: how many people wrote in, were reached, and were never tried. */
export type WeekFigures = {
  /** The Monday and the Sunday of the week, yyyy-mm-dd. */
  first: string
  last: string
  students: number
  sites: number
  reached: number
  untried: number
  /** The page of the console. */
  url: string
}

/** An event without an `eventId` gets a new one. */
export type LeadEvent = { type: EventType; leadId: number; at: number; facts: EventFacts; eventId?: string }

type Entry = Pick<TimelineEntry, 'at' | 'kind' | 'detail'> & {
  leadId: number
  submissionId?: number | null
  was?: TimelineEntry['was'] | undefined
}

/** The events that an entry causes, in order. Most entries do not cause any. */
export function eventsOf({ leadId, at, ...entry }: Entry): LeadEvent[] {
  const { types, facts = {} } = eventsIn(leadId, entry)
  return types.map(type => ({ type, leadId, at, facts }))
}

type Events = { types: EventType[]; facts?: EventFacts }

function eventsIn(leadId: number, { kind, detail, submissionId, was }: Omit<Entry, 'leadId' | 'at'>): Events {
  switch (kind) {
    case 'submission': {
      const facts: EventFacts = {
        ...(typeof submissionId === 'number' && { submission: submissionId }),
        ...(isCompleted(detail) && { completes: true }),
      }
      // A lead has the same id as its first submission.
      return { types: [...(submissionId === leadId ? first : []), 'submission.received'], facts }
    }
    case 'assigned':
      return { types: ['lead.assigned'] }
    case 'stage':
      return { types: ['lead.stage_changed', ...(detail === 'contacted' ? reached : [])] }
    case 'attempt':
      return { types: callIn(detail).outcome === 'reached' ? reached : [] }
    case 'merged':
      return { types: ['lead.merged'], facts: was?.merge === undefined ? {} : { other: was.merge.lead } }
    case 'unmerged':
      return { types: ['lead.unmerged'] }
    case 'undone':
      return { types: [...undone].flatMap(([what, type]) => (detail.startsWith(`${what}: `) ? type : [])) }
    case 'bounce':
      return { types: ['message.failed'] }
    default:
      return { types: [] }
  }
}

const first: EventType[] = ['lead.created']
const reached: EventType[] = ['lead.reached']

/** The events for undoing an action: undoing changes again what the action changed. */
const undone = new Map<string, EventType>([
  ['stage', 'lead.stage_changed'],
  ['assigned', 'lead.assigned'],
])
