/**
 * A batch of arrivals on its way to the store's thread, as one string. Cloning many small objects costs more than JSON,
 * and JSON would escape the bodies a second time, since they are JSON already. So the fields of all arrivals are joined
 * by NUL, which no parsed text contains (`leads/body/tidy-text.ts`).
 */
import type { Arrival } from '../acceptance/arrival.ts'

const FIELDS = 11
const NOTHING = ''

export function asText(arrivals: readonly Arrival[]): string {
  const fields: (string | number)[] = []
  for (const one of arrivals) {
    fields.push(one.kind, one.receivedAt, one.key, one.keyLifetime ?? NOTHING, one.fingerprint)
    fields.push(one.email ?? NOTHING, one.answer, one.body, one.form ?? NOTHING, one.clientAddress)
    fields.push(one.lockout ? 1 : 0)
  }
  return fields.join('\0')
}

export function fromText(text: string): Arrival[] {
  if (text === '') return []
  const fields = text.split('\0')
  if (fields.length % FIELDS !== 0) throw new Error('A field of an arrival contains NUL')
  const arrivals: Arrival[] = []
  for (let i = 0; i < fields.length; i += FIELDS) {
    const at = (offset: number) => fields[i + offset] as string
    arrivals.push({
      kind: at(0) as Arrival['kind'],
      receivedAt: Number(at(1)),
      key: at(2),
      keyLifetime: at(3) === NOTHING ? null : Number(at(3)),
      fingerprint: at(4),
      email: at(5) === NOTHING ? null : at(5),
      answer: Number(at(6)) as Arrival['answer'],
      body: at(7),
      form: at(8) === NOTHING ? null : at(8),
      clientAddress: at(9),
      lockout: at(10) === '1',
    })
  }
  return arrivals
}
