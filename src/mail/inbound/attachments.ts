/** The files that someone sent along. */
import type { Email } from 'postal-mime'
import { oneLine, shorten } from '../../content/one-line.ts'
import type { AttachedFile } from '../../leads/lead/attached-file.ts'
import { storable } from './reply-text.ts'

const MOST = 20

/**
 * The names and sizes of the attachments, without pictures that are part of the text. `whole` says that
 * the message was not cut; otherwise the sizes are not known.
 */
export function attachedFiles({ attachments }: Email, { whole }: { whole: boolean }): AttachedFile[] {
  return attachments
    .filter(({ related, disposition, filename }) => !related && (disposition === 'attachment' || filename))
    .slice(0, MOST)
    .map(({ filename, mimeType, content }) => ({
      name: shorten(oneLine(storable(filename ?? '')).normalize('NFC'), 100) || mimeType.slice(0, 50),
      size: whole ? sizeOf(content) : null,
    }))
}

const sizeOf = (content: ArrayBuffer | Uint8Array | string): number =>
  typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength
