/** An e-mail address as it is remembered where it must not be readable: on the list of those to leave alone. */
import { createHmac } from 'node:crypto'
import { emailKey } from './email.ts'

/** The same for all ways to write one address, and without the secret not to be found by trying. */
export const addressHash = (secret: string, email: string): string =>
  createHmac('sha256', secret)
    .update(`address\n${emailKey(email)}`)
    .digest('base64url')
    .slice(0, 27)
