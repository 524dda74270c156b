/** The store methods about attachments. */
export {
  addAttachmentPart,
  beginAttachment,
  discardAttachments,
  expireAttachments,
  finishAttachment,
  readAttachment,
  readAttachmentPart,
  recordScan,
  sumAttachments,
} from './attachments.ts'
