/** The console's lists: what the inbox and Today show, what they do with many leads at once, and its undo. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { type ConsoleClient, fieldOn, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { HANGS_AFTER } from '../support/process.ts'

const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }
const tom = { id: 'tom', name: 'Tom Becker', email: 'tom@school.example' }

const settings = {
  admissions: { counselors: [maria, tom] },
  studentInterest: { answers: { interestLevel: { hotter: 'low' as const } } },
}

/** Leads 1 to 3: Zoë of Maria, Ben of Tom, and a site of the team. */
async function aService(t: TestContext, engine: Engine = 'sqlite') {
  const service = await startConsole(t, { engine, settings })
  const { store } = service.app
  for (const [firstName, message] of [
    ['Zoë', 'Do you have <evening> classes?'],
    ['Ben', 'What does it cost?'],
  ])
    await service.postStudent(
      aStudent({ firstName, message, email: `${firstName === 'Ben' ? 'ben' : 'zoe'}@mail.example` }),
    )
  await service.postSite(aSite({ company: 'Mercy Clinic' }))
  await service.settle()
  const now = service.clock.now()
  await store.assignLead(1, { owner: 'maria', actor: null, now })
  await store.assignLead(2, { owner: 'tom', actor: null, now })
  const client = await service.client('counselor', maria)
  const leads = async (path: string) =>
    [...(await client.get(path)).text.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => Number(id))
  return { ...service, store, client, newClient: service.client, leads }
}

test('a search that ends before it has found enough says back to which day at the school it has looked', async t => {
  const { store, client } = await aService(t)
  const read = store.readInboxPage
  const evening = Date.parse('2026-03-02T03:00:00Z')
  t.mock.method(store, 'readInboxPage', async (...asked: Parameters<typeof read>) => {
    const page = await read(...asked)
    return { ...page, list: { ...page.list, next: { at: evening, id: 1 }, lookedUpTo: evening } }
  })
  match((await client.get('/inbox?q=evening')).text, /Looked through leads back to March 1, 2026\./)
})

onEachEngine(engine => {
  describe('the inbox', () => {
    test('shows each lead with who, what, from where, how warm, how long they wait, and what comes next', async t => {
      const { client, clock } = await aService(t, engine)
      clock.advance(12 * MINUTE)
      const { text } = await client.get('/inbox?who=me')
      for (const part of [
        /href="\/leads\/1">Zoë Okafor</,
        /Do you have &lt;evening&gt; classes\?/,
        /Austin, Texas/,
        />Hot</,
        /12 min/,
        /Maria Lopez/,
        /Reminder|Email/,
      ])
        match(text, part)
    })

    test('shows a counselor their own leads and those of the team, however they ask', async t => {
      const { leads, client, newClient } = await aService(t, engine)
      deepEqual(await leads('/inbox'), [3, 1])
      deepEqual(await leads('/inbox?who=tom'), [])
      deepEqual(await leads('/inbox?q=ben'), [])
      deepEqual(await leads('/inbox?q=mercy'), [3])
      deepEqual(await leads('/inbox?who=team'), [3])
      deepEqual(await leads('/inbox?kind=student&stage=any&state=texas'), [1])
      match((await client.get('/inbox?q=nothing')).text, /No leads match/)
      const manager = await newClient('manager')
      match((await manager.get('/inbox?q=ben')).text, /Ben Okafor/)
    })

    test('says that a search found only similar names, and lets Enter open the first lead that it found', async t => {
      const { client, leads } = await aService(t, engine)
      deepEqual(await leads('/inbox?q=okafro'), [1])
      const { text } = await client.get('/inbox?q=okafro')
      match(text, /No one matches “okafro”. This person has a similar name./)
      match(text, /class="inbox" data-start/)
      doesNotMatch((await client.get('/inbox?q=zoe')).text, /similar name/)
      doesNotMatch((await client.get('/inbox')).text, /data-start/)
    })

    test('sorts as the operator wishes: the URL says it, and the next visit remembers it', async t => {
      const { client, leads, store, clock, newClient } = await aService(t, engine)
      clock.advance(HOUR)
      await store.addNote(1, { text: 'Wants evenings', actor: 'maria', now: clock.now() })
      deepEqual(await leads('/inbox'), [3, 1])
      const { path, text } = await client.post('/inbox/order', { sort: 'active', filter: '' })
      equal(path, '/inbox?sort=active')
      match(text, /value="active" aria-current="true">Last activity</)
      match(text, /2 leads, by what happened last/)
      deepEqual(await leads('/inbox'), [1, 3])
      deepEqual(await leads('/inbox?sort=newest'), [3, 1])
      doesNotMatch((await client.get('/inbox?stage=any')).text, /Sort by/)
      equal((await client.post('/inbox/order', { sort: 'random', filter: '' })).status, 422)
      const tom = await newClient('counselor', { ...maria, email: 'other@school.example' })
      match((await tom.get('/inbox')).text, /newest first/)
    })

    test('says in each row what happened last, and shows the columns that the operator has chosen', async t => {
      const { client, store, clock } = await aService(t, engine)
      clock.advance(HOUR)
      await store.recordCall(1, { outcome: 'no answer', note: 'Mother picked up', actor: 'maria', now: clock.now() })
      clock.advance(2 * HOUR)
      const said = 'No answer 2 h ago by Maria Lopez: Mother picked up'
      for (const page of ['/inbox', '/board', '/today']) ok((await client.get(page)).text.includes(said), page)
      const { text } = await client.post('/inbox/columns', { city: 'on', wrote: 'on', source: 'on', filter: 'who=me' })
      match(text, /A friend|Google|Wrote in /i)
      match(text, /wrote in /i)
      ok(!text.includes(said))
      match(text, /Austin, Texas/)
      doesNotMatch(text, /class="counselor"/)
    })

    test('keeps imported people in a view of their own until something happens with them', async t => {
      const { client, leads, database } = await aService(t, engine)
      doesNotMatch((await client.get('/inbox')).text, />Imported/)
      await sql(database, 'update leads set imported = 1 where id = 1')
      for (const view of ['', '?waiting=1', '?waiting=untried']) deepEqual(await leads(`/inbox${view}`), [3], view)
      deepEqual(await leads('/inbox?imported=1'), [1])
      deepEqual(await leads('/inbox?who=me'), [])
      deepEqual(await leads('/today'), [3])
      deepEqual(await leads('/inbox?q=okafor'), [1])
      deepEqual(await leads('/inbox?state=texas'), [1])
      match((await client.get('/inbox')).text, />Imported <span class="count">1</)
    })

    test('shows who has not been called yet, the longest wait first, and how many there are', async t => {
      const { client, store, clock, postStudent, settle, newClient } = await aService(t, engine)
      clock.advance(HOUR)
      await postStudent(aStudent({ firstName: 'Late', email: 'late@mail.example' }))
      await settle()
      const by = { actor: 'maria', now: clock.now() }
      await store.recordCall(1, { outcome: 'no answer', note: '', ...by })
      await store.pauseLead(3, by)
      const manager = await newClient('manager')
      const page = async (path: string) => {
        const { text } = await manager.get(path)
        return [
          [...text.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => Number(id)),
          /\d+ leads?, [a-z ]+/.exec(text)?.[0],
        ]
      }
      deepEqual(await page('/inbox?waiting=untried'), [[2, 3, 4], '3 leads, the longest wait first'])
      deepEqual(await page('/inbox?waiting=1'), [[1, 2, 3, 4], '4 leads, the longest wait first'])
      deepEqual(await page('/inbox?stage=new'), [[1, 2, 3, 4], '4 leads, the longest wait first'])
      deepEqual(await page('/inbox'), [[4, 3, 2, 1], '4 leads, newest first'])
      const { text: inbox } = await manager.get('/inbox')
      const [, ...rows] = inbox.split(/(?=data-lead=")/)
      deepEqual(
        rows.filter(row => row.includes('class="target">paused<')).map(row => /\d+/.exec(row)?.[0]),
        ['3'],
        'no one is late with a call that has to wait',
      )
      deepEqual(await page('/inbox?waiting=untried&q=late'), [[4], '1 lead, names first'])
      for (const id of [2, 3, 4]) await store.recordCall(id, { outcome: 'no answer', note: '', ...by })
      match((await client.get('/inbox?waiting=untried')).text, /Everyone was called/)
    })

    test('has everyone who wrote back in its count in the menu, as in its view, also for a counselor who sees all', async t => {
      const { client, newClient, store, postStudent, settle, clock } = await aService(t, engine)
      for (const email of ['zoe@mail.example', 'ben@mail.example'])
        await postStudent(aStudent({ message: 'Is anyone there?', email, idempotencyKey: email }))
      await settle()
      const now = clock.now()
      await store.planCallback(1, { dueAt: now, words: '', reminders: [], moment: 'now', actor: 'maria', now })
      const counts = async (one: typeof client) => {
        const { wroteBack } = (await (await one.fetch('/today/count')).json()) as Record<string, string>
        const [views] = /Open \d Wrote back \d/.exec(readable((await one.get('/inbox')).text)) ?? []
        return [wroteBack, views]
      }
      deepEqual(await counts(client), ['1', 'Open 2 Wrote back 1'])
      deepEqual(await counts(await newClient('admin', tom)), ['2', 'Open 3 Wrote back 2'])
    })

    test('leads to the same leads on the board and back, where the board has the filter', async t => {
      const { newClient } = await aService(t, engine)
      const manager = await newClient('manager')
      const inbox = await manager.get('/inbox?kind=student&who=tom')
      match(inbox.text, /<a href="\/board\?kind=student&amp;who=tom">On the board</)
      const board = await manager.get('/board?kind=student&who=tom')
      match(board.text, /<a href="\/inbox\?kind=student&amp;who=tom">These leads in the inbox</)
      equal((await manager.get('/inbox?who=tom&state=TX')).text.includes('On the board'), false)
    })

    test('acts on many leads at once, but only on those that the operator may work on, and undoes it all', async t => {
      const { client, store, settle, clock } = await aService(t, engine)
      const form = new URLSearchParams({ do: 'reached', back: '/inbox?stage=any' })
      for (const id of ['1', '2', '3']) form.append('lead', id)
      const after = await client.post('/inbox/actions', form)
      equal(after.path, '/inbox?stage=any')
      match(after.text, /2 leads: reached\. 1 lead did not change: someone else may have worked on it/)
      const stages = async () => (await store.listLeads({ limit: 9, oldestFirst: true })).map(({ stage }) => stage)
      deepEqual(await stages(), ['contacted', 'new', 'contacted'])
      const entries = fieldOn(after.text, 'entries')
      equal(entries.split('.').length, 2)
      clock.advance(9000)
      match((await client.post('/inbox/undo', { entries, back: '/inbox' })).text, /Undone\./)
      deepEqual(await stages(), ['new', 'new', 'new'])
      // A second press finds nothing to undo.
      match((await client.post('/inbox/undo', { entries })).text, /too late/)
      await settle()
    })

    test('assigns and closes, and says what is missing', async t => {
      const { client, store } = await aService(t, engine)
      const assigned = await client.post('/inbox/actions', { do: 'assign', assign: 'tom', lead: '3' })
      match(assigned.text, /Ana Ruiz: assigned to Tom Becker/)
      await client.post('/inbox/actions', { do: 'close', close: 'spam', lead: '1' })
      const [, , one] = await store.listLeads({ limit: 9 })
      deepEqual([one?.stage, one?.closedReason], ['closed', 'spam'])
      match((await client.post('/inbox/actions', { do: 'close', close: 'spam' })).text, /Select at least one/)
      equal((await client.post('/inbox/actions', { do: 'close', close: 'no reply', lead: '1' })).status, 422)
      equal((await client.post('/inbox/actions', { do: 'assign', assign: 'no-one', lead: '1' })).status, 422)
    })

    test('leads on from page to page, without leaving out or repeating a lead', async t => {
      const { postSite, settle, client, clock } = await aService(t, engine)
      for (let count = 0; count < 60; count++) {
        await postSite(aSite({ email: `a${count}@b.example`, message: `Number ${count}` }, clock.now()))
        if (count % 20 === 0) clock.advance(HOUR)
      }
      await settle()
      const seen: string[] = []
      for (let path: string | undefined = '/inbox?stage=any'; path !== undefined; ) {
        const { text } = await client.get(path)
        seen.push(...[...text.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => id ?? ''))
        path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      }
      equal(seen.length, new Set(seen).size)
      ok(seen.length >= 60, String(seen.length))
    })

    test('saves a filter under a name, for oneself or for everyone', async t => {
      const { client, newClient } = await aService(t, engine)
      const filter = 'kind=site&nonsense=1'
      await client.post('/inbox/views', { name: 'Clinics', filter, shared: '1' })
      await client.post('/inbox/views', { name: 'My <Texans>', filter: 'state=TX' })
      const other = await newClient('manager')
      const { text } = await other.get('/inbox')
      match(text, /href="\/inbox\?kind=site">Clinics</)
      ok(!text.includes('Texans'))
      const mine = await client.get('/inbox?state=TX')
      match(mine.text, /My &lt;Texans&gt;/)
      const rename = (id: number, name: string) => client.post(`/inbox/views/${id}/rename`, { name })
      deepEqual([(await rename(1, 'My <Texans>')).status, (await rename(9, 'Nine')).status], [409, 404])
      equal((await other.post('/inbox/views/1/rename', { name: 'Theirs' })).status, 404)
      ok((await rename(1, 'Clinics of the city')).text.includes('Clinics of the city'))
      equal((await rename(1, 'Clinics')).status, 200)
      const path = /\/inbox\/views\/\d+\/delete/.exec(mine.text)?.[0] ?? ''
      match((await other.post(path)).text, /Only the person/)
      match((await client.post(path)).text, /The view is deleted/)
      equal((await client.post('/inbox/views', { name: ' ', filter })).status, 422)
    })
  })

  test('pages learn at once that leads have changed', async t => {
    const { client, store, postStudent, settle } = await aService(t, engine)
    const response = await client.fetch('/live', { signal: AbortSignal.timeout(HANGS_AFTER) })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    match((await reader?.read())?.value ?? '', /retry/)
    await postStudent(aStudent())
    await settle()
    let heard = ''
    while (!heard.includes('event: leads')) heard += (await reader?.read())?.value ?? ''
    // HEAD opens no stream, and the page of someone whose session has ended hears nothing more.
    equal((await client.fetch('/live', { method: 'HEAD' })).status, 200)
    await store.endOtherSessions(client.operator, '')
    await postStudent(aStudent({ email: 'another@mail.example', idempotencyKey: 'another' }))
    await settle()
    while (!(await reader?.read())?.done);
  })

  test('one person has no more than twenty live pages', async t => {
    const { client } = await aService(t, engine)
    const stop = new AbortController()
    const opened = Array.from({ length: 21 }, () => client.fetch('/live', { signal: stop.signal }))
    const statuses = (await Promise.all(opened)).map(({ status }) => status)
    equal(statuses.filter(status => status === 204).length, 1)
    stop.abort()
  })
})

describe('Today', () => {
  test('begins with promised calls and replies, and ends a lead for the day once there was no answer', async t => {
    const { client, newClient, store, clock, postStudent, settle, leads } = await aService(t)
    await postStudent(aStudent({ firstName: 'Mia', email: 'mia@mail.example' }))
    await settle()
    const by = { actor: 'maria', now: clock.now() }
    await store.assignLead(4, { owner: 'maria', ...by })
    await store.planCallback(3, { dueAt: by.now + 2 * HOUR, words: '', reminders: [], moment: 'later', ...by })
    await store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
    const event = { kind: 'reply', detail: 'Call me', tell: false } as const
    const effect = { leadId: 4, event, suppression: null }
    await store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: 1, effect }, by.now)
    const { text } = await client.get('/today')
    match(readable(text), /Next: wrote back Mia Okafor.*Call me.*To call now/)
    doesNotMatch(text, /Wrote back, not answered/, 'the only one who wrote back stands on top')
    match(text, /href="tel:/)
    deepEqual(await leads('/today'), [4, 1, 3])
    match(text, /Later today/)
    const tried = await client.post('/inbox/actions', { do: 'no answer:1', back: '/today' })
    equal(tried.path, '/today')
    deepEqual(await leads('/today'), [4, 3, 1])
    match(tried.text, /1 wrote back, 1 tried today/)
    match(tried.text, /Tried today, call again on Monday<[\s\S]*data-lead="1"/)
    clock.advance(DAY)
    // The session has ended overnight.
    match((await (await newClient('manager')).get('/today')).text, /data-lead="1"/)
  })

  test('has its count beside every link to it, and in words above a list that was read again', async t => {
    const { client, postStudent, settle } = await aService(t)
    const count = async () => (await client.fetch('/today/count')).json()
    deepEqual(await count(), { now: '2', wroteBack: '0' })
    await postStudent(aStudent({ firstName: 'Mia', email: 'mia@mail.example' }))
    await settle()
    deepEqual(await count(), { now: '3', wroteBack: '0' })
    const list = await client.fetch('/today', { headers: { 'x-part': 'list' } })
    match(await list.text(), /<template data-for="summary">3 to call now<\/template>/)
    const inbox = await client.fetch('/inbox', { headers: { 'x-part': 'list' } })
    match(await inbox.text(), /<template data-for="tabs">[\s\S]*Waiting <span class="count">\d/)
  })

  test('puts those who may not be called yet last, and does not count them', async t => {
    const { client, clock, newClient } = await aService(t)
    match((await client.get('/today')).text, /2 to call now<[\s\S]*at the school, call until 8:00\u00a0PM/)
    // 6:30 AM in New York the next morning, in Texas earlier still.
    clock.advance(15.5 * HOUR)
    const { text } = await (await newClient('manager')).get('/today')
    match(
      text,
      /No one to call until today, \d+:\d\d\sAM, \d waiting<[\s\S]*No one to call right now[\s\S]*do not call before 9:00\sAM/,
    )
  })

  test('gives no one a deadline before their calling hours', async t => {
    const { newClient, postStudent, settle } = await aService(t)
    // A Saturday: the first reminder is due on Monday, 5 minutes after 9:00 in Austin, 10:00 at the school.
    await postStudent(aStudent({ firstName: 'Night', email: 'night@mail.example', state: 'TX' }))
    await settle()
    const client = await newClient('manager')
    const { text } = await client.get('/inbox?q=night')
    match(text, /call by Monday, 10:05\u00a0AM/)
    await client.post('/leads/4', { do: 'callback', day: '2026-11-24' })
    match((await client.get('/inbox?q=night')).text, /Callback[^"]*Tuesday, 10:00\u00a0AM/)
  })

  test('begins with a new lead even where hundreds of older ones wait for another try', async t => {
    const { client, clock, database } = await aService(t)
    await addTried(database, { first: 100, last: 400 })
    clock.advance(HOUR)
    const text = readable((await client.get('/today')).text)
    match(text, /202\+ to call now/)
    match(text, /Next: to call now Zoë Okafor/)
    match(text, /And \d+ or more after these\./)
  })

  test('after a large import, says at night when calling hours begin, and never counts those it did not find', async t => {
    const { clock, database, newClient } = await aService(t)
    await addTried(database, { first: 100, last: 400 })
    const menu = async (client: ConsoleClient) =>
      ((await (await client.fetch('/today/count')).json()) as { now: string }).now
    // 9:30 PM in Texas.
    clock.advance(7.5 * HOUR)
    const atNight = await newClient('manager')
    match((await atNight.get('/today')).text, /No one to call until tomorrow, \d+:\d\d\sAM, 20\d\+ waiting</)
    equal(await menu(atNight), '0', 'the menu shows no number then')
    await addTried(database, { first: 500, last: 502, state: 'HI' })
    match((await atNight.get('/today')).text, /3 to call now, 20\d\+ not yet</)
    equal(await menu(atNight), '3', 'in Hawaii it is the afternoon')
  })

  test('says so when nothing is due, and where people write in when no one has', async t => {
    const service = await startConsole(t, { settings })
    const client = await service.client('counselor', maria)
    match((await client.get('/today')).text, /All done/)
    match((await client.get('/inbox')).text, /href="[^"]*\/forms\/student-interest">fill in the form for students/)
  })
})

/** Leads like the first, a state apart, that someone tried to reach long ago. */
async function addTried(
  database: DatabaseAddress,
  { first, last, state }: { first: number; last: number; state?: string },
) {
  const many = `with recursive n (i) as (select ${first} union all select i + 1 from n where i < ${last})`
  await sql(
    database,
    `insert into submissions (id, kind, received_at, key, fingerprint, email, answer, body, client_address)
     ${many} select i, kind, 1, 'key ' || i, fingerprint, email, answer, body, client_address
     from submissions, n where id = 1`,
  )
  await sql(
    database,
    `insert into leads (id, kind, stage, owner, email, person_key, first_name, last_name, phone, state,
       first_attempt_at, created_at, updated_at)
     ${many} select i, kind, stage, owner, email, 'person ' || i, first_name, 'Tried', phone,
       ${state === undefined ? 'state' : `'${state}'`}, 1, 1, 1 from leads, n where id = 1`,
  )
}
