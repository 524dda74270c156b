/** Attachments in the store, without an email that brings them. */
import { createHash } from 'node:crypto'
import { PORTION } from '../../src/leads/attachments/attachment-limits.ts'
import type { Store } from '../../src/store/store.ts'

type File = { name: string; bytes: Uint8Array; operatorId?: number; state?: 'stored' | 'unchecked'; now: number }

/** Stores a file for an email of a lead that is still to be recorded; returns its id. */
export async function beginFile(
  store: Store,
  leadId: number,
  { name, bytes, operatorId, state = 'stored', now }: File,
): Promise<number> {
  const id = await store.beginAttachment(leadId, { operatorId, now })
  for (let number = 0; number * PORTION < bytes.length; number++) {
    const portion = bytes.subarray(number * PORTION, (number + 1) * PORTION)
    await store.addAttachmentPart(id, { number, bytes: portion })
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await store.finishAttachment(id, { name, type: 'text/plain', size: bytes.length, sha256, state })
  return id
}

/** All bytes of an attachment. */
export async function contentOf(store: Store, id: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (let number = 0; ; number++) {
    const part = await store.readAttachmentPart(id, number)
    if (part === undefined) return Buffer.concat(parts)
    parts.push(part)
  }
}

let uid = 0

/** Records a reply of a lead with these files; returns its entry. */
export async function replyWith(
  store: Store,
  leadId: number,
  files: readonly Omit<File, 'now'>[],
  now: number,
  detail = 'Here it is',
) {
  const stored: { stored: number }[] = []
  for (const file of files) stored.push({ stored: await beginFile(store, leadId, { ...file, now }) })
  await store.setMailboxPosition('files', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
  const event = { kind: 'reply', detail, tell: true, attachments: stored } as const
  const effect = { leadId, event, suppression: null }
  await store.recordInbound({ mailbox: 'files', uidValidity: '1', uid: ++uid, effect }, now)
  const entry = await store.readLatestEntry(leadId, ['reply'])
  const found = entry && (await store.readEntry(entry.id))
  if (found === undefined) throw new Error('no reply was recorded')
  return found
}
