/** The page of a lead, from the email that links to it, in the whole service. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../../src/platform/time.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { aSite, aStudent } from '../../support/bodies.ts'
import { asked } from '../../support/store.ts'

const kim = { id: 'kim-lee', name: 'Kim Lee', email: 'kim@school.example' }
const jo = { id: 'jo', name: 'Jo Park', email: 'jo@school.example' }
const settings = { school: { name: 'Northside', timeZone: 'America/Chicago' }, admissions: { counselors: [kim] } }

describe('the page of a lead, opened from an email', () => {
  test('shows who it is, how to reach them, and when they wrote, in the school’s time zone', async t => {
    const desk = await startApp(t, { settings })
    const id = await taken(desk, aStudent({ email: 'ben@mail.example' }))
    const { status, text } = await open(desk)
    equal(status, 200)
    match(text, /<h1>Ben Okafor<\/h1>/)
    match(text, /<h1>Ben Okafor<\/h1>\s*<p>TX · waiting less than a minute<\/p>\s*<p class="action primary">/)
    match(text, /<a href="tel:\+15125550199">Call \(512\) 555-0199<\/a>/)
    match(text, /<li>Reminder to Kim Lee, <time title="Monday, November 23, 2026 at 9:05 AM CST">Monday, 9:05 AM</)
    deepEqual(aboutIn(text), [
      'Email: ben@mail.example',
      'State: TX',
      'Stage: New',
      'Counselor: Kim Lee',
      'First wrote: Saturday, November 21, 2026 at 2:00 PM CST',
    ])
    doesNotMatch(text, /Replied|Paused|Account|null|undefined/)
    match(text, /What happens next.*Promise a callback.*Add a note.*What happened</s)
    doesNotMatch(text, /<hr|class="small"/)
    equal((await desk.app.store.readLead(id))?.lead.stage, 'new')
  })

  test('shows the lead as it is now, however old the email is', async t => {
    const desk = await startApp(t, { settings })
    const id = await taken(desk, aStudent())
    desk.clock.advance(HOUR)
    const by = { actor: 'kim-lee', now: desk.clock.now() }
    await desk.app.store.pauseLead(id, by)
    await reply(desk, id, 'Yes!')
    await desk.app.store.changeStage(id, { stage: 'closed', closedReason: 'not eligible', ...by })
    await desk.app.store.assignLead(id, { owner: null, ...by })
    desk.clock.advance(29 * DAY)
    deepEqual(aboutIn((await open(desk)).text).slice(2), [
      'Stage: Closed (not eligible)',
      'Counselor: the team',
      'First wrote: Saturday, November 21, 2026 at 2:00 PM CST',
      'Replied: Saturday, November 21, 2026 at 3:00 PM CST',
      'Paused: since Saturday, November 21, 2026 at 3:00 PM CST, until someone resumes it',
    ])
  })

  test('says in words who did what when, newest first', async t => {
    const desk = await startApp(t, { settings })
    const id = await taken(desk, aStudent())
    const { store } = desk.app
    const by = (actor: string) => {
      desk.clock.advance(MINUTE)
      return { actor, now: desk.clock.now() }
    }
    await store.recordCall(id, { outcome: 'no answer', note: 'No answer\n<b>twice</b>', ...by('kim-lee') })
    await store.assignLead(id, { owner: 'jo', ...by('command line') })
    await store.changeStage(id, { stage: 'contacted', closedReason: null, ...by('kim-lee') })
    // The link is Kim's, and works while the lead is, too.
    await store.assignLead(id, { owner: 'kim-lee', ...by('command line') })
    const { text } = await open(desk)
    const entries = entriesIn(text)
    deepEqual(entries.slice(1, 4), [
      'Reached, Today, 2:03 PM · Kim Lee',
      'Assigned to jo (has left the team), Today, 2:02 PM · command line',
      'No answer, Today, 2:01 PM · Kim Lee',
    ])
    equal(entries.at(-1), 'Wrote in, Today, 2:00 PM')
    ok(entries.some(entry => entry.startsWith('Assigned to Kim Lee: ')))
    match(text, /<blockquote dir="auto">\s*<p>No answer<br>\s*&lt;b&gt;twice&lt;\/b&gt;<\/p>/)
  })

  test('shows everything that they wrote, newest first, and what differs from the lead', async t => {
    const desk = await startApp(t, { settings })
    const first = aStudent({ message: 'First\n\n- one\n\n***' })
    await taken(desk, first)
    desk.clock.advance(HOUR)
    const again = { ...first, message: '# [x](http://evil.example) {{ school.name }}' }
    await taken(desk, { ...again, phone: '512 555 0100', idempotencyKey: 'another-key' })
    const { text } = await open(desk)
    const wrote = text.slice(text.indexOf('What they wrote'), text.indexOf('About this lead'))
    const [newest = '', oldest = ''] = wrote.split('<h3>').slice(1)
    match(newest, /^Saturday, November 21, 2026 at 3:00 PM CST<\/h3>/)
    ok(newest.includes('<p># [x](http://evil.example) {{ school.name }}</p>'))
    equal(factsIn(newest)[0], 'Phone: (512) 555-0100')
    match(oldest, /<p>First<\/p>\s*<p>- one<\/p>\s*<p>\*\*\*<\/p>/)
    deepEqual(factsIn(oldest), [
      'Location: Austin, TX',
      'Start: Within three months',
      'Interest: Ready to enroll',
      'Experience: None',
      'Heard of us: A friend',
      'Employer: Lone Star Diner',
    ])
    doesNotMatch(text, /href="http:\/\/evil|<h1>\[/)
  })

  test('of a site has company and address, with a map', async t => {
    const desk = await startApp(t, { settings })
    const response = await desk.postSite(aSite({ address: '100 Main Street\nAustin, TX' }))
    equal(response.status, 200)
    await desk.settle()
    const { text } = await open(desk)
    ok(aboutIn(text).includes('Company: Mercy Hospital'))
    match(text, /<a href="https:\/\/www\.openstreetmap\.org\/[^"]*">100 Main Street, Austin, TX<\/a>/)
    match(text, />Assign</)
  })

  test('and the pages that act, say where a student is from, not who employs them', async t => {
    const desk = await startApp(t, { settings })
    await taken(desk, aStudent())
    const [, contacted = ''] = /href="[^"]*(\/act\/[^"]*)"[^>]*>Reached</.exec(
      (await open(desk)).text,
    ) as RegExpExecArray
    const { text } = await desk.request(desk.origin.console + contacted)
    ok(factsIn(text).includes('State: TX'))
  })

  test('and the pages that act, leave a lead closed if the person has another open one', async t => {
    const desk = await startApp(t, { settings })
    const id = await taken(desk, aStudent({ email: 'ben@mail.example' }))
    const [, contacted = ''] = /href="[^"]*(\/act\/[^"]*)"[^>]*>Reached</.exec(
      (await open(desk)).text,
    ) as RegExpExecArray
    const closed = { stage: 'closed', closedReason: 'no reply', actor: null } as const
    await desk.app.store.changeStage(id, { ...closed, now: desk.clock.now() })
    await taken(desk, aStudent({ email: 'ben@mail.example' }))
    const act = { method: 'POST', headers: { 'Sec-Fetch-Site': 'same-origin' } }
    const response = await fetch(desk.origin.console + contacted, act)
    equal(response.status, 200)
    match(await response.text(), /Nothing has changed[\s\S]*The lead stays closed/)
    equal((await desk.app.store.readLead(id))?.lead.stage, 'closed')
  })

  test('names an owner who is no longer a counselor by their id, and says so', async t => {
    const before = await startApp(t, { settings: { admissions: { counselors: [jo] } } })
    await taken(before, aStudent())
    const url = urlIn(before)
    await before.close()
    const { database, dataDir, clock } = before
    const after = await startApp(t, { settings, database, dataDir, clock })
    // The link is Jo's, who may no longer use it.
    const { status, text } = await after.request(after.origin.console + url)
    equal(status, 403)
    match(text, /tell jo \(has left the team\)\./)
  })

  test('stays readable, however much is sent from one address', async t => {
    const desk = await startApp(t, { settings })
    const body = aStudent()
    const id = await taken(desk, body)
    for (let n = 0; n < 21; n++) {
      desk.clock.advance(HOUR)
      await taken(desk, { ...body, message: `Message ${n}`, idempotencyKey: `many-${n}` })
    }
    const now = desk.clock.now()
    for (let n = 0; n < 100; n++) {
      await desk.app.store.addNote(id, { text: `${n} ${'long '.repeat(2000)}`, actor: 'kim-lee', now })
    }
    const { text } = await open(desk)
    equal(entriesIn(text).length, 100)
    // The whole page is notes, so it shows the latest that they wrote.
    ok(text.includes('Message 20<') && !text.includes('Message 19<'))
    doesNotMatch(text, /Back to the newest/)
    ok(text.length < 600_000)
    const older = await follow(desk, text, 'Older inquiries and entries')
    ok(older.includes('Message 20<') && older.includes('Message 1<'))
    ok(!older.includes('Message 0<'))
    match(older, /These are older entries/)
    const oldest = await follow(desk, older, 'Older inquiries and entries')
    ok(oldest.includes('Message 0<'))
    equal(entriesIn(oldest).at(-1)?.startsWith('Wrote in'), true)
    doesNotMatch(oldest, /Older inquiries and entries/)
    const newest = await follow(desk, oldest, 'Back to the newest')
    deepEqual(entriesIn(newest), entriesIn(text))
    const [, url] = /href="([^"]*\/act\/[^"?]*)\?before=\d+"/.exec(text) ?? []
    for (const wrong of ['0', '-1', 'x', '1e3', '9'.repeat(30)])
      deepEqual(entriesIn((await desk.request(`${local(desk, url)}?before=${wrong}`)).text), entriesIn(text))
  })

  test('takes notes, and pauses until a call: both are in the timeline, and the pause comes first in what is next', async t => {
    const desk = await startApp(t, { settings })
    await taken(desk, aStudent())
    const page = (await open(desk)).text
    const send = (field: string, form: Record<string, string>) => {
      const [, action] =
        new RegExp(`action="[^"]*(/act/[^"]*)"[^>]*>(?:(?!</form>).)*name="${field}"`, 's').exec(page) ?? []
      const body = new URLSearchParams(form)
      return desk.request(`${desk.origin.console}${action}`, { method: 'POST', body })
    }
    for (let pressed = 0; pressed < 2; pressed++)
      match((await send('note', { note: ' Likes\nto weld ' })).text, /Note saved/)
    match(
      (await send('day', { day: '2026-11-24', time: '' })).text,
      /Callback promised for Tuesday, November 24, 2026 at 9:00 AM CST/,
    )
    equal((await send('day', { day: '2026-11-20', time: '' })).status, 400)
    equal((await send('day', { day: 'soon', time: '' })).status, 400)
    const { text } = await open(desk)
    deepEqual(entriesIn(text).slice(0, 2), [
      'Callback promised for Tuesday, November 24, 2026 at 9:00 AM CST, Today, 2:00 PM · Kim Lee',
      'Note, Today, 2:00 PM · Kim Lee',
    ])
    match(text, /Callback<\/th>[\s\S]*<ul>\s*<li>Reminder to Kim Lee, <time[^>]*>Tuesday, 9:05 AM</)
  })

  test('links the earlier leads of the same person', async t => {
    const desk = await startApp(t, { settings })
    const student = aStudent({ email: 'ben@mail.example' })
    const first = await taken(desk, student)
    const by = { actor: 'kim-lee', now: desk.clock.now() }
    await desk.app.store.changeStage(first, { stage: 'closed', closedReason: 'not interested', ...by })
    desk.clock.advance(40 * DAY)
    await taken(desk, { ...student, idempotencyKey: 'second' })
    const html = desk.sent.findLast(message => message.html.includes('>Open the lead<'))?.html ?? ''
    const [, url] = /href="[^"]*(\/act\/[^"]*)"[^>]*>Open the lead</.exec(html) ?? []
    const { text } = await desk.request(desk.origin.console + url)
    const [, old] = /href="[^"]*(\/act\/[^"]*)">lead 1, closed \(not interested\), first wrote Nov 21/.exec(text) ?? []
    match((await desk.request(desk.origin.console + old)).text, /Closed \(not interested\)/)
  })

  test('is gone with the lead', async t => {
    const desk = await startApp(t, { settings })
    const student = aStudent()
    await taken(desk, student)
    await desk.app.store.erasePerson(student.email, { ...asked, addressHash: 'x', now: desk.clock.now() })
    const { status, text } = await open(desk)
    equal(status, 404)
    doesNotMatch(text, /Okafor/)
  })
})

/** Submits it and sends the emails that follow; returns the id of the lead. */
async function taken(desk: TestApp, body: unknown): Promise<number> {
  equal((await desk.postStudent(body)).status, 200)
  await desk.settle()
  return (await desk.app.store.listLeads({ limit: 1 }))[0]?.id ?? 0
}

async function reply(desk: TestApp, leadId: number, detail: string): Promise<void> {
  const mailbox = { mailbox: 'inbox', uidValidity: '1' }
  await desk.app.store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 1, lastArrival: 0 })
  const event = { kind: 'reply' as const, detail, tell: false }
  const effect = { leadId, event, suppression: null }
  await desk.app.store.recordInbound({ ...mailbox, uid: 2, effect }, desk.clock.now())
}

/** The URL of the link "Open the lead" in the first notification. */
function urlIn({ sent }: TestApp): string {
  const html = sent.find(({ html }) => html.includes('>Open the lead</a>'))?.html ?? ''
  return /href="[^"]*(\/act\/[^"]*)"[^>]*>Open the lead</.exec(html)?.[1] ?? ''
}

const open = (desk: TestApp) => desk.request(desk.origin.console + urlIn(desk))

const factsIn = (html: string): string[] =>
  Array.from(
    html.matchAll(/<th scope="row">(.*?)<\/th>\s*<td>(.*?)<\/td>/gs),
    ([, label, value = '']) => `${label}: ${value.replace(/<[^>]*>/g, '')}`,
  )

/** The facts below "About this lead". */
const aboutIn = (html: string): string[] => factsIn(html.slice(html.indexOf('About this lead')))

/** A link as the emails and pages have it, at the port of the test. */
const local = (desk: TestApp, url = ''): string => desk.origin.console + url.slice(url.indexOf('/act/'))

/** The page behind the link with these words. */
async function follow(desk: TestApp, page: string, words: string): Promise<string> {
  const [, url] = new RegExp(`href="([^"]*)"[^>]*>${words}<`).exec(page) ?? []
  ok(url, words)
  return (await desk.request(local(desk, url))).text
}

const entriesIn = (html: string): string[] =>
  Array.from(
    html.matchAll(/<p[^>]*>([^<]*)<br>\s*<em[^>]*>(.*?)<\/em><\/p>/g),
    ([, what, when = '']) => `${what}, ${when.replace(/<[^>]*>/g, '')}`,
  )
