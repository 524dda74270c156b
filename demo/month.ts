/** A month at an invented school: people write in, counselors call and write, some enroll. */
import type { App } from '../src/app.ts'
import type { Lead } from '../src/leads/lead/lead.ts'
import { type Mailer, MailRefused } from '../src/mail/transport/mailer.ts'
import { DAY, HOUR, MINUTE } from '../src/platform/time.ts'
import { correspondence, notes, waitingReplies } from './correspondence.ts'
import { aSite, aStudent, callable, caller, type Draw, drawFrom, jordan, originOf, spam } from './people.ts'
import { demoSettings } from './settings.ts'

/**
 * On each of the days (the last one is today), people write in at one or two moments, up to three
 * within minutes: whatever is due is done once after them.
 */
const DAYS = 30
const MOMENTS = [1, 2] as const
const AT_ONCE = [1, 3] as const

/** The hour of the school at which its counselors do what is to be done. */
const SHIFT = 16

const COUNSELORS = ['maria', 'tom', 'priya']

/** A mistyped domain, which no mail server accepts. */
const MISTYPED = 'gmial.example'

/** The mailer of the demo: it forgets everything but what a mail server would refuse. */
export const demoMailer: Mailer = {
  destination: 'nowhere',
  send: async ({ to }) => {
    if (JSON.stringify(to).includes(MISTYPED))
      throw new MailRefused(`The mail server refused the recipient: 550 5.1.2 ${MISTYPED}: no such domain`)
  },
  verify: async () => [],
  close: async () => {},
}

/** The clock of the demo: of the past until the month has been lived through. */
export type DemoTime = { now: number }

type Demo = { app: App; time: DemoTime; draw: Draw; answers: Answer[] }

/** The two operations, and the form for students. */
type Urls = { site: string; learn: string; form: string }

/** What a person will write back. */
type Answer = { lead: number; text: string }

export const beginOfMonth = (end: number): DemoTime => ({ now: end - DAYS * DAY })

/** Fills the new database of a service that listens, and does not work yet, with a month that ends now. */
export async function liveThroughAMonth(app: App, urls: Urls, time: DemoTime, end: number): Promise<void> {
  const demo: Demo = { app, time, draw: drawFrom(20261122), answers: [] }
  await app.store.setMailboxPosition('demo', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
  const days = Array.from({ length: DAYS + 1 }, (_, i) => midnight(end - (DAYS - i) * DAY))
  const events = [
    ...moments(demo.draw, days, end).map((at, number) => ({ at, happens: () => writeIn(demo, urls, number) })),
    { at: end - 3.4 * DAY, happens: () => post(urls.learn, jordan) },
    ...spam(end).map(({ at, bodyAt }) => ({ at, happens: () => post(urls.site, bodyAt(time.now)) })),
    ...days.map(day => ({ at: day + SHIFT * HOUR, happens: () => work(demo) })),
    ...callable(end).map((student, i) => ({
      at: end - (8 + 17 * i) * MINUTE,
      happens: () => post(urls.learn, student),
    })),
    { at: end - 3 * HOUR, happens: () => promiseCallbacks(demo, end) },
    { at: end - 50 * MINUTE, happens: () => writeBack(demo) },
  ]
  const past = events.filter(({ at }) => at > time.now && at < end).sort((one, other) => one.at - other.at)
  for (const [i, { at, happens }] of past.entries()) {
    time.now = Math.max(time.now, at)
    await happens()
    const next = past[i + 1]?.at ?? end
    if (next - at > 3 * MINUTE) await app.worker.drain()
  }
  time.now = end
  await app.worker.drain()
  // Someone has seen it: no page begins with a warning.
  await app.store.acknowledgeMail('failed', { now: end })
}

/** When the school's day began. */
function midnight(at: number): number {
  const { timeZone } = demoSettings.school
  const local = Date.parse(`${new Date(at).toLocaleString('en-US', { timeZone })} UTC`)
  return at - (local % DAY)
}

/** When people write in: during the day and the evening; and a few within the last hours, so that someone waits. */
function moments(draw: Draw, days: number[], end: number): number[] {
  const all = days.flatMap(day =>
    Array.from({ length: draw.whole(...MOMENTS) }, () => {
      const at = day + 7 * HOUR + draw.whole(0, 15 * HOUR)
      return Array.from({ length: draw.whole(...AT_ONCE) }, (_, i) => at + i * 2 * MINUTE)
    }).flat(),
  )
  const latest = [2, 4, 9, 26, 71, 190].map(minutes => end - minutes * MINUTE)
  return [...all.filter(at => at < end - 4 * HOUR), ...latest].sort((one, other) => one - other)
}

async function writeIn({ draw, time }: Demo, urls: Urls, number: number) {
  const mistyped = number === 40
  if (draw.chance(0.18) && !mistyped) return post(urls.site, aSite(draw, number, time.now))
  const student = aStudent(draw, number)
  const email = mistyped ? student.email.replace(/@.*/, `@${MISTYPED}`) : student.email
  const origin = originOf(student.source, number)
  if (origin === undefined) return post(urls.learn, { ...student, email })
  await lookAt(urls.form, number)
  await sendForm(time, urls.form, { ...student, email }, origin)
}

/** Others see the form, too, and some of them begin to fill it in. */
async function lookAt(url: string, number: number): Promise<void> {
  await fetch(url)
  if (number % 3 === 0) await begin(url)
}

/** What the form's script reports once someone types. */
const begin = (url: string) => fetch(url.replace('/forms/', '/forms/begun/'), { method: 'POST' })

/** Sends what someone typed into the form for students within a minute and a half. */
async function sendForm(
  time: DemoTime,
  url: string,
  { idempotencyKey: _, ...student }: Record<string, string>,
  origin: Record<string, string>,
): Promise<void> {
  const sent = time.now
  time.now = sent - 1.5 * MINUTE
  const shown = await (await fetch(url)).text()
  await begin(url)
  time.now = sent
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(shown) ?? []
  const body = new URLSearchParams({ ...student, ...origin, token })
  const { status } = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  if (status !== 303) throw new Error(`${url} answered ${status}`)
}

/** The honeypot answers with 400, and quarantines nevertheless. */
async function post(url: string, body: Record<string, unknown>): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (response.status !== 200 && !body['website']) throw new Error(`${url} answered ${response.status}: ${text}`)
}

/** A shift: answers arrive, the newest leads are called, older ones move on. */
async function work(demo: Demo): Promise<void> {
  const { app, time } = demo
  await receive(demo)
  const leads = await app.store.listLeads({ since: time.now - 14 * DAY, limit: 60 })
  for (const lead of leads.filter(({ stage }) => stage !== 'closed')) await workOn(demo, lead)
}

/** Two people asked to be called: one of these calls is due by now, the other one is soon. */
async function promiseCallbacks({ app: { store }, time }: Demo, end: number): Promise<void> {
  for (const [i, lead] of (await reached(store)).slice(0, 2).entries()) {
    const dueAt = end + (i === 0 ? -20 : 40) * MINUTE
    const plan = { dueAt, words: 'Wants to talk about the payment plan', reminders: [dueAt], moment: 'today' }
    await store.planCallback(lead.id, { ...plan, actor: lead.owner ?? 'maria', now: time.now })
  }
}

/** Two people who were reached write back, and no one has answered yet. */
async function writeBack(demo: Demo): Promise<void> {
  const people = (await reached(demo.app.store)).slice(2, 4)
  demo.answers.push(...people.map(({ id }, i) => ({ lead: id, text: waitingReplies[i] ?? '' })))
  await receive(demo)
}

const reached = (store: App['store']) => store.listLeads({ stage: 'contacted', kind: 'student', limit: 8 })

/** A caller left only a phone number: a counselor enters them, as people do in the console. */
export async function addCaller(consoleUrl: string, session: string): Promise<void> {
  const headers = { cookie: `session=${session}`, origin: consoleUrl }
  const form = await (await fetch(`${consoleUrl}/leads/add`, { headers })).text()
  const [, once = ''] = /name="once" value="([^"]+)"/.exec(form) ?? []
  const body = new URLSearchParams({ ...caller, once })
  const { status } = await fetch(`${consoleUrl}/leads/add`, { method: 'POST', headers, body, redirect: 'manual' })
  if (status !== 303) throw new Error(`${consoleUrl}/leads/add answered ${status}`)
}

async function receive({ app, time, answers }: Demo): Promise<void> {
  for (const { lead, text } of answers.splice(0)) {
    const uid = (await app.store.readMailboxPosition('demo'))?.lastUid ?? 0
    const event = { kind: 'reply', detail: text, tell: true } as const
    const effect = { leadId: lead, event, suppression: null }
    await app.store.recordInbound({ mailbox: 'demo', uidValidity: '1', uid: uid + 1, effect }, time.now)
  }
}

async function workOn(demo: Demo, { id, kind, stage, owner, createdAt, email }: Lead): Promise<void> {
  const { app, time, draw } = demo
  const { store } = app
  const actor = owner ?? draw.one(COUNSELORS)
  const by = { actor, now: time.now }
  if (stage !== 'new') {
    if (email !== jordan.email && draw.chance(0.12)) await moveOn(demo, { id, kind, stage }, by)
    return
  }
  const old = time.now - createdAt
  const isJordan = email === jordan.email
  if (owner === null) await store.assignLead(id, { owner: actor, ...by })
  if (isJordan || (old > 10 * MINUTE && draw.chance(0.6))) {
    await store.changeStage(id, { stage: 'contacted', closedReason: null, ...by })
    if (isJordan || draw.chance(0.5)) await store.addNote(id, { text: draw.one(notes), ...by })
    if (isJordan || (kind === 'student' && draw.chance(0.5))) await writeTo(demo, id, actor)
  } else if (draw.chance(0.6)) {
    await store.recordCall(id, { outcome: 'no answer', note: '', ...by })
    if (draw.chance(0.2)) {
      const dueAt = time.now + draw.whole(1, 6) * DAY
      const reminders = [dueAt]
      await store.planCallback(id, { dueAt, words: 'Asked to be called again', reminders, moment: 'soon', ...by })
    }
  }
  time.now += MINUTE
}

async function writeTo({ app, time, draw, answers }: Demo, id: number, actor: string) {
  const { lead } = (await app.store.readLead(id)) ?? {}
  if (lead === undefined) return
  const { subject, text, answer } = lead.email === jordan.email ? correspondence[0] : draw.one(correspondence)
  await app.store.writeMessage(id, {
    subject,
    text: `Hi ${lead.firstName},\n\n${text}`,
    answers: undefined,
    reached: false,
    token: `demo-${id}`,
    dueAt: time.now,
    actor,
    now: time.now,
  })
  if (answer !== undefined) answers.push({ lead: id, text: answer })
}

const LATER = {
  student: ['contacted', 'qualified', 'applied', 'enrolled'],
  site: ['contacted', 'meeting', 'agreement', 'active'],
} as const

async function moveOn(
  { app: { store }, draw }: Demo,
  { id, kind, stage }: Pick<Lead, 'id' | 'kind' | 'stage'>,
  by: { actor: string; now: number },
): Promise<void> {
  const next = LATER[kind][LATER[kind].indexOf(stage as never) + 1]
  if (next !== undefined && draw.chance(0.75)) await store.changeStage(id, { stage: next, closedReason: null, ...by })
  else if (next !== undefined)
    await store.changeStage(id, {
      stage: 'closed',
      closedReason: draw.one(['not interested', 'not eligible'] as const),
      ...by,
    })
}
