/** What a message and a mailer are, wherever they are spoken of. */

export type Mailbox = { name: string; address: string }

export type Message = {
  /** Message-ID without the angle brackets (RFC 5322 section 3.6.4), the same on every try. */
  id: string
  from: Mailbox
  to: Mailbox
  replyTo?: Mailbox
  /** Where one POST unsubscribes whom the message goes to, without asking again (RFC 8058). */
  unsubscribe?: string
  subject: string
  text: string
  html: string
  /** The same on every try. */
  date: Date
}

/** Hands messages over, at least once: a try whose outcome nobody heard of is made again. */
export type Mailer = {
  /** Where messages go, for people; holds no password. */
  destination: string
  /**
   * Resolves once the message is somebody else's duty: taken by the mail server, or on the disk.
   * Rejects within the deadline otherwise: with MailRefused when another try is pointless, with
   * any other error when the same message should be sent again later.
   */
  send(message: Message): Promise<void>
  /** Rejects, within the deadline, where sending could not work at present. Sends nothing. */
  verify(): Promise<void>
  /** Gives up what is still being sent (those sends reject) and frees every connection. */
  close(): Promise<void>
}

/**
 * The message as nodemailer takes it. Mailboxes stay objects all the way: of a string, nodemailer
 * would parse out whatever addresses it finds.
 */
export const forNodemailer = (message: Message) => ({
  messageId: `<${message.id}>`,
  date: message.date,
  from: message.from,
  to: message.to,
  replyTo: message.replyTo,
  subject: message.subject,
  text: message.text,
  html: message.html,
  headers: {
    // RFC 3834 section 5: whoever answers automatically shall not answer this.
    'Auto-Submitted': 'auto-generated',
    ...(message.unsubscribe === undefined ? {} : unsubscribeFields(message.unsubscribe)),
  },
  // Content is text only; nothing in it may make nodemailer open a file or an address.
  disableFileAccess: true,
  disableUrlAccess: true,
})

/**
 * RFC 8058 section 3.1. The address stands as it is, on one line: nodemailer would begin the field
 * with an empty line for a long one. Written as a URL is, it can hold no line end and no bracket.
 */
const unsubscribeFields = (address: string) => ({
  'List-Unsubscribe': { prepared: true, value: `<${new URL(address).href}>` },
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})
