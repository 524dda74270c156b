/** The tables of the files that come and go with emails, as the queries see them. Times are Unix milliseconds. */
import type { GeneratedAlways } from 'kysely'
import type { AttachmentState } from '../../leads/attachments/attachment.ts'

export type AttachmentTables = {
  attachments: AttachmentsTable
  /** The content of attachments, in portions with numbers from 0. */
  attachment_parts: { attachment_id: number; number: number; bytes: Uint8Array }
}

type AttachmentsTable = {
  id: GeneratedAlways<number>
  /** The lead that it is meant for; null once it is filed with an entry. */
  lead_id: number | null
  /** The timeline's entry about the email with which it came or goes; null until it is filed. */
  entry_id: number | null
  /** The operator who has uploaded it and not sent it yet; null for all other files. */
  operator_id: number | null
  name: string
  /** The media type; empty if there is no content. */
  type: string
  /** In bytes; null if it is not known. */
  size: number | null
  /** The digest of the content, in hexadecimal; null if there is none. */
  sha256: string | null
  state: AttachmentState | 'arriving'
  created_at: number
}
