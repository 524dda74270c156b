/**
 * A press of a button on a lead, or on a quarantined submission: one transaction, with its audit entry, and few questions
 * to the store.
 */
import { deepEqual, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { aSite } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, fieldOn, startConsole } from '../support/console.ts'
import { countCalls } from '../support/counted-store.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { pressWithEntry } from '../support/with-its-entry.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

/** Ben has written from two addresses, submission 3 is quarantined, and a manager is signed in. */
async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben())
  await service.postStudent(ben({ email: 'ben@home.example', idempotencyKey: 'from home' }))
  await service.postSite(aSite({ website: 'http://ana.example' }))
  await service.settle()
  const manager = await service.client('manager', { name: 'Dana Kim' })
  const colleague = await service.client('counselor')
  return { ...service, store: service.app.store, manager, colleague }
}

/** `colleague`: a counselor who does not see the leads. */
type Press = (client: ConsoleClient, more: { label: string; colleague: ConsoleClient }) => Promise<{ status: number }>

const onLead =
  (fields: Record<string, string>): Press =>
  client =>
    client.post('/leads/1', fields)

const inQuarantine =
  (decision: string): Press =>
  client =>
    client.post('/quarantine', { do: `${decision}:3`, state: 'held' })

const undone =
  (what: string): Press =>
  client =>
    client.post('/quarantine/undo', { what, ids: '3' })

/** What staff do in the console to a lead or a quarantined submission, in an order in which each changes something. */
const presses: Record<string, Press> = {
  note: onLead({ do: 'note', note: 'Prefers mornings' }),
  'note for the counselor': (_, { colleague }) =>
    colleague.post('/inbox/note', { q: 'ben@mail.example', lead: '1', note: 'Call him' }),
  'no answer': onLead({ do: 'no answer', note: 'Rang for a minute' }),
  'wrong number': onLead({ do: 'wrong number' }),
  'use number': onLead({ do: 'use number', phone: '512-555-0123' }),
  skip: onLead({ do: 'skip', step: '0' }),
  pause: onLead({ do: 'pause' }),
  resume: onLead({ do: 'resume' }),
  callback: onLead({ do: 'callback', day: '2026-11-27', time: '' }),
  'call back': onLead({ asked: '1h' }),
  tag: onLead({ do: 'tag', tag: 'Fair' }),
  'remove label': (client, { label }) => client.post('/leads/1', { do: 'remove label', label }),
  assign: onLead({ do: 'assign', counselor: 'team' }),
  correct: client => client.post('/leads/1/correct', { email: 'right@mail.example', phone: '512-555-0199' }),
  write: client => client.post('/leads/1/write', { do: 'send', subject: 'Hello', text: 'Hello', once: 'form' }),
  keep: client => client.post('/leads/1/keep', { reason: 'a case' }),
  'end keep': client => client.post('/leads/1/keep', { do: 'end' }),
  merge: client => client.post('/leads/1/merge', { with: '2', keep: '1' }),
  unmerge: client => client.post('/leads/1/unmerge', { lead: '2' }),
  reached: onLead({ do: 'reached', note: 'Comes on Friday' }),
  'reached again': onLead({ do: 'reached', note: 'Comes on Monday' }),
  stage: onLead({ do: 'stage', stage: 'new' }),
  'many at once': client => client.post('/inbox/actions', { do: 'close', close: 'spam', lead: '2', back: '/inbox' }),
  close: onLead({ do: 'close', reason: 'not interested' }),
  dismiss: inQuarantine('dismiss'),
  'undo a dismissal': undone('dismissed'),
  release: inQuarantine('release'),
  'undo a release': undone('released'),
}

const TABLES = [
  'callbacks',
  'drafts',
  'leads',
  'timeline',
  'tasks',
  'labels',
  'lead_labels',
  'lead_holds',
  'quarantine',
]

onEachEngine(engine => {
  test('is stored with its audit entry or not at all, whatever the button', async t => {
    const { database, manager, colleague } = await aDesk(t, engine)
    // The alarm about the request that fails is not about the lead.
    const rowsOf = (table: string) =>
      sql(database, `select * from ${table}${table === 'tasks' ? " where kind <> 'alarm'" : ''}`)
    const stored = async () =>
      Promise.all(TABLES.map(async table => (await rowsOf(table)).map(row => JSON.stringify(row)).sort()))
    const entries = async () => (await sql(database, `select id from audit_log where action <> 'opened'`)).length
    const draft = { 'x-part': 'draft' }
    for (const [name, press] of Object.entries(presses)) {
      await manager.post('/leads/1/note/draft', { note: 'Prefers mornings' }, draft)
      await manager.post('/leads/1/write/draft', { text: 'Hello' }, draft)
      const before = await stored()
      const [label] = await sql(database, 'select id from labels')
      const pressed = () => press(manager, { label: String(label?.['id']), colleague })
      await sql(database, 'alter table audit_log rename to lost_log')
      equal((await pressed()).status, 500, name)
      await sql(database, 'alter table lost_log rename to audit_log')
      deepEqual(await stored(), before, name)
      const recorded = await entries()
      equal((await pressed()).status, 200, name)
      equal(await entries(), recorded + 1, name)
    }
  })

  test('is stored with its audit entry or not at all, too, if it decides who may sign in', async t => {
    const { database, client } = await startConsole(t, { engine })
    const admin = await client('admin')
    const { operator } = await client('viewer', { email: 'eli@school.example' })
    await admin.post(`/operators/${operator}/disable`)
    const fields = { email: 'ana@school.example', name: 'Ana Ruiz', role: 'manager' }
    const stored = () =>
      Promise.all([sql(database, 'select * from operators'), sql(database, 'select * from operator_links')])
    for (const [path, sent] of [
      ['/operators', fields],
      [`/operators/${operator}/enable`, {}],
      [`/operators/${operator}/role`, { role: 'counselor' }],
      [`/operators/${operator}/invite`, {}],
    ] as const) {
      await pressWithEntry({ database }, { stored, press: () => admin.post(path, sent), name: path })
    }
    const [row] = await sql(database, 'select count(*) as entries from audit_log')
    equal(Number(row?.['entries']), 5)
  })

  test('is stored with its audit entry or not at all, too, if it is about tags, views, absences or notices', async t => {
    const { database, manager, store } = await aDesk(t, engine)
    await manager.post('/leads/1', { do: 'tag', tag: 'Fair' })
    const tables = ['labels', 'saved_views', 'absences', 'notice_choices', 'push_subscriptions']
    const stored = () => Promise.all(tables.map(table => sql(database, `select * from ${table} order by 1`)))
    const idIn = async (table: string) => String((await sql(database, `select id from ${table}`))[0]?.['id'])

    const press = (path: string, sent: Record<string, string>) =>
      pressWithEntry({ database }, { stored, press: () => manager.post(path, sent), name: path })

    const tag = await idIn('labels')
    await press(`/tags/${tag}`, { name: 'Night' })
    await press(`/tags/${tag}/delete`, {})
    await press('/inbox/views', { name: 'New', filter: 'stage=new', shared: '1' })
    const view = await idIn('saved_views')
    await press(`/inbox/views/${view}/rename`, { name: 'All new' })
    await press(`/inbox/views/${view}/delete`, {})
    await press('/team/absences', { counselor: 'maria', from: '2026-12-24', to: '2026-12-24' })
    await press('/team/absences/remove', { id: await idIn('absences') })
    await press('/account/notifications', { email: 'daily', quietFrom: '20', quietTo: '8' })
    const endpoint = 'https://browser.example/'
    await store.addPushSubscription(manager.operator, { endpoint, browser: 'a test', now: MONDAY })
    await press('/account/notifications/browsers/remove', { id: await idIn('push_subscriptions') })
  })

  test('is stored with its audit entry or not at all, too, if it is about lists, mail or requests', async t => {
    const settings = { ...aSchool, privacy: { ...aSchool.privacy, peopleToErase: 2 as const } }
    const { database, client, postStudent, settle, origin } = await startConsole(t, { engine, settings })
    await postStudent(ben())
    await settle()
    const manager = await client('manager')
    const queries = [
      "select id, state from imports where state <> 'reading'",
      "select id, state, acknowledged_at from tasks where kind <> 'alarm'",
      'select id, outcome from erasure_requests',
    ]
    const stored = () => Promise.all(queries.map(query => sql(database, `${query} order by id`)))
    const press = (name: string, path: string, sent: Record<string, string>) =>
      pressWithEntry({ database }, { stored, press: () => manager.post(path, sent), name })

    const uploads = async () => {
      const body = new FormData()
      body.set('file', new File(['Name,Email\nAna Ruiz,ana@mail.example\n'], 'list.csv'))
      const { status } = await manager.fetch('/import', { method: 'POST', headers: { origin: origin.console }, body })
      return { status: status === 303 ? 200 : status }
    }
    await pressWithEntry({ database }, { stored, press: uploads, name: 'upload' })
    const [draft] = await sql(database, "select id from imports where state = 'draft'")
    await press('discard', `/import/${draft?.['id']}/discard`, {})

    await sql(database, "update tasks set state = 'dead' where kind = 'receipt'")
    await press('acknowledge', '/delivery', { do: 'acknowledge' })
    await sql(database, "update tasks set acknowledged_at = null where kind = 'receipt'")
    await press('retry', '/delivery', { do: 'retry' })

    const asked = { reason: 'asked', address: 'ben@mail.example' }
    await press('ask', '/privacy/people/1/erase', asked)
    const [request] = await sql(database, 'select id from erasure_requests')
    await press('withdraw', `/privacy/requests/${request?.['id']}`, { do: 'decline' })
  })

  test('asks the store three times when someone was reached: who presses it, which lead, and to change it', async t => {
    const { store, manager } = await aDesk(t, engine)
    const told: string[] = []
    store.announce = () => told.push('announce')
    store.announceLeads = () => told.push('announceLeads')
    await manager.get('/leads/1')
    const requests = countCalls(t, store)
    const { text } = await manager.post('/leads/1', { do: 'reached' })
    match(text, /Ben Okafor was reached/)
    deepEqual(requests[0], { method: 'POST', path: '/leads/1', asked: ['readSession', 'findLead', 'recordCall'] })
    deepEqual(told, ['announce', 'announceLeads'])
    match((await manager.post('/leads/1/undo', { entry: fieldOn(text, 'entry') })).text, /Undone/)
  })
})
