/**
 * What a message in the mailbox is to a lead: an answer by a person, an answer by a machine, a
 * bounce, a complaint, or nothing.
 *
 * Anyone can send anything: what is said here is what the message claims. Whoever acts on it must
 * know at least one of its `references` as a message of ours, or its sender as a lead.
 */
import PostalMime, { type Email } from 'postal-mime'
import { oneLine, shorten } from '../../content/one-line.ts'
import { parseEmail } from '../../leads/email.ts'
import {
  type Bounce,
  type Complaint,
  noteOf,
  type Other,
  readReport,
  readWordsOfBounce,
} from './delivery-reports.ts'
import { answered, type Fields, fieldsOf, first, messageIds } from './headers.ts'
import { replyText } from './reply-text.ts'

export type Reply = {
  kind: 'reply' | 'auto-reply'
  /** The sender's address as parseEmail() gives it. */
  from: string
  /** The Message-IDs of the thread without angle brackets, that of what is answered last. */
  references: string[]
  /** One line, at most 200 characters. */
  subject: string
  /** What the person wrote, without what is quoted as far as that can be told; at most 2000. */
  text: string
}

/**
 * Of a bounce or complaint `recipients` are the addresses it is about, and `references` the
 * Message-IDs of what the report answers and, last, of the message that came back. `hard` means that
 * the address is wrong (see isHard()). `note` is one line without addresses, at most 200 characters.
 */
export type Inbound = Reply | Bounce | Complaint | Other

/**
 * Reads a message (RFC 5322). Takes any bytes: never rejects, and does no more work for a hostile
 * message than for a large one. All text can be stored as it is (see textProblem()).
 */
export async function classify(source: Uint8Array): Promise<Inbound> {
  try {
    return judge(await parse(source))
  } catch {
    return { kind: 'other', note: 'not readable' }
  }
}

/**
 * More lines are not read: each costs the parser ten microseconds, and may begin a part, which
 * costs memory. A megabyte of an attachment has 14,000.
 */
const MAX_LINES = 20_000

const parse = (source: Uint8Array): Promise<Email> =>
  PostalMime.parse(beginning(source), {
    // A returned or forwarded message is looked into by us, not mixed into the text.
    forceRfc822Attachments: true,
    maxNestingDepth: 50,
    maxHeadersSize: 300_000,
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

function judge(email: Email): Inbound {
  const report = readReport(email)
  if (report) return report
  const fields = fieldsOf(email.headers)
  if (isFromMailSystem(email, fields)) return readWordsOfBounce(email)

  const automatic = isAutomatic(fields)
  const references = messageIds(answered(fields))
  // Mail that answers nothing and is not by a person is news, for many or for a machine: our own
  // notifications, newsletters. A list that answers is a team's address that is a list (as Google
  // Groups are), through which a person's reply comes.
  if (references.length === 0) {
    if (/^auto-generated/i.test(first(fields, 'auto-submitted'))) return other('made by a machine')
    if (isForMany(fields) && !automatic) return other('mail to many')
  }

  const from = parseEmail(email.from?.address ?? '')
  if (from === undefined) return other('no sender')
  const subject = shorten(oneLine((email.subject ?? '').toWellFormed()).normalize('NFC'), 200)
  return {
    kind: automatic ? 'auto-reply' : 'reply',
    from,
    references,
    subject,
    text: replyText(email),
  }
}

const other = (note: string): Other => ({ kind: 'other', note: noteOf(note) })

/** Bounces without a report: of old mail servers, and of what forwards mail. */
function isFromMailSystem(email: Email, fields: Fields): boolean {
  if (fields.has('x-failed-recipients')) return true
  if (/^mailer-daemon(?:@|$)/i.test(email.from?.address || (email.from?.name ?? ''))) return true
  return hasNoReturnPath(fields) && !isAutomatic(fields)
}

/** What must not be answered comes from nobody: bounces and some automatic replies. */
const hasNoReturnPath = (fields: Fields): boolean => /^<\s*>$/.test(first(fields, 'return-path'))

/** Fields that only machines set, and in answers only. */
const MARKS = [
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-autoreply-from',
  'x-mail-autoreply',
  'x-vacation',
]

/**
 * Whether a machine answers. The standard says so with Auto-Submitted (RFC 3834 section 5), others
 * in their own ways: Exchange asks not to be answered, the vacation programs of old have a field or
 * a precedence of their own.
 *
 * The subject alone never decides: people write "out of office" too, and a person taken for a
 * machine goes on getting letters. It only tells, where other fields say that the message is from a
 * machine but not from which, an absence note from a bounce or a newsletter.
 */
function isAutomatic(fields: Fields): boolean {
  const submitted = first(fields, 'auto-submitted')
  if (submitted !== '' && !/^no\b/i.test(submitted)) return true
  const suppressed = first(fields, 'x-auto-response-suppress')
  if (suppressed !== '' && !/^none\b/i.test(suppressed)) return true
  if (/^auto[_-]?reply/i.test(first(fields, 'precedence'))) return true
  if (MARKS.some(name => fields.has(name) && !/^no\b/i.test(first(fields, name)))) return true
  const machine = hasNoReturnPath(fields) || isForMany(fields)
  return machine && ABSENCE.test(first(fields, 'subject'))
}

const isForMany = (fields: Fields): boolean =>
  fields.has('list-id') || /^(?:bulk|list|junk)\b/i.test(first(fields, 'precedence'))

const ABSENCE =
  /out of (?:the )?office|automatic reply|auto(?:matic)?[ -]?(?:reply|response)|on vacation|respuesta autom|fuera de (?:la )?oficina|ausente|vacaciones|resposta autom|ausência|réponse automatique|absence du bureau|abwesen|automatische antwort/i
