/**
 * Fills a database as it is after years. The engine itself creates the rows, millions at a time. The
 * statements are the same for both engines, except for the parts in `Dialect`.
 */
import { DAY } from '../../src/platform/time.ts'

export type Dialect = {
  /** A query for the numbers from `from` to `to` in a column n. */
  series: (from: number, to: number) => string
  /** Orders the rows of a join by n and place, unless the engine joins in that order anyway. */
  inOrder: string
  /** 22 random characters. */
  digest: string
  /** The value of `submissions.batch` for a submission that was alone in its batch. */
  batch: 'n' | 'null'
}

/** The number of undecided submissions in the quarantine, in every database. */
export const HELD = 1000

/** One in this many submissions was quarantined by the screening and dismissed. */
const DISMISSED = 200

/** The number of leads in a rare stage, and of messages that were given up. */
const FEW = 20

/** The follow-up of one in this many leads is paused. */
const PAUSED_EVERY = 1000

/** One in this many wrote back and has no answer. */
const WROTE_BACK_EVERY = 50_000

const YEARS = 3 * 365 * 24 * 3_600_000

/** The tables that are filled, with the tables that others refer to first. */
export const tables = [
  'submissions',
  'idempotency_keys',
  'leads',
  'timeline',
  'tasks',
  'quarantine',
  'message_texts',
  'lead_words',
]

/** The statements that create `leads` leads, evenly over three years, with everything that belongs to them. */
export function fillStatements(leads: number, now: number, dialect: Dialect): string[] {
  const dismissed = Math.floor(leads / DISMISSED)
  const last = leads + dismissed + HELD
  const every = Math.max(1, Math.floor(leads / FEW))
  const numbers = (to: number, from = 1) => `with recursive s(n) as (${dialect.series(from, to)})`
  const at = `(${now} - (${leads} - n) * ${Math.floor(YEARS / leads)})`
  const received = `case when n <= ${leads} then ${at} else ${now} end`
  const kind = `case when n % 3 = 0 or n > ${leads} then 'site' else 'student' end`
  const held = `n > ${leads + dismissed}`
  const honeypot = `(${held} and n % 2 = 0)`
  const heldAt = `case when ${held} then ${now} - (${last} - n) * ${Math.floor((20 * DAY) / HELD)}
    else ${now - 31 * DAY} - (${last} - n) * ${Math.floor(YEARS / last)} end`
  return [
    `${numbers(last)} insert into submissions
       (id, kind, received_at, key, fingerprint, email, answer, body, client_address, batch)
     select n, ${kind}, ${received}, 'c' || ${dialect.digest}, ${dialect.digest}, ${EMAIL},
       case when ${honeypot} then 400 else 200 end,
       case when ${kind} = 'site' then ${SITE_BODY} else ${STUDENT_BODY} end,
       '203.0.113.' || (n % 250), ${dialect.batch} from s`,

    `insert into idempotency_keys (key, submission_id)
     select key, id from submissions order by key`,

    `${numbers(leads)} insert into leads (id, kind, stage, closed_reason, email, person_key, first_name,
       last_name, phone, phone_e164, company, state, owner, paused_at, unanswered_since, created_at,
       updated_at, last_at, heat)
     select n, ${kind}, ${stage(every)}, case when ${closed(every)} then 'not interested' end,
       ${EMAIL}, ${EMAIL}, ${FIRST}, ${LAST}, '(312) 555-' || (1000 + n % 9000),
       '+1312555' || (1000 + n % 9000), ${LAST} || ' Care',
       case when n % 3 = 0 then null else 'IL' end, ${OWNER(leads)}, ${PAUSED(`${at}`)},
       case when n % ${WROTE_BACK_EVERY} = 17 then ${at} end, ${at}, ${at}, ${at}, n % 7 - 1 from s`,

    `${numbers(leads)} insert into timeline (lead_id, at, kind, submission_id, detail)
     select n, ${at}, e.kind, n, e.detail from s cross join (
       select 1 as place, 'submission' as kind, '' as detail
       union all select 2, 'email', 'notify' union all select 3, 'email', 'receipt') e
     where place < 3 or n % 3 <> 0 ${dialect.inOrder}`,

    `${numbers(leads)} insert into tasks (lane, kind, subject, through, due_at, state, attempts, note,
       created_at, finished_at)
     select lane, t.kind, n, case when t.kind = 'file' then n end, 0,
       case when t.kind = 'receipt' and n % 200 = 1 then 'skipped'
         when t.kind = 'notify' and n % ${every} = 7 then 'dead' else 'done' end,
       1, case when n % 200 = 1 then 'a note' end, ${at}, ${at} from s cross join (
       select 1 as place, 'filing' as lane, 'file' as kind
       union all select 2, 'mail', 'notify' union all select 3, 'mail', 'receipt') t
     where place < 3 or n % 3 <> 0 ${dialect.inOrder}`,

    `${numbers(last, leads + 1)} insert into quarantine
       (submission_id, reason, email_key, signals, state, held_at, decided_at)
     select n, case when ${honeypot} then 'honeypot' else 'screening' end, ${EMAIL}, 'links,tooFast',
       case when ${held} then 'held' else 'dismissed' end, ${heldAt},
       case when ${held} then null else ${now} end from s`,

    `${numbers(leads)} insert into lead_words (lead_id, words)
     select n, ${WORDS} from s`,

    `${numbers(1000)} insert into message_texts (digest, email_key, seen_at)
     select ${dialect.digest}, ${EMAIL}, ${now} - n * 80000 from s`,
  ]
}

const EMAIL = `'person.' || n || '@example.com'`
const FIRST = `'First' || (n % 997)`
const LAST = `'Last' || (n % 9973)`

/** Eight counselors have the leads, except for the newest. */
const OWNER = (leads: number) => `case when n > ${leads} - 100 then null else 'counselor' || (n % 8) end`

const PAUSED = (value: string) => `case when n % ${PAUSED_EVERY} = 11 then ${value} end`

const closed = (every: number) => `(n % 100 < 5 and n % ${every} <> 0)`

/** A few leads are in a late stage, some percent are closed or in progress, and most are new. */
const stage = (every: number) =>
  `case when n % ${every} = 0 then case when n % 3 = 0 then 'active' else 'enrolled' end
     when n % 100 < 5 then 'closed'
     when n % 100 < 8 then 'contacted'
     when n % 100 < 9 then case when n % 3 = 0 then 'meeting' else 'qualified' end
     when n % 100 < 10 then case when n % 3 = 0 then 'agreement' else 'applied' end
     else 'new' end`

/** The common part of both bodies, which have about 600 bytes each. */
const COMMON = `'"firstName":"' || ${FIRST} || '","lastName":"' || ${LAST} || '","email":"' || ${EMAIL}
  || '","phone":"(312) 555-' || (1000 + n % 9000) || '",'`

const MESSAGE =
  'We have read what you offer and would like to know more about the evening classes, the clinical ' +
  'placements and the dates on which the next terms begin. Several of us work nights, so mornings ' +
  'are best for a call; please leave word at the desk if no one answers, and we will call back. '

const SITE_BODY = `'{' || ${COMMON} || '"company":"' || ${LAST} || ' Care","address":"' || n
  || ' Main Street, Chicago","message":"${MESSAGE}' || n || '","website":"","startedAt":1700000000000}'`

const STUDENT_BODY = `'{' || ${COMMON} || '"city":"Chicago","state":"IL",'
  || '"interestLevel":{"rank":2,"text":"2 - Very interested"},"employer":"' || ${LAST} || ' Care","message":"${MESSAGE}'
  || n || '"}'`

const DIGITS = `'312555' || (1000 + n % 9000)`

/** What finds a name first, and despite a typo: two of the keys that each word has. */
const NAME_WORDS = [FIRST, LAST]
  .map(name => `' name:' || lower(${name}) || ' near:' || lower(${name}) || ' near:' || substr(lower(${name}), 2)`)
  .join(' || ')

/** As filing saves them (`leads/words/search-words.ts`), apart from their order, which matters to no index. */
const WORDS = `lower(${FIRST} || ' ' || ${LAST}) || ${NAME_WORDS} || ' person ' || n || ' example com care 1' || ${DIGITS} || ' '
  || ${DIGITS} || ' ' || substr(${DIGITS}, 4) || ' ' || substr(${DIGITS}, 7)
  || case when n % 3 = 0 then '' else ' state:il source:friend' end || ' ${[...new Set(MESSAGE.toLowerCase().match(/[a-z]+/g))].sort().join(' ')}'`
