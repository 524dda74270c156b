/** Opens a store for a test. */
import type { TestContext } from 'node:test'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import type { Arrival } from '../../src/store/acceptance/arrival.ts'
import type { Filing } from '../../src/store/filing/filing-decision.ts'
import type { Staffing } from '../../src/store/filing/owner-assignment.ts'
import type { Person } from '../../src/store/leads/leads.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { aSite, aStudent } from './bodies.ts'
import { type TestClock, testClock } from './clock.ts'
import { type Engine, migratedDatabase } from './engines.ts'
import './store-threads.ts'
import './time-limits.ts'
import { BUSY_SERVER } from './templates.ts'

export type TestStore = { store: Store; clock: TestClock; database: DatabaseAddress }

export async function startStore(
  t: TestContext,
  options: { engine?: Engine; database?: DatabaseAddress; clock?: TestClock } = {},
): Promise<TestStore> {
  const { engine = 'sqlite', clock = testClock() } = options
  const database = options.database ?? (await migratedDatabase(t, engine))
  const store = await openStore(database, { clock, timeout: BUSY_SERVER })
  t.after(() => store.close())
  return { store, clock, database }
}

let count = 0

/** A student's arrival, a different one each time; its key is unique unless it is named. */
export function anArrival(over: Partial<Arrival> = {}): Arrival {
  const n = ++count
  const { idempotencyKey: _, ...body } = aStudent()
  const kind = over.kind ?? 'student'
  return {
    kind,
    receivedAt: testClock().now(),
    key: `key-${n}`.padEnd(22, '.'),
    keyLifetime: null,
    fingerprint: `print-${n}`.padEnd(22, '.'),
    email: body.email,
    answer: 200,
    body: JSON.stringify(kind === 'site' ? aSite() : { ...body, interestLevel: undefined }),
    form: null,
    clientAddress: '127.0.0.1',
    lockout: false,
    ...over,
  }
}

type LeadFiling = Extract<Filing, { person: Person }>

/** How filing handles a student's submission: with a new lead that has no follow-up. */
export const aFiling = (
  id: number,
  { person, ...over }: Partial<Omit<LeadFiling, 'person'>> & { person?: Partial<Person> } = {},
): LeadFiling => ({
  submission: {
    id,
    kind: 'student',
    receivedAt: 0,
    body: { firstName: 'Ben', lastName: 'Okafor', email: `student.${id}@mail.example`, phone: '1' },
    form: null,
  },
  sender: person?.key ?? person?.email?.toLowerCase() ?? `student.${id}@mail.example`,
  released: false,
  signals: [],
  textDigest: undefined,
  person: {
    key: person?.email?.toLowerCase() ?? `student.${id}@mail.example`,
    email: `student.${id}@mail.example`,
    firstName: 'Ben',
    lastName: 'Okafor',
    phone: '512-555-0199',
    phoneE164: undefined,
    company: undefined,
    state: 'TX',
    ...person,
  },
  noReceipt: undefined,
  addressHashes: [`hash ${id}`],
  account: 'none',
  programs: [],
  heat: null,
  cadenceStart: null,
  ...over,
})

/** The day and the moment of the digest that lists what filing quarantines. */
export const someDigest = { day: 20261122, dueAt: 0 }

/** A school without counselors, where the team does everything. */
export const noStaff: Staffing = { counselors: [], away: [], today: '2026-11-21' }

/** Why someone is erased and who does it, for the register. */
export const asked = { askedBy: 'Ana Ruiz', reason: 'asked' } as const
