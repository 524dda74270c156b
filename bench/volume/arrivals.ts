/** Submissions as intake hands them over, all of different people. */
import { randomUUID } from 'node:crypto'
import { clientKey, fingerprintOf } from '../../src/leads/idempotency.ts'
import type { Arrival } from '../../src/store/acceptance.ts'

/** Of both kinds in turn; those of site interest fell into the honeypot where `refused` says so. */
export function arrivals(count: number, now: number, { refused = false } = {}): Arrival[] {
  return Array.from({ length: count }, (_, i) => {
    const id = randomUUID()
    const site = refused || i % 2 === 0
    const kind = site ? 'site' : 'student'
    const person = {
      firstName: 'Amina',
      lastName: `Okafor ${id.slice(0, 8)}`,
      email: `${id}@example.com`,
      phone: '(312) 555-0142',
    }
    const message = `We have read what you offer and would like to know more. ${id} `.repeat(3)
    const rest = site
      ? {
          company: 'Lakeside Care',
          address: '100 Main Street, Chicago, IL 60601',
          message,
          website: refused ? 'https://example.com' : '',
          startedAt: now - 60_000,
        }
      : { city: 'Chicago', state: 'IL', interestLevel: { rank: 2, text: '2 - Very' }, message }
    const body = JSON.stringify({ ...person, ...rest })
    return {
      kind,
      receivedAt: now,
      key: clientKey(kind, id),
      keyLifetime: null,
      fingerprint: fingerprintOf(kind, body),
      email: person.email,
      answer: refused ? 400 : 200,
      body,
      clientAddress: '203.0.113.9',
      lockout: !site,
    }
  })
}
