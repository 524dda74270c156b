/** The files that came with an email: we name them, and leave them in the mailbox. */

/** A file that came with an email; its size in bytes, null if it is not known. */
export type AttachedFile = { name: string; size: number | null }

/** Such as `transcript.pdf (120 KB)`. */
export const fileInWords = ({ name, size }: AttachedFile): string =>
  size === null ? name : `${name} (${sizeInWords(size)})`

const sizeInWords = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
