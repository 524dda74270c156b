/** Submissions as intake passes them to the store, each from a different person. */
import { randomUUID } from 'node:crypto'
import { clientKey, fingerprintOf } from '../../src/leads/body/idempotency.ts'
import type { Arrival } from '../../src/store/acceptance/arrival.ts'

/** Submissions of both kinds in turn. With `honeypot`, all are site interest that the honeypot caught. */
export function arrivals(count: number, now: number, { honeypot = false } = {}): Arrival[] {
  return Array.from({ length: count }, (_, i) => {
    const id = randomUUID()
    const site = honeypot || i % 2 === 0
    const kind = site ? 'site' : 'student'
    const person = {
      firstName: 'Amina',
      lastName: `Okafor ${id.slice(0, 8)}`,
      email: `${id}@example.com`,
      phone: '(312) 555-0142',
    }
    const message = `We have read what you offer and would like to know more. ${id} `.repeat(3)
    const details = site
      ? {
          company: 'Lakeside Care',
          address: '100 Main Street, Chicago, IL 60601',
          message,
          website: honeypot ? 'https://example.com' : '',
          startedAt: now - 60_000,
        }
      : { city: 'Chicago', state: 'IL', interestLevel: { rank: 2, text: '2 - Very' }, message }
    const body = JSON.stringify({ ...person, ...details })
    return {
      kind,
      receivedAt: now,
      key: clientKey(kind, id),
      keyLifetime: null,
      fingerprint: fingerprintOf(kind, body),
      email: person.email,
      answer: honeypot ? 400 : 200,
      body,
      form: null,
      clientAddress: '203.0.113.9',
      lockout: !site,
    }
  })
}
