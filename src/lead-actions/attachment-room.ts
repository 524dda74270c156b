/** How much room there is for attachments, which must never use the space that inquiries and emails need. */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { StoringServices } from './store-attachment.ts'

/** This much of the disk stays free on SQLite, in bytes. */
const KEPT_FREE = 500_000_000

/** How many more bytes may be stored, and how many received ones a lead has: from its person, and from others. */
export async function roomForAttachments(
  { store, config }: StoringServices,
  leadId: number,
): Promise<{ left: number; known: number; other: number }> {
  const { database, settings } = config
  const { all, ...ofLead } = await store.sumAttachments(leadId)
  const left = settings.attachments.gigabytes * 1e9 - all
  if (database.engine !== 'sqlite') return { left, ...ofLead }
  const { bavail, bsize } = await statfs(dirname(database.file))
  return { left: Math.min(left, bavail * bsize - KEPT_FREE), ...ofLead }
}
