/** Storing a file that came with an email, or that someone attaches to one. The content is checked as it arrives. */
import { createHash } from 'node:crypto'
import type { NotStored } from '../leads/attachments/attachment.ts'
import { PORTION } from '../leads/attachments/attachment-limits.ts'
import { fileTypeOf } from '../leads/attachments/file-types.ts'
import type { Services } from './services.ts'

export type StoringServices = {
  store: Pick<
    Services['store'],
    'beginAttachment' | 'addAttachmentPart' | 'finishAttachment' | 'discardAttachments' | 'sumAttachments'
  >
  clock: Services['clock']
  config: Pick<Services['config'], 'database' | 'settings'>
}

export type FileToStore = {
  leadId: number
  name: string
  content: AsyncIterable<Uint8Array>
  /** A file with more bytes than this is not stored; the reason is `tooMuch`. */
  most: number
  tooMuch: NotStored
  /** The operator who uploads it. */
  operatorId?: number
}

/**
 * Stores a file, in portions, for an email that will be recorded later. Returns its id and size, or why it was not
 * stored. Throws what `content` throws, and throws if the database is unavailable; the portions stored until then
 * expire.
 */
export async function storeAttachment(
  { store, clock, config }: StoringServices,
  { leadId, name, content, most, tooMuch, operatorId }: FileToStore,
): Promise<{ id: number; size: number } | NotStored> {
  const portions = portionsOf(content)
  const first = (await portions.next()).value ?? new Uint8Array()
  const type = fileTypeOf(name, first, { whole: first.length < PORTION })
  if ('rejected' in type) return type.rejected
  const id = await store.beginAttachment(leadId, { operatorId, now: clock.now() })
  const discarded = async (why: NotStored) => {
    await store.discardAttachments([id])
    return why
  }
  const hash = createHash('sha256')
  let size = 0
  let bytes: Uint8Array | undefined = first
  for (let number = 0; bytes !== undefined; number++) {
    size += bytes.length
    if (size > most) return discarded(tooMuch)
    hash.update(bytes)
    const full = await isFull(store.addAttachmentPart(id, { number, bytes }))
    if (full) return discarded('no room')
    bytes = (await portions.next()).value
  }
  const state = config.settings.attachments.scanCommand.length > 0 ? 'unchecked' : 'stored'
  await store.finishAttachment(id, { ...type, size, sha256: hash.digest('hex'), state })
  return { id, size }
}

/** Waits, and returns whether the disk was full. Throws any other error. */
async function isFull(storing: Promise<void>): Promise<boolean> {
  try {
    await storing
    return false
  } catch (error) {
    // The messages of SQLite, PostgreSQL and the operating system. Only the message is available, since SQLite's thread
    // passes nothing else on.
    if (/disk is full|disk full|No space left/i.test((error as Error).message)) return true
    throw error
  }
}

/** Divides bytes into portions of equal size; only the last may be smaller. */
async function* portionsOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of content) {
    pieces.push(piece)
    length += piece.length
    if (length < PORTION) continue
    const bytes = Buffer.concat(pieces)
    const whole = length - (length % PORTION)
    for (let at = 0; at < whole; at += PORTION) yield bytes.subarray(at, at + PORTION)
    pieces = [bytes.subarray(whole)]
    length -= whole
  }
  if (length > 0) yield Buffer.concat(pieces)
  return undefined
}
