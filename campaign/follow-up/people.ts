/** The people of a simulated month: who they are, when they write in, and what they want. */
import type { Kind } from '../../src/leads/body/submission.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { aSite, aStudent } from '../../test/support/bodies.ts'
import { Random } from '../random.ts'
import { localTime, type Reach, ZONES } from './hours.ts'
import { LAST_NAME, PEOPLE_DOMAIN } from './school.ts'
import { MONTH, type WorldTime } from './world-time.ts'

/** What a student does in response to our mail. */
export type Wish = 'unsubscribe' | 'not-me' | 'reply' | 'complaint'

export type Person = {
  n: number
  kind: Kind
  email: string
  /** They called, and gave no address: someone at the school enters them. */
  phoneOnly: boolean
  firstName: string
  lastName: string
  state: string | undefined
  /** When they like to be called: they say so in a form of the school, and write nowhere else. */
  bestTime: Reach['bestTime']
  /** True if the mailbox does not exist. */
  unknown: boolean
  wish: { what: Wish; afterMessages: number; delay: number } | undefined
}

/** How a submission looks to the screening: all but 'fine' are quarantined. */
export type Looks = 'fine' | 'trapped' | 'screened'

export type Arrival = { elapsed: number; person: Person; copy: number; looks: Looks }

const SITE_SHARE = 0.1
const STATELESS = 0.1
const UNKNOWN = 0.015
const WRITES_AGAIN = 0.05
const PHONE_ONLY = 0.06
const BEST_TIME = 0.15

const states = Object.keys(ZONES)
const firstNames = ['Ana', 'José', 'Li', 'Olamide', 'Zoë', 'Tom', 'Mary Ann', 'O’Neil']

export function makePeople(seed: number, count: number): Person[] {
  return Array.from({ length: count }, (_, n) => {
    const random = new Random(seed, `person ${n}`)
    const kind = random.chance(SITE_SHARE) ? 'site' : 'student'
    const wish = wishOf(random)
    const phoneOnly = kind === 'student' && new Random(seed, `calls ${n}`).chance(PHONE_ONLY)
    return {
      n,
      kind,
      email: `p${n}@${PEOPLE_DOMAIN}`,
      phoneOnly,
      firstName: random.pick(firstNames),
      lastName: `${LAST_NAME}${letters(n)}`,
      state: kind === 'site' || random.chance(STATELESS) ? undefined : random.pick(states),
      bestTime: kind === 'student' && !phoneOnly ? bestTimeOf(new Random(seed, `best time ${n}`)) : undefined,
      unknown: kind === 'student' && random.chance(UNKNOWN) && !phoneOnly,
      wish: kind === 'student' && !phoneOnly ? wish : undefined,
    }
  })
}

const bestTimeOf = (random: Random): Person['bestTime'] =>
  random.chance(BEST_TIME) ? random.pick(['morning', 'morning', 'afternoon', 'evening'] as const) : undefined

function wishOf(random: Random): Person['wish'] {
  const delay = random.chance(0.5) ? random.between(1, 60) * MINUTE : random.between(1, 40) * HOUR
  const afterMessages = random.pick([1, 1, 2, 3])
  const dice = random.next()
  const what =
    dice < 0.05 ? 'unsubscribe' : dice < 0.07 ? 'not-me' : dice < 0.14 ? 'reply' : dice < 0.15 ? 'complaint' : undefined
  return what && { what, afterMessages, delay }
}

/** The address of a person on a list that the staff import. */
export const listedAddress = (list: number, row: number | string): string => `i${list}x${row}@${PEOPLE_DOMAIN}`

/** One of the two addresses of a person who has two leads. */
export const doubledAddress = (pair: number, side: number): string => `m${pair}x${side}@${PEOPLE_DOMAIN}`

/** The address of a person on a list, or of one with two leads, that the text contains. */
export const readListed = (text: string): string | undefined =>
  new RegExp(`\\b[im]\\d+x\\d+@${PEOPLE_DOMAIN}`, 'i').exec(text)?.[0]

const letters = (n: number): string => String(n).replace(/\d/g, digit => String.fromCharCode(97 + Number(digit)))

/** Everything that people submit, in the order of time. */
export function makeArrivals(seed: number, people: Person[], time: WorldTime): Arrival[] {
  const arrivals = people.flatMap(person => {
    const random = new Random(seed, `arrivals ${person.n}`)
    const first = { elapsed: momentOf(random, time), person, copy: 0, looks: looksOf(random, person) }
    if (person.phoneOnly || !random.chance(WRITES_AGAIN)) return [first]
    const later = random.pick([0, 3 * MINUTE, 5 * HOUR, 2 * DAY, 9 * DAY, 17 * DAY])
    const again = { person, copy: 1, looks: 'fine' as const }
    return [first, { ...again, elapsed: first.elapsed + random.between(0.9, 1.1) * later }]
  })
  return arrivals.sort((one, other) => one.elapsed - other.elapsed)
}

/** A time since the start, in milliseconds: rarely at night, and less often on weekends. */
function momentOf(random: Random, time: WorldTime): number {
  for (;;) {
    const elapsed = random.between(0, MONTH)
    const { day, hour } = localTime('America/New_York', time.shownAfter(elapsed))
    const awake = hour >= 7 && hour < 23 ? 1 : 0.15
    if (random.chance(awake * (day === 'Sat' || day === 'Sun' ? 0.5 : 1))) return elapsed
  }
}

function looksOf(random: Random, { kind }: Person): Looks {
  const dice = random.next()
  return kind === 'student' || dice > 0.08 ? 'fine' : dice > 0.04 ? 'screened' : 'trapped'
}

/** The body of an arrival at the moment `now`. A mark in the message identifies it. */
export function bodyOf({ person, copy, looks }: Arrival, now: number): Record<string, unknown> {
  const { n, firstName, lastName, state } = person
  const email = copy === 0 ? person.email : person.email.replace('p', 'P')
  const links = looks === 'screened' ? ' http://a.example http://b.example http://c.example' : ''
  const common = { firstName, lastName, email, message: `${markOf(n, copy)}${links}` }
  if (person.kind === 'student') return aStudent({ ...common, state, idempotencyKey: `month-${n}-${copy}` })
  const website = looks === 'trapped' ? 'https://spam.example' : ''
  // Too fast by the clock of any replica, since any of them may be ahead.
  const startedAt = looks === 'screened' ? now + 2_000 : now - 90_000
  return aSite({ ...common, website, startedAt })
}

/** By what the service knows someone: their address, or their number if they gave none. */
export const reachOf = ({ n, email, phoneOnly }: Person): string =>
  phoneOnly ? `512-${300 + Math.floor(n / 10_000)}-${String(n % 10_000).padStart(4, '0')}` : email

/** What someone at the school enters about a person who called. */
export const enteredOf = ({ person, copy }: Arrival): Record<string, string> => {
  const { n, firstName, lastName, state } = person
  return { firstName, lastName, phone: reachOf(person), message: markOf(n, copy), ...(state && { state }) }
}

const markOf = (n: number, copy: number) => `monthmark${n}x${copy}end`

/** The arrival that a stored body comes from. */
export function readMark(text: string): { n: number; copy: number } | undefined {
  const [, n, copy] = /monthmark(\d+)x(\d)end/.exec(text) ?? []
  return n === undefined ? undefined : { n: Number(n), copy: Number(copy) }
}

/** The person that an email to the staff is about, who may have no address. */
export const readAbout = (text: string): number | undefined => readPerson(text) ?? readMark(text)?.n

/** The person whose address the text contains. Undefined for the staff. */
export function readPerson(text: string): number | undefined {
  const [, n] = new RegExp(`\\bp(\\d+)@${PEOPLE_DOMAIN}`, 'i').exec(text) ?? []
  return n === undefined ? undefined : Number(n)
}
