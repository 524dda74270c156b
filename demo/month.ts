/** A month at an invented school: people write in, counselors call, some enroll. */
import type { App } from '../src/app.ts'
import type { Config } from '../src/config/config.ts'
import { createApp } from '../src/create-app.ts'
import { createLog } from '../src/platform/log.ts'
import { DAY, HOUR, MINUTE } from '../src/platform/time.ts'
import { aSite, aStudent, type Draw, drawFrom } from './people.ts'

/** How many people write in on each of the days, the last of which is today. */
const DAYS = 30
const A_DAY = [3, 7] as const

const COUNSELORS = ['maria', 'tom', 'priya']

type Time = { now: number }

/** Fills a new database with a month that ends now. Sends nothing: the mailer of the month forgets everything. */
export async function liveThroughAMonth(config: Config, end: number): Promise<void> {
  const time: Time = { now: end - DAYS * DAY }
  const app = await createApp(config, {
    clock: { now: () => time.now },
    log: createLog('silent'),
    mailer: {
      destination: 'nowhere',
      send: async () => {},
      verify: async () => [],
      close: async () => {},
    },
    drainDelay: 0,
  })
  const draw = drawFrom(20261122)
  try {
    const { site, learn } = await app.listen(['site', 'learn'])
    const urls = {
      site: urlAt(site?.port, 'site-interest'),
      learn: urlAt(learn?.port, 'admissions/interest'),
    }
    for (const [number, at] of moments(draw, end).entries()) {
      await passUntil(app, time, at)
      const isSite = draw.chance(0.18)
      const body = isSite ? aSite(draw, number, at) : aStudent(draw, number)
      await post(isSite ? urls.site : urls.learn, body)
      await app.worker.drain()
      await workOn(app, time, draw, end)
    }
    await passUntil(app, time, end)
  } finally {
    await app.close()
  }
}

const urlAt = (port: number | undefined, path: string) => `http://127.0.0.1:${port}/api/${path}`

/** When people write in: mostly during the day; and a few within the last hours, so that someone waits. */
function moments(draw: Draw, end: number): number[] {
  const all: number[] = []
  for (let day = DAYS; day > 0; day--) {
    const midnight = end - day * DAY
    for (let count = draw.whole(...A_DAY); count > 0; count--)
      all.push(midnight + draw.whole(0, DAY - HOUR))
  }
  for (const minutes of [2, 4, 9, 26, 71, 190]) all.push(end - minutes * MINUTE)
  return all.filter(at => at < end).sort((one, other) => one - other)
}

/** Lets the time pass in steps of half a day, with everything that comes due. */
async function passUntil({ worker }: App, time: Time, moment: number): Promise<void> {
  while (time.now < moment) {
    time.now = Math.min(moment, time.now + DAY / 2)
    await worker.drain()
  }
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 200)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
}

/** What the school does after a further inquiry: the newest leads are called, older ones move on. */
async function workOn({ store }: App, time: Time, draw: Draw, end: number): Promise<void> {
  // The last hours are still to be done.
  if (end - time.now < 5 * HOUR) return
  const { now } = time
  const open = await store.listLeads({ since: now - 14 * DAY, limit: 60 })
  for (const { id, kind, stage, owner, createdAt } of open) {
    const actor = owner ?? draw.one(COUNSELORS)
    const by = { actor, now }
    const old = now - createdAt
    if (stage === 'new' && owner === null && draw.chance(0.3)) {
      await store.assignLead(id, { owner: actor, ...by })
    } else if (stage === 'new' && old > 10 * MINUTE && draw.chance(0.22)) {
      await store.changeStage(id, { stage: 'contacted', closedReason: null, ...by })
      if (draw.chance(0.6)) await store.addNote(id, { text: draw.one(NOTES), ...by })
    } else if (stage === 'new' && draw.chance(0.14)) {
      await store.recordCallAttempt(id, { detail: '', ...by })
      if (draw.chance(0.3)) {
        const until = now + draw.whole(1, 6) * DAY
        await store.pauseLead(id, { end: { until, words: 'asked to be called again' }, ...by })
      }
    } else if (stage !== 'new' && stage !== 'closed' && draw.chance(0.05)) {
      await moveOn(store, id, { kind, stage }, by, draw)
    }
  }
}

const LATER = {
  student: ['contacted', 'qualified', 'applied', 'enrolled'],
  site: ['contacted', 'meeting', 'agreement', 'active'],
} as const

async function moveOn(
  store: App['store'],
  id: number,
  { kind, stage }: { kind: 'site' | 'student'; stage: string },
  by: { actor: string; now: number },
  draw: Draw,
): Promise<void> {
  const next = LATER[kind][LATER[kind].indexOf(stage as never) + 1]
  if (next !== undefined && draw.chance(0.75))
    await store.changeStage(id, { stage: next, closedReason: null, ...by })
  else if (next !== undefined)
    await store.changeStage(id, {
      stage: 'closed',
      closedReason: draw.one(['not interested', 'not eligible'] as const),
      ...by,
    })
}

const NOTES = [
  'Works nights, best to reach after 3 pm. Wants the March class.',
  'Has a GED, needs to send the transcript. Asked about payment plans.',
  'Very motivated. Sister is a graduate. Sent the application link.',
  'Comparing with the community college; cost is what decides.',
  'Wants a tour first. Booked for Thursday.',
  'Husband is in the Army, may move in the summer. Call again in a week.',
]
