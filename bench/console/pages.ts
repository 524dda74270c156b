/** The pages that are measured, and how long each takes. */
import type { Store } from '../../src/store/store.ts'

export type Page = {
  name: string
  /** The path of each request, with its number. */
  path: (sample: number) => string
}

/** In milliseconds. `store`: how long the page waits for the store, as a median. */
export type PageTimes = { least: number; p50: number; p95: number; store: number }

type Call = (...args: unknown[]) => Promise<unknown>

type Client = { origin: string; cookie: string }

/** Requests before those that count: the first one loads the console. */
const WARM_UP = 3

export function pagesOf(leads: number): Page[] {
  // The middle of the three years over which they are spread.
  const middle = `after=${Date.now() - 540 * 24 * 3_600_000}-${Math.floor(leads / 2)}`
  const search = (words: string) => () => `/inbox?stage=any&q=${encodeURIComponent(words)}`
  return [
    { name: 'inbox', path: () => '/inbox' },
    { name: 'inbox, stage applied', path: () => '/inbox?stage=applied' },
    { name: 'inbox, students in Illinois who wait', path: () => '/inbox?kind=student&state=IL&waiting=1' },
    { name: 'inbox, deep page', path: () => `/inbox?${middle}` },
    { name: 'inbox, longest waiting', path: () => '/inbox?sort=longest' },
    { name: 'inbox, last activity', path: () => '/inbox?sort=active' },
    { name: 'inbox, hottest', path: () => '/inbox?sort=hottest' },
    { name: 'inbox, wrote back', path: () => '/inbox?waiting=unanswered' },
    { name: 'search, one common word', path: search('evening ') },
    { name: 'search, a name', path: sample => search(`first${sample} last${sample}`)() },
    { name: 'search, a first name that begins others', path: sample => search(`first${sample}`)() },
    { name: 'search, a rare name and a letter', path: sample => search(`last${sample} f`)() },
    { name: 'search, an address', path: sample => search(`person.${leads - sample * 17}@example.com`)() },
    { name: 'search, a name with a typo', path: sample => search(`irst${sample}`)() },
    { name: 'search, a phone number', path: sample => search(`(312) 555-${1000 + sample}`)() },
    { name: 'search, nothing found', path: search('zyzzyva') },
    { name: 'search, common words, nothing found', path: search('evening zyzzyva') },
    { name: 'lead', path: sample => `/leads/${Math.max(1, leads - sample * 17)}` },
    { name: 'today', path: () => '/today' },
    { name: 'board', path: () => '/board' },
    { name: 'board of sites, one counselor', path: () => '/board?kind=site&who=counselor3' },
    { name: 'board, a source', path: () => '/board?source=friend' },
    { name: 'board, further cards', path: () => `/board?column=new&${middle}` },
  ]
}

/** Requests the page again and again, one request at a time. Throws if one does not return 200. */
export async function timesOf(
  client: Client,
  { path }: Page,
  waited: () => number,
  samples: number,
): Promise<PageTimes> {
  const pages: number[] = []
  const waits: number[] = []
  for (let sample = -WARM_UP; sample < samples; sample++) {
    const [began, waitedBefore] = [performance.now(), waited()]
    await (await request(client, path(Math.abs(sample)))).text()
    if (sample < 0) continue
    pages.push(performance.now() - began)
    waits.push(waited() - waitedBefore)
  }
  return {
    least: Math.min(...pages),
    p50: quantile(pages, 0.5),
    p95: quantile(pages, 0.95),
    store: quantile(waits, 0.5),
  }
}

/** Returns a function that says for how many milliseconds so far at least one query was under way. */
export function watchStore(store: Store): () => number {
  let [pending, since, total] = [0, 0, 0]
  const calls = Object.entries(store as unknown as Record<string, Call>).filter(([name]) =>
    /^(list|read|count|find|record)./.test(name),
  )
  for (const [name, call] of calls) {
    const timed = async (...args: unknown[]) => {
      if (pending++ === 0) since = performance.now()
      try {
        return await call(...args)
      } finally {
        if (--pending === 0) total += performance.now() - since
      }
    }
    Object.assign(store, { [name]: timed })
  }
  return () => total
}

/** How long the export of all leads takes. Counts line by line: millions of them are longer than a string can be. */
export async function measureExport(client: Client) {
  const began = performance.now()
  const { body } = await request(client, '/export/leads.csv?stage=any')
  let lines = 0
  for await (const chunk of body ?? [])
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++
  return { rows: lines - 1, milliseconds: performance.now() - began }
}

const NEWLINE = 0x0a

async function request({ origin, cookie }: Client, path: string): Promise<Response> {
  const response = await fetch(new URL(path, origin), { headers: { cookie }, redirect: 'manual' })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return response
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
