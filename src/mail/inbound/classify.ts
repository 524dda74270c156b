/**
 * Classifies a message in the mailbox: as a person's reply, an automatic reply, a bounce, a complaint,
 * or nothing that concerns a lead.
 *
 * Anyone can send anything, so the result is only what the message claims. Before acting on it, the
 * caller must recognize at least one of its `references` as our message, or its sender as a lead.
 */
import PostalMime, { type Email } from 'postal-mime'
import { oneLine, shorten } from '../../content/one-line.ts'
import { type EmailAddress, parseEmail } from '../../leads/body/email.ts'
import type { AttachedPart } from './attached-parts.ts'
import { isAuthentic } from './authentication.ts'
import {
  type Bounce,
  type Complaint,
  noteOf,
  readReport,
  readUnstructuredBounce,
  type Unrelated,
} from './delivery-reports.ts'
import { type Fields, fieldsOf, firstValue, messageIds, repliedTo } from './headers.ts'
import { replyText } from './reply-text.ts'

export type Reply = {
  kind: 'reply' | 'auto-reply'
  /** The sender's address as parseEmail() gives it. */
  from: EmailAddress
  /** Its own Message-ID without angle brackets; undefined if it has none that we can refer to. */
  id: string | undefined
  /** The Message-IDs of the thread without angle brackets; the one replied to is last. */
  references: string[]
  /** One line, at most 200 characters. */
  subject: string
  /** What the person wrote, without quoted text as far as we can tell; at most 2000 characters. */
  text: string
  /** The files that came with it. */
  attachments: readonly AttachedPart[]
  /** The addresses in To and Cc, at most 50. */
  recipients: EmailAddress[]
  /** Whether it came through a list or in bulk, or a spam filter has marked it. */
  forMany: boolean
  /** Whether our mail server vouches for the sender (see isAuthentic()). */
  authentic: boolean
}

/**
 * In a bounce or complaint, `recipients` are the addresses it is about, and `references` are the Message-IDs that the
 * report refers to, with the returned message's last. `marks` are the marks that the returned message carries (see
 * MARK). `hard` means that the address is wrong (see isHard()). `note` is one line without addresses, at most 200
 * characters.
 */
export type Inbound = Reply | Bounce | Complaint | Unrelated

/**
 * Reads a message (RFC 5322). Accepts any bytes: never rejects, and a hostile message costs no more
 * work than a large one. All text is safe to store (see textProblem()).
 */
export async function classify(source: Uint8Array, reading: Reading = {}): Promise<Inbound> {
  try {
    const readable = withShortHeader(source)
    const email = await parse(readable).catch(() => parse(headerOf(readable)))
    // What our mail server has found may be left out, while something forged is still there.
    return classifyEmail(email, readable === source ? reading : { ...reading, server: undefined })
  } catch {
    return { kind: 'other', note: 'not readable' }
  }
}

/** What the header of a message says: even if its parts cannot be read, it is still a reply of that person. */
const headerOf = (source: Uint8Array): Uint8Array => source.subarray(0, headerLength(source))

function headerLength(source: Uint8Array): number {
  const text = Buffer.from(source.buffer, source.byteOffset, source.byteLength).toString('latin1')
  return /\r?\n\r?\n/.exec(text)?.index ?? source.length
}

/** The longest header that we parse, and in a header that is longer, the longest field; in bytes. */
const MAX_HEADER = 300_000
const MAX_FIELD = 10_000

/**
 * The message without the longest fields of its header, if the header is too long: what filters and mail servers have
 * added to it must not cost us what the person wrote.
 */
function withShortHeader(source: Uint8Array): Uint8Array {
  if (source.length <= MAX_HEADER) return source
  const length = headerLength(source)
  if (length <= MAX_HEADER) return source
  const fields = Buffer.from(source.subarray(0, length))
    .toString('latin1')
    .split(/\r?\n(?![ \t])/)
  const short = fields.filter(field => field.length <= MAX_FIELD).join('\r\n')
  const kept = short.slice(0, short.lastIndexOf('\r\n', MAX_HEADER - 2))
  return Buffer.concat([Buffer.from(short.length < MAX_HEADER ? short : kept, 'latin1'), source.subarray(length)])
}

/**
 * What is known besides the message itself: the name by which our mail server signs its findings (without it, no sender
 * is proven), and the files that came with it (default: none).
 */
type Reading = { server?: string | undefined; attachments?: readonly AttachedPart[] }

/**
 * The maximum number of lines that we read. Each costs the parser up to 30 microseconds, which block the service, and
 * may begin a part, which costs memory. What a person writes comes before their files, and 350 kB of a file have as
 * many lines.
 */
const MAX_LINES = 5_000

const parse = (source: Uint8Array): Promise<Email> =>
  PostalMime.parse(beginning(source), {
    // We read a returned or forwarded message ourselves, instead of mixing it into the text.
    forceRfc822Attachments: true,
    maxNestingDepth: 50,
    maxHeadersSize: MAX_HEADER,
  })

function beginning(source: Uint8Array): Uint8Array {
  let end = -1
  for (let lines = 0; lines < MAX_LINES; lines++) {
    end = source.indexOf(LINE_FEED, end + 1)
    if (end === -1) return source
  }
  return source.subarray(0, end)
}

const LINE_FEED = 10

function classifyEmail(email: Email, { server, attachments = [] }: Reading): Inbound {
  const report = readReport(email)
  if (report) return report
  const fields = fieldsOf(email.headers)
  if (isFromMailSystem(email, fields)) return readUnstructuredBounce(email)

  const automatic = isAutomatic(fields)
  const references = messageIds(repliedTo(fields))
  // Mail that replies to nothing and is not from a person is bulk or automatic mail: our own
  // notifications, newsletters. A reply through a list comes from a team's address that is a list,
  // such as a Google Group, and a person wrote it.
  if (references.length === 0) {
    if (/^auto-generated/i.test(firstValue(fields, 'auto-submitted'))) return other('generated by a program')
    if (isForMany(fields) && !automatic) return other('bulk mail')
  }

  const from = parseEmail(email.from?.address ?? '')
  if (from === undefined) return other('no sender')
  const subject = shorten(oneLine((email.subject ?? '').toWellFormed()).normalize('NFC'), 200)
  return {
    kind: automatic ? 'auto-reply' : 'reply',
    from,
    id: messageIds(fields.get('message-id') ?? []).at(-1),
    references,
    subject,
    text: replyText(email),
    attachments,
    recipients: recipientsOf(email),
    forMany: isForMany(fields) || isMarkedAsSpam(fields),
    authentic: server !== undefined && isAuthentic(fields, from, server),
  }
}

const MAX_RECIPIENTS = 50

const recipientsOf = ({ to = [], cc = [] }: Email): EmailAddress[] =>
  [...to, ...cc]
    .flatMap(one => ('group' in one && one.group ? one.group : [one]))
    .slice(0, MAX_RECIPIENTS)
    .flatMap(({ address }) => parseEmail(address ?? '') ?? [])

const isMarkedAsSpam = (fields: Fields): boolean =>
  /^yes\b/i.test(firstValue(fields, 'x-spam-flag')) || /^yes\b/i.test(firstValue(fields, 'x-spam'))

const other = (note: string): Unrelated => ({ kind: 'other', note: noteOf(note) })

/** Bounces without a report: from old mail servers, and from forwarding services. */
function isFromMailSystem(email: Email, fields: Fields): boolean {
  if (fields.has('x-failed-recipients')) return true
  if (/^mailer-daemon(?:@|$)/i.test(email.from?.address || (email.from?.name ?? ''))) return true
  return hasNoReturnPath(fields) && !isAutomatic(fields)
}

/** An empty return path marks mail that must not be replied to: bounces, some automatic replies. */
const hasNoReturnPath = (fields: Fields): boolean => /^<\s*>$/.test(firstValue(fields, 'return-path'))

/** Fields that only automatic replies have. */
const MARKS = ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-autoreply-from', 'x-mail-autoreply', 'x-vacation']

/**
 * Whether this is an automatic reply. The standard marks it with Auto-Submitted (RFC 3834 section 5).
 * Others have their own marks: Exchange asks for no automatic response, and old vacation programs set
 * a field or a precedence of their own.
 *
 * The subject alone never decides: people write "out of office", too, and a person mistaken for a
 * program would keep getting follow-up emails. It only distinguishes an absence note from a bounce or
 * a newsletter once other fields show that a program sent the message.
 */
function isAutomatic(fields: Fields): boolean {
  const submitted = firstValue(fields, 'auto-submitted')
  if (submitted !== '' && !/^no\b/i.test(submitted)) return true
  const suppressed = firstValue(fields, 'x-auto-response-suppress')
  if (suppressed !== '' && !/^none\b/i.test(suppressed)) return true
  if (/^auto[_-]?reply/i.test(firstValue(fields, 'precedence'))) return true
  if (MARKS.some(name => fields.has(name) && !/^no\b/i.test(firstValue(fields, name)))) return true
  const machine = hasNoReturnPath(fields) || isForMany(fields)
  return machine && ABSENCE.test(firstValue(fields, 'subject'))
}

const isForMany = (fields: Fields): boolean =>
  fields.has('list-id') || /^(?:bulk|list|junk)\b/i.test(firstValue(fields, 'precedence'))

const ABSENCE =
  /out of (?:the )?office|automatic reply|auto(?:matic)?[ -]?(?:reply|response)|on vacation|respuesta autom|fuera de (?:la )?oficina|ausente|vacaciones|resposta autom|ausência|réponse automatique|absence du bureau|abwesen|automatische antwort/i
