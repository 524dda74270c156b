/** How much of people's attachments is stored, in bytes. */
const MB = 1_000_000

/** The limits for incoming files: of one file, of one email, and of all files of a lead. */
export const INBOUND_LIMITS = {
  file: 10 * MB,
  email: 20 * MB,
  files: 10,
  /** For a lead: for all files from addresses that we know to be the person's, and for all files from others. */
  lead: { known: 50 * MB, other: 20 * MB },
} as const

/** For an email that someone at the school writes. Many mail servers accept no more than 10 MB after encoding. */
export const OUTBOUND_LIMITS = { email: 7 * MB, files: 10 } as const

/** A picture in the text of an email that is smaller than this belongs to its design, such as a logo. */
export const SMALLEST_PICTURE = 30_000

/** A file is stored in portions of this size, so that no transaction is long, however large the file is. */
export const PORTION = 128 * 1024
