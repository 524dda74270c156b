/** Asks a mail server what it would accept, using the commands that come before a message. */
import { assign, parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

type ConnectionOptions = ConstructorParameters<typeof SMTPConnection>[0] & { url: string; forceAuth: boolean }

/** A recipient that the server rejected, with the error that a message to it would have caused. */
export type Refusal = { address: string; error: Error }

/**
 * Connects and, if the URL has a user, logs in. With `from`, goes as far as RCPT TO for each of `recipients`, then
 * resets. Resolves with the recipients that the server rejects. If the server accepts nothing at all, rejects with an
 * error like nodemailer's.
 */
export async function askServer(
  { url, ...ours }: ConnectionOptions,
  from: string | undefined,
  recipients: readonly string[],
): Promise<Refusal[]> {
  const { auth, ...options } = assign(false, ours, parseConnectionUrl(url)) as typeof ours & {
    auth?: { user: string; pass: string }
  }
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const refusals: Refusal[] = []
  // After RCPT TO, nodemailer itself would continue with DATA. A custom login method is its way to send other commands
  // within its session.
  const customAuth = {
    ASK: async ({ sendCommand }: Session) => {
      const ask = async (command: string, argument = '') =>
        errorOf(command, (await sendCommand(command + argument)).response)
      const error = await ask('MAIL FROM', `:<${from}>`)
      if (error !== undefined) return reject(error)
      for (const address of recipients) {
        const error = await ask('RCPT TO', `:<${address}>`)
        if (error !== undefined) refusals.push({ address, error })
      }
      await ask('RSET')
    },
  }
  const connection = new SMTPConnection({ ...options, customAuth })
  connection.on('error', reject)
  connection.on('end', () => reject(new Error('The server closed the connection')))
  const done = (work: (callback: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => work(error => (error ? reject(error) : resolve())))
  const conversation = async () => {
    await done(callback => connection.connect(callback))
    if (auth !== undefined) await done(callback => connection.login(auth, callback))
    if (from !== undefined) await done(callback => connection.login({ method: 'ASK' }, callback))
  }
  try {
    await Promise.race([conversation(), failed])
    connection.quit()
    return refusals
  } catch (error) {
    connection.close()
    throw error
  }
}

type Session = { sendCommand(command: string): Promise<{ response: string }> }

/** The error that nodemailer would make of a reply; undefined if it is positive. */
function errorOf(command: string, response: string): Error | undefined {
  if (response.startsWith('2')) return undefined
  return Object.assign(new Error(response), {
    code: 'EENVELOPE',
    command,
    response,
    responseCode: Number(response.slice(0, 3)),
  })
}
