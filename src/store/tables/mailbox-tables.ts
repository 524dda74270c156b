/** The tables of watched mailboxes, as the queries see them. Times are Unix milliseconds. */
import type { GeneratedAlways } from 'kysely'

export type MailboxTables = {
  /** How far each watched mailbox has been read. */
  mailboxes: MailboxesTable
  stray_mail: StrayMailTable
}

type MailboxesTable = {
  name: string
  uid_validity: string
  last_uid: number
  /** When the message with that uid arrived, by the server's clock. */
  last_arrival: number
}

/** Mail that is not about a lead, until it is forwarded to the team. */
type StrayMailTable = {
  id: GeneratedAlways<number>
  received_at: number
  sender: string
  subject: string
  text: string
  /** JSON: the name and size of each. */
  attachments: string
  /** The day (yyyymmdd) whose list will contain it; null if it is forwarded on its own. */
  listed_on: number | null
}
