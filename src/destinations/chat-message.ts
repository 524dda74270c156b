/** The message about an event for a chat channel: a heading, a few facts and a link, never what a person wrote. */
import { durationInWords } from '../content/date-format.ts'
import { oneLine, shorten } from '../content/one-line.ts'
import type { EventType } from '../leads/lead/lead-events.ts'
import { NotTold, type Told } from './destination-kind.ts'
import type { FieldName } from './event-payload.ts'
import type { OutgoingRequest } from './send-request.ts'

export type ChatMessage = {
  title: string
  /** The values may be words of strangers, so they are never read as markup. */
  facts: { name: string; value: string }[]
  link: { words: string; url: string } | undefined
}

const titles = {
  'lead.created': 'New lead',
  'submission.received': 'An inquiry came in',
  'lead.late': 'Still waiting: no one has reached them',
  'lead.assigned': 'A lead has another counselor',
  'lead.stage_changed': 'A lead changed stage',
  'message.failed': 'An email to a person did not arrive',
  'report.weekly': 'The week at the school',
  test: 'This is a test from Frontdesk',
} as const

export const chatEvents = Object.keys(titles).filter(type => type !== 'test') as EventType[]

/** Events that a new chat destination does not get, because they would fill the channel. */
export const quietInChat = chatEvents.filter(type => !['lead.created', 'lead.late', 'report.weekly'].includes(type))

export const chatFields: readonly FieldName[] = [
  'firstName',
  'lastName',
  'programs',
  'waitingSince',
  'company',
  'state',
  'email',
  'phone',
]

export const chosenInChat: readonly FieldName[] = ['firstName', 'lastName', 'programs', 'waitingSince']

/** The longest value of a fact, in characters. */
const LONGEST_VALUE = 200

/** The request with a message in the format of a chat. Throws a NotTold for an event that chats do not get. */
export function chatRequest(told: Told, contentOf: (message: ChatMessage) => object): OutgoingRequest {
  const message = chatMessage(told)
  const headers = { 'Content-Type': 'application/json' }
  const { url = '' } = told.values
  return { method: 'POST', url, headers, body: JSON.stringify(contentOf(message)) }
}

function chatMessage({ type, data, now }: Told): ChatMessage {
  if (!Object.hasOwn(titles, type)) throw new NotTold('chat channels do not get such events')
  const { lead, report, completes } = data
  const title = completes === true ? 'Someone added to what they sent' : titles[type as keyof typeof titles]
  const facts = report === undefined ? factsOfLead(lead ?? {}, now) : factsOfWeek(report as Record<string, unknown>)
  const url = (report as { url?: unknown } | undefined)?.url ?? lead?.['url']
  return {
    title,
    facts: facts
      .map(([name, value]) => ({ name, value: shorten(oneLine(value).trim(), LONGEST_VALUE) }))
      .filter(({ value }) => value !== ''),
    link:
      typeof url === 'string' ? { words: lead === undefined ? 'Open the report' : 'Open the lead', url } : undefined,
  }
}

function factsOfLead(lead: Record<string, unknown>, now: number): [string, string][] {
  const text = (name: FieldName | 'stage') => (typeof lead[name] === 'string' ? lead[name] : '')
  const programs = Array.isArray(lead['programs']) ? lead['programs'].join(', ') : ''
  const since = Date.parse(text('waitingSince'))
  return [
    ['Name', `${text('firstName')} ${text('lastName')}`],
    ['Company', text('company')],
    ['Program', programs],
    ['State', text('state')],
    ['Stage', text('stage') === 'new' ? '' : text('stage')],
    ['Waiting for', Number.isNaN(since) ? '' : durationInWords(Math.max(0, now - since))],
    ['Email', text('email')],
    ['Phone', text('phone')],
  ]
}

const factsOfWeek = (report: Record<string, unknown>): [string, string][] => [
  ['Week', `${report['first']} to ${report['last']}`],
  ['Students who wrote in', String(report['students'])],
  ['Sites that wrote in', String(report['sites'])],
  ['Of these, reached', String(report['reached'])],
  ['Of these, not tried yet', String(report['untried'])],
]
