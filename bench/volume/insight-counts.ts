/** Fills the counts of insight as they are after years, without the leads that they count. */
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { defaultSettings } from '../../src/config/settings.ts'
import { schoolHours } from '../../src/follow-up/school-hours.ts'
import { timeZone } from '../../src/follow-up/time-zones.ts'
import { contactTime } from '../../src/follow-up/times-to-reach.ts'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import { type LeadFacts, placesOf } from '../../src/store/insight/lead-facts.ts'
import { query } from '../postgres.ts'

const DAYS = 3 * 365

/** How many values each dimension has: more campaigns than insight tells apart. */
const VALUES = { counselor: 12, campaign: 60, source: 30, heard: 8, state: 50 }

const COLUMNS = ['dimension', 'period', 'kind', 'value', 'leads', 'counts'] as const

type Row = Record<(typeof COLUMNS)[number], string | number>

/** The counts of that many leads, evenly over three years. Returns how many rows there are. */
export async function fillInsight(database: DatabaseAddress, leads: number): Promise<number> {
  const rows = countRows(leads, Date.now())
  return database.engine === 'sqlite' ? fillSqlite(database.file, rows) : fillPostgres(database.url, rows)
}

/** Marks all leads as changed since they were counted. */
export async function markLeads(database: DatabaseAddress): Promise<void> {
  const mark = 'insert into changed_leads (lead_id) select id from leads'
  if (database.engine === 'postgres') {
    await query(database.url, mark)
    return
  }
  const db = new DatabaseSync(database.file)
  db.exec(mark)
  db.close()
}

function fillSqlite(file: string, rows: Iterable<Row>): number {
  const db = new DatabaseSync(file)
  let filled = 0
  db.exec('begin; delete from insight_counts; delete from changed_leads')
  const insert = db.prepare(`insert into insight_counts (${COLUMNS}) values (?, ?, ?, ?, ?, ?)`)
  for (const row of rows) {
    insert.run(...COLUMNS.map(column => row[column]))
    filled++
  }
  db.exec('commit')
  db.close()
  return filled
}

/** As many as one statement inserts. */
const AT_ONCE = 5000

async function fillPostgres(url: string, rows: Iterable<Row>): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('truncate insight_counts, changed_leads')
  const insert = async (some: Row[]) =>
    client.query(
      `insert into insight_counts (${COLUMNS})
       select ${COLUMNS} from json_populate_recordset(null::insight_counts, $1)`,
      [JSON.stringify(some)],
    )
  let filled = 0
  let some: Row[] = []
  for (const row of rows) {
    filled++
    if (some.push(row) < AT_ONCE) continue
    await insert(some)
    some = []
  }
  await insert(some)
  await client.query('vacuum (analyze) insight_counts')
  await client.end()
  return filled
}

type Counted = { leads: number; codes: Map<string, number> }

/** Day by day, and a month when it is over: all of them at once would not fit into memory. */
function* countRows(leads: number, now: number): Generator<Row> {
  const times = someTimes()
  let month = new Map<string, Counted>()
  for (let back = DAYS - 1; back >= 0; back--) {
    const day = new Date(now - back * DAY).toISOString().slice(0, 10)
    const today = new Map<string, Counted>()
    for (let n = Math.floor((leads * (DAYS - 1 - back)) / DAYS); ; n++) {
      if (n >= Math.floor((leads * (DAYS - back)) / DAYS)) break
      for (const { dimension, period, value, codes } of placesOf(factsOf(n, day, times))) {
        const counts = period === day ? today : month
        const key = [dimension, period, n % 3 === 0 ? 'site' : 'student', value].join('\t')
        const counted = counts.get(key) ?? { leads: 0, codes: new Map() }
        counts.set(key, counted)
        counted.leads++
        for (const code of codes) counted.codes.set(code, (counted.codes.get(code) ?? 0) + 1)
      }
    }
    yield* rowsOf(today)
    const tomorrow = new Date(now - (back - 1) * DAY).toISOString().slice(0, 7)
    if (tomorrow === day.slice(0, 7) && back > 0) continue
    yield* rowsOf(month)
    month = new Map()
  }
}

function* rowsOf(counts: ReadonlyMap<string, Counted>): Generator<Row> {
  for (const [key, { leads, codes }] of counts) {
    const [dimension = '', period = '', kind = '', value = ''] = key.split('\t')
    yield { dimension, period, kind, value, leads, counts: JSON.stringify(Object.fromEntries(codes)) }
  }
}

/** The facts of a lead: two of three were reached, and nearly one of ten came to the last stage. */
function factsOf(n: number, day: string, times: ReturnType<typeof someTimes>): LeadFacts {
  const mixed = (n * 2_654_435_761) % 1_000_003
  const reached = mixed % 3 !== 0
  const time = times[mixed % times.length]
  const value = (name: keyof typeof VALUES) => `${name}${Math.floor(mixed / name.length) % VALUES[name]}`
  return {
    lead_id: n,
    day,
    kind: n % 3 === 0 ? 'site' : 'student',
    counselor: value('counselor'),
    campaign: value('campaign'),
    source: value('source'),
    state: value('state'),
    stage: reached ? 1 + (Math.floor(mixed / 7) % 4) : 0,
    closed: mixed % 2 === 0 ? 1 : 0,
    wall_time: reached ? (time?.wall ?? null) : null,
    working_time: reached ? (time?.working ?? null) : null,
    form: '',
    program: n % 3 === 0 ? null : '',
    heard: n % 3 === 0 ? null : value('heard'),
    entered: 0,
    emails: '',
  }
}

/** Times of every length, most of them short. */
function someTimes() {
  const { school } = defaultSettings
  const time = { zone: timeZone(school.timeZone), school: schoolHours(school) }
  const from = Date.parse('2026-03-02T15:00:00Z')
  return Array.from({ length: 2003 }, (_, n) => {
    const start = from + ((n * 7919) % (7 * 24 * 60)) * MINUTE
    return contactTime(time, start, start + Math.round(1.006 ** n) * MINUTE)
  })
}
