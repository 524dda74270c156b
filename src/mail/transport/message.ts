/** The types of a message and a mailer. */

/**
 * The header field with a message's mark. A mail server that returns the message includes it; a person who
 * replies to it does not pass it on, as they do the Message-ID. So it proves that a bounce returns the message.
 */
export const MARK = 'X-Frontdesk-Mark'

export type Mailbox = { name: string; address: string }

export type Message = {
  /** Message-ID without the angle brackets (RFC 5322 section 3.6.4), the same on every attempt. */
  id: string
  /** Proves, in hexadecimal, that a bounce returns this message; undefined if no one needs that proof. */
  mark?: string
  from: Mailbox
  to: Mailbox
  replyTo?: Mailbox
  /** The Message-ID at the root of its thread, without the angle brackets (RFC 5322 section 3.6.4). */
  thread?: string
  /** The Message-ID that it replies to, without the angle brackets. */
  answers?: string
  /** Whether a person wrote it. Default: false. */
  personal?: boolean
  /** The URL to which one POST unsubscribes the recipient, with no further question (RFC 8058). */
  unsubscribe?: string
  /** The language of the message, as a tag; undefined if no one could choose one. */
  language?: string
  subject: string
  text: string
  html: string
  attachments?: readonly MessageAttachment[]
  /** It is the same on every attempt. */
  date: Date
}

/** A file that goes with a message. */
export type MessageAttachment = {
  name: string
  type: string
  /** In bytes. */
  size: number
  /** Its content, read just before each attempt to send it. */
  read(): Promise<Buffer>
}

/** A recipient that the mail server would reject, and why. `temporary`: the server asks us to try again later. */
export type RejectedRecipient = { address: string; reason: string; temporary: boolean }

/** Sends messages at least once: an attempt whose outcome is unknown is repeated. */
export type Mailer = {
  /** Where messages go, in words for people; never contains the password. */
  destination: string
  /**
   * Resolves once the mail server has accepted the message, or once it is on the disk. Otherwise rejects within the
   * deadline: with MailRefused if there is no such mailbox; with any other error if the same message should be sent
   * again later. `urgent`: the message does not wait behind other sends that hang.
   */
  send(message: Message, how?: { urgent?: boolean }): Promise<void>
  /**
   * Asks whether messages from `from` to each of `recipients` would be accepted at this moment, without sending any.
   * Resolves with the recipients that would be rejected, and why. Rejects, within the deadline, if no message would be
   * accepted at all.
   */
  verify(from?: string, recipients?: readonly string[]): Promise<RejectedRecipient[]>
  /** Aborts the sends that are under way (they reject) and closes every connection. */
  close(): Promise<void>
}

/**
 * The message in the form that nodemailer expects, with the whole content of its attachments: nodemailer could not send
 * a stream a second time if the server has closed an idle connection. Mailboxes stay objects, because nodemailer would
 * parse any address that it finds in a string.
 */
export const forNodemailer = async (message: Message) => ({
  messageId: `<${message.id}>`,
  date: message.date,
  from: message.from,
  to: message.to,
  replyTo: message.replyTo,
  ...threadFields(message),
  subject: message.subject,
  text: message.text,
  html: message.html,
  attachments: await Promise.all((message.attachments ?? []).map(asAttachment)),
  headers: {
    // RFC 3834 section 5: automatic responders must not reply to this.
    ...(message.personal ? {} : { 'Auto-Submitted': 'auto-generated' }),
    ...(message.mark === undefined ? {} : { [MARK]: message.mark }),
    // RFC 3282 section 2.
    ...(message.language === undefined ? {} : { 'Content-Language': message.language }),
    ...(message.unsubscribe === undefined ? {} : unsubscribeFields(message.unsubscribe)),
  },
  // Content is text only; nothing in it may make nodemailer open a file or a URL.
  disableFileAccess: true,
  disableUrlAccess: true,
})

const asAttachment = async ({ name, type, read }: MessageAttachment) => ({
  filename: name,
  contentType: type,
  content: await read(),
})

function threadFields({ thread, answers }: Message) {
  const ids = [thread, answers].flatMap(id => (id === undefined ? [] : `<${id}>`))
  return ids.length === 0 ? {} : { inReplyTo: ids.at(-1), references: ids.join(' ') }
}

/**
 * RFC 8058 section 3.1. The URL is put on one line here, because nodemailer would begin the field with an empty line if
 * the URL is long. A serialized URL cannot contain a line break or an angle bracket.
 */
const unsubscribeFields = (url: string) => ({
  'List-Unsubscribe': { prepared: true, value: `<${new URL(url).href}>` },
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})
