/**
 * Stores the files that came with an email, before the email itself: it is then recorded together with them, in one
 * transaction. The email is recorded even if something is wrong with a file.
 */
import type { Logger } from 'pino'
import { roomForAttachments } from '../../lead-actions/attachment-room.ts'
import { type StoringServices, storeAttachment } from '../../lead-actions/store-attachment.ts'
import type { NotStored } from '../../leads/attachments/attachment.ts'
import { INBOUND_LIMITS } from '../../leads/attachments/attachment-limits.ts'
import { rejectedByName } from '../../leads/attachments/file-types.ts'
import { originOf } from '../../leads/lead/timeline-details.ts'
import type { MailFacts } from '../../leads/lead/timeline-entries.ts'
import type { AttachedPart } from '../../mail/inbound/attached-parts.ts'
import type { FetchedMessage } from '../../mail/inbound/mailbox.ts'
import type { NewAttachment } from '../../store/attachments/attachments.ts'

type AttachmentServices = StoringServices & { log: Pick<Logger, 'warn'> }

type Files = Pick<FetchedMessage, 'attachments' | 'read' | 'failures'>

/** The lead that an email is about, and what we know about where the email came from. */
type About = { leadId: number; mail: MailFacts | undefined }

/** From this failure on, the email is recorded without files that cannot be fetched. */
const MAX_FAILURES = 2

/**
 * Stores the files that are accepted, and returns the outcome of each. Throws if the database is unavailable, or if the
 * mail server is unavailable and attempts are left; what was stored by then expires.
 */
export async function storeAttachments(
  deps: AttachmentServices,
  message: Files,
  about: About,
): Promise<NewAttachment[]> {
  if (message.attachments.length === 0) return []
  let left = await roomFor(deps, about)
  const results: NewAttachment[] = []
  for (const [index, file] of message.attachments.entries()) {
    const why = index < INBOUND_LIMITS.files ? obstacleTo(file, left) : 'too many'
    const stored = why ?? (await storeFile(deps, message, { file, left, leadId: about.leadId }))
    if (typeof stored === 'string') {
      results.push({ name: file.name, size: file.size, state: stored })
    } else {
      results.push({ stored: stored.id })
      left -= stored.size
    }
  }
  return results
}

/** How many bytes may be stored with this email. */
async function roomFor(deps: AttachmentServices, { leadId, mail }: About): Promise<number> {
  const room = await roomForAttachments(deps, leadId)
  const origin = originOf(mail) === 'known' ? 'known' : 'other'
  return Math.min(INBOUND_LIMITS.email, INBOUND_LIMITS.lead[origin] - room[origin], room.left)
}

/** What is wrong with a file, judging by what its email says about it. */
function obstacleTo({ name, size }: AttachedPart, left: number): NotStored | undefined {
  const byName = rejectedByName(name)
  if (byName !== undefined) return byName
  if (size > INBOUND_LIMITS.file) return 'too large'
  return size > left ? 'no room' : undefined
}

async function storeFile(
  deps: AttachmentServices,
  { read, failures }: Files,
  { file, left, leadId }: { file: AttachedPart; left: number; leadId: number },
): Promise<{ id: number; size: number } | NotStored> {
  const most = Math.min(INBOUND_LIMITS.file, left)
  const tooMuch = most < INBOUND_LIMITS.file ? 'no room' : 'too large'
  try {
    const content = fetching(read(file, most + 1))
    return await storeAttachment(deps, { leadId, name: file.name, content, most, tooMuch })
  } catch (error) {
    if (!(error instanceof NotFetched) || failures < MAX_FAILURES) throw error
    deps.log.warn({ err: error.cause }, 'an attachment could not be fetched; the email is recorded without it')
    return 'unreadable'
  }
}

/** The mail server did not send a file; `cause` has the reason. */
class NotFetched extends Error {
  override name = 'NotFetched'
}

/** Distinguishes the errors of the mail server from others. */
async function* fetching(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (cause) {
    throw new NotFetched('an attachment could not be fetched', { cause })
  }
}
