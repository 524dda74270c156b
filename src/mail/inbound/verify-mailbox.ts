/** Finds out whether a mailbox can be watched, and says why not. */
import { createClient, explainImapError } from './imap.ts'
import { mailboxAt } from './mailbox-address.ts'

/** Rejects, with a reason for people, if the mailbox cannot be watched at the moment. */
export async function verifyMailbox(url: string): Promise<void> {
  const { folder, connection } = mailboxAt(url)
  const client = await createClient(connection)
  try {
    await client.connect()
    await client.mailboxOpen(folder, { readOnly: true })
  } catch (error) {
    throw new Error(explain(error, url))
  } finally {
    client.close()
  }
}

/** Why the mailbox at a URL cannot be watched, in a sentence. */
export function explain(error: unknown, url: string): string {
  const { protocol, hostname: host } = new URL(url)
  const { connection } = mailboxAt(url)
  return explainImapError(error, { protocol, host, port: String(connection.port) })
}
