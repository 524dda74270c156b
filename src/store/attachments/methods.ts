/** The store methods about attachments. */
export {
  addAttachmentPart,
  beginAttachment,
  discardAttachments,
  expireAttachments,
  finishAttachment,
  readAttachment,
  readAttachmentPart,
  sumAttachments,
} from './attachments.ts'
