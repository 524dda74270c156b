/** The store methods about attachments. */
export {
  addAttachmentPart,
  beginAttachment,
  discardAttachments,
  expireAttachments,
  finishAttachment,
  listUploads,
  readAttachment,
  readAttachmentPart,
  recordScan,
  sumAttachments,
} from './attachments.ts'
