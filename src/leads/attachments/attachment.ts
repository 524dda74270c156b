/** Files that came or went with an email: what we know about each, and the words for it. */

/** A file of an email that is not about a lead, and stays in the mailbox. Its size is in bytes; null if unknown. */
export type AttachedFile = { name: string; size: number | null }

/** The reasons why a file is not stored, each with the words that follow the file's name. */
const reasons = {
  'too large': 'it is too large',
  'too many': 'the email had too many attachments',
  'no room': 'there was no room',
  unreadable: 'it could not be fetched from the mailbox',
  empty: 'it is empty',
  infected: 'the scanner found a virus in it',
  program: 'programs are not accepted',
  'web page': 'web pages are not accepted',
  archive: 'archives are not accepted',
  macros: 'Office files that can contain programs are not accepted',
  email: 'emails are not accepted as attachments',
  other: 'this type of file is not accepted',
} as const

export type NotStored = keyof typeof reasons

/** `stored` can be downloaded; `unchecked` can be once the scanner has found it clean. */
export type AttachmentState = 'stored' | 'unchecked' | NotStored

/** An attachment of an entry of a timeline. Its content exists only if its state is `stored` or `unchecked`. */
export type Attachment = AttachedFile & {
  id: number
  /** The media type of its content; empty if it is not stored. */
  type: string
  state: AttachmentState
}

export const isStored = ({ state }: Pick<Attachment, 'state'>): boolean => state === 'stored' || state === 'unchecked'

/** What is wrong with a file that is not stored, such as `programs are not accepted`; undefined if it is stored. */
export const whyNotStored = (state: AttachmentState): string | undefined =>
  state === 'stored' || state === 'unchecked' ? undefined : reasons[state]

/** Such as `transcript.pdf (120 KB)`. */
export const fileInWords = ({ name, size }: AttachedFile): string =>
  size === null ? name : `${name} (${sizeInWords(size)})`

/** Such as `transcript.pdf (120 KB)`, or `setup.exe, not stored: programs are not accepted`. */
export function attachmentInWords({ state, ...file }: Pick<Attachment, 'name' | 'size' | 'state'>): string {
  const why = whyNotStored(state)
  if (why !== undefined) return `${file.name}, not stored: ${why}`
  return state === 'unchecked' ? `${fileInWords(file)}, being checked` : fileInWords(file)
}

export const sizeInWords = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
