/** Reads reports about a message that was sent: not delivered (RFC 3464), or complained about (RFC 5965). */
import { type Attachment, addressParser, type Email } from 'postal-mime'
import { shorten } from '../../content/one-line.ts'
import { parseEmail } from '../../leads/body/email.ts'
import { isHard } from '../transport/bounce-codes.ts'
import { MARK } from '../transport/message.ts'
import { describeMailError } from '../transport/smtp-errors.ts'
import { type Fields, fieldsOf, firstValue, messageIds, readBlocks, readFields, repliedTo } from './headers.ts'

export type Bounce = {
  kind: 'bounce'
  hard: boolean
  recipients: string[]
  references: string[]
  marks: string[]
  note: string
}
export type Complaint = { kind: 'complaint'; recipients: string[]; references: string[]; marks: string[]; note: string }
/** A message that does not concern any lead. */
export type Unrelated = { kind: 'other'; note: string }

const MAX_PART = 100_000
const MAX_RECIPIENTS = 100

/** Reads a report (RFC 6522); undefined if the message is not a report. */
export function readReport(email: Email): Bounce | Complaint | Unrelated | undefined {
  const fields = fieldsOf(email.headers)
  if (!/^multipart\/report\b/i.test(firstValue(fields, 'content-type'))) return undefined
  const complaint = part(email, ['message/feedback-report'])
  if (complaint !== undefined) return readComplaint(readFields(complaint), email)
  const status = part(email, ['message/delivery-status', 'message/global-delivery-status'])
  if (status !== undefined) return readDeliveryStatus(readBlocks(status), email)
  const receipt = part(email, ['message/disposition-notification'])
  return receipt === undefined ? undefined : { kind: 'other', note: 'a read receipt' }
}

/** Reads a bounce that has no report, only words. It counts as soft, because no standard defines its meaning. */
export function readUnstructuredBounce(email: Email): Bounce {
  const fields = fieldsOf(email.headers)
  // Without parts, the returned message follows the text, headers first.
  const quoted = (email.text ?? '').slice(0, MAX_PART).matchAll(/^[> \t]*message-id:[ \t]*(<[^<>\s]+>)/gim)
  const ids = Array.from(quoted, match => match[1] ?? '')
  return {
    kind: 'bounce',
    hard: false,
    recipients: addresses(fields.get('x-failed-recipients') ?? []),
    references: messageIds([...repliedTo(fields), ...ids, ...returnedIds(email)]),
    marks: [...quotedMarks(email), ...returnedMarks(email)],
    note: noteOf(firstValue(fields, 'subject') || 'a bounce without a report'),
  }
}

function readDeliveryStatus(blocks: Fields[], email: Email): Bounce | Unrelated {
  const recipients = blocks.filter(block => block.has('action'))
  // After a delay, the mail server still tries, and reports again when it gives up.
  const failed = recipients.filter(block => /^failed/i.test(firstValue(block, 'action')))
  if (failed.length === 0) {
    const actions = recipients.map(block => firstValue(block, 'action')).join(', ')
    if (recipients.length > 0) return { kind: 'other', note: noteOf(`delivery report: ${actions}`) }
    return readUnstructuredBounce(email)
  }
  // If several recipients failed, those that failed permanently count.
  const hard = failed.filter(isHardFailure)
  const reported = hard.length > 0 ? hard : failed
  return {
    kind: 'bounce',
    hard: hard.length > 0,
    recipients: addresses(
      reported.flatMap(block => [...(block.get('original-recipient') ?? []), ...(block.get('final-recipient') ?? [])]),
    ),
    references: references(email),
    marks: returnedMarks(email),
    note: noteOf(reported.map(describe).join('; ')),
  }
}

const isHardFailure = (block: Fields): boolean =>
  isHard(firstValue(block, 'status'), firstValue(block, 'diagnostic-code'))

const describe = (block: Fields): string =>
  [firstValue(block, 'action'), firstValue(block, 'status'), firstValue(block, 'diagnostic-code')]
    .filter(Boolean)
    .join(' ')

/** Kinds of feedback that are not complaints (RFC 5965 section 7.3, RFC 6591). */
const NO_COMPLAINTS = ['not-spam', 'auth-failure']

function readComplaint(fields: Fields, email: Email): Complaint | Unrelated {
  const type = firstValue(fields, 'feedback-type').toLowerCase()
  if (NO_COMPLAINTS.includes(type)) return { kind: 'other', note: noteOf(`feedback: ${type}`) }
  const named = fields.get('original-rcpt-to') ?? []
  return {
    kind: 'complaint',
    recipients: addresses(named.length > 0 ? named : (returned(email).get('to') ?? [])),
    references: references(email),
    marks: returnedMarks(email),
    note: noteOf(`complaint: ${type || 'of unknown kind'}`),
  }
}

const references = (email: Email): string[] =>
  messageIds([...repliedTo(fieldsOf(email.headers)), ...returnedIds(email)])

const returnedIds = (email: Email): string[] => returned(email).get('message-id') ?? []

const returnedMarks = (email: Email): string[] => returned(email).get(MARK_FIELD) ?? []

const quotedMarks = ({ text = '' }: Email): string[] =>
  Array.from(text.slice(0, MAX_PART).matchAll(QUOTED_MARK), ([, mark = '']) => mark)

const MARK_FIELD = MARK.toLowerCase()
const QUOTED_MARK = new RegExp(`^[> \\t]*${MARK}:[ \\t]*([0-9a-f]+)`, 'gim')

const RETURNED = ['message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers']

/** The headers of the returned message. */
function returned(email: Email): Fields {
  const text = (part(email, RETURNED) ?? '').replace(/^\s+/, '')
  const end = text.search(/\r?\n\r?\n/)
  return readFields(end === -1 ? text : text.slice(0, end))
}

/** The text of the first part of one of these types. */
function part({ attachments }: Email, types: string[]): string | undefined {
  const found = attachments.find(({ mimeType }) => types.includes(mimeType.toLowerCase()))
  return found && text(found)
}

function text({ content }: Attachment): string {
  if (typeof content === 'string') return content.slice(0, MAX_PART)
  return new TextDecoder().decode(content.slice(0, MAX_PART))
}

/** The addresses in such values as `rfc822; ana@mail.example` or `Ana <ana@mail.example>`. */
function addresses(values: string[]): string[] {
  const found = values
    .slice(0, MAX_RECIPIENTS)
    .flatMap(value => addressParser(value.slice(0, 1000).replace(/^[a-z0-9-]+;/i, ''), { flatten: true }))
    .flatMap(({ address }) => parseEmail(address ?? '') ?? [])
  return [...new Set(found)].slice(0, MAX_RECIPIENTS)
}

/** One line without addresses, at most 200 characters. */
export const noteOf = (text: string): string => shorten(describeMailError(new Error(text)).toWellFormed(), 200)
