/** The files that came with an email, as the mail server reports its structure (BODYSTRUCTURE, RFC 9051). */
import type { MessageStructureObject } from 'imapflow'
import { SMALLEST_PICTURE } from '../../leads/attachments/attachment-limits.ts'
import { safeFileName } from '../../leads/attachments/file-name.ts'

/** A file as its email describes it; none of this is proven. */
export type AttachedPart = {
  /** Its number in the email, which the mail server needs in order to send its content. */
  part: string
  /** Its name, made safe to show and to store. */
  name: string
  /** The media type that the email says it has. */
  type: string
  /** About how many bytes it has, decoded. */
  size: number
}

/** Far more than we store; any others are not even named. */
const MOST = 50

/** The files of an email, without signatures and without small pictures that belong to the look of the text. */
export function attachedParts(structure: MessageStructureObject | undefined): AttachedPart[] {
  if (structure === undefined) return []
  return leavesOf(structure, { related: false })
    .filter(isFile)
    .slice(0, MOST)
    .map(({ node, number }) => ({ part: number, name: nameOf(node), type: node.type, size: decodedSize(node) }))
}

type Leaf = { node: MessageStructureObject; number: string; related: boolean }

/** The parts that are not made of other parts. An email within this one counts as a file. */
function leavesOf(node: MessageStructureObject, { related }: { related: boolean }): Leaf[] {
  if (!node.type.startsWith('multipart/')) return [{ node, number: node.part ?? '1', related }]
  const inside = { related: related || node.type === 'multipart/related' }
  return (node.childNodes ?? []).flatMap(child => leavesOf(child, inside))
}

/** Files that mail programs add automatically. */
const SIGNATURES = /^application\/(?:(?:x-)?pkcs7-signature|pgp-signature|pgp-encrypted)$/

function isFile({ node, related }: Leaf): boolean {
  const { type, disposition, id } = node
  if (SIGNATURES.test(type)) return false
  // Phones send photos within the text, too, so only small pictures count as part of its look.
  const inText = type.startsWith('image/') && disposition !== 'attachment' && (related || id !== undefined)
  if (inText) return decodedSize(node) >= SMALLEST_PICTURE
  if (disposition === 'attachment' || givenName(node) !== undefined) return true
  return !/^(?:text|message|multipart)\//.test(type)
}

const givenName = ({ dispositionParameters, parameters }: MessageStructureObject): string | undefined =>
  dispositionParameters?.['filename'] || parameters?.['name'] || undefined

function nameOf(node: MessageStructureObject): string {
  const name = safeFileName(givenName(node) ?? '')
  if (name !== '') return name
  return node.type === 'message/rfc822' ? 'message.eml' : 'attachment'
}

/** Lines of 76 characters and a line end hold 57 bytes (RFC 2045 section 6.8). */
const decodedSize = ({ size = 0, encoding }: MessageStructureObject): number =>
  encoding === 'base64' ? Math.floor((size * 57) / 78) : size
