/** How the staff of a simulated month are signed in to the console. */
import { hash, randomBytes } from 'node:crypto'
import type { Store } from '../../src/store/store.ts'

/** The cookie of a new session of an operator. */
export async function cookieOf(store: Store, operator: number, now: number): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const session = { tokenHash: hash('sha256', token, 'base64url'), network: '127.0.0.1', browser: 'a month' }
  await store.addSession(operator, { ...session, now })
  return `session=${token}`
}
