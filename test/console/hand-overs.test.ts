/** Handing over all leads of someone who leaves, and undoing that. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, fieldOn, startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { counselors, MONDAY } from '../tasks/school.ts'

const jo = { id: 'jo', name: 'Jo Park', email: 'jo@school.example', weight: 2 }
const dana = { name: 'Dana Example', email: 'dana@school.example' }
const admissions = { counselors: [...counselors, jo], manager: dana }

/** Leads of Maria, who has Texas; the last one has been reached. */
async function withLeads(service: TestConsole, count: number): Promise<void> {
  for (let n = 1; n <= count; n++)
    await service.postStudent(aStudent({ email: `s${n}@mail.example`, firstName: `S${n}` }))
  await service.settle()
  await service.app.store.changeStage(count, {
    stage: 'contacted',
    closedReason: null,
    actor: 'maria',
    now: service.clock.now(),
  })
  service.sent.length = 0
}

const owners = async ({ database }: TestConsole) =>
  (await sql(database, 'select owner from leads order by id')).map(({ owner }) => owner ?? 'team')

const shares = (all: unknown[]) =>
  Object.fromEntries([...Map.groupBy(all, owner => owner)].map(([owner, rows]) => [owner, rows.length]))

async function send(client: ConsoleClient, fields: [string, string][], id = 'maria') {
  const path = `/team/people/${id}/hand-over`
  const { text } = await client.get(path)
  return client.post(path, new URLSearchParams([['version', fieldOn(text, 'version')], ...fields]))
}

const start = (t: Parameters<typeof startConsole>[0], engine?: 'sqlite' | 'postgres') =>
  startConsole(t, { settings: { admissions }, edits: true, clock: testClock(MONDAY), ...(engine && { engine }) })

onEachEngine(engine => {
  test('callbacks and people who wait for an answer go along, and the page says so before and after, with counts', async t => {
    const service = await start(t, engine)
    const { store } = service.app
    await withLeads(service, 4)
    const by = { actor: 'maria', now: service.clock.now() }
    await store.assignLead(4, { owner: 'sam', ...by })
    const plan = { words: '', moment: 'soon', reminders: [], assignee: 'maria', ...by }
    for (const [lead, hours] of [
      [1, 1],
      [1, 2],
      [4, 3],
    ] as const)
      await store.planCallback(lead, { dueAt: MONDAY + hours * HOUR, ...plan })
    await sql(service.database, `update leads set unanswered_since = ${MONDAY} where id in (2, 4)`)
    const manager = await service.client('manager')
    const said =
      /1 person who waits for an answer and 2 callbacks go with the leads to their new counselors\. If they leave the team, 1 callback about leads of colleagues falls to these colleagues\./
    match((await manager.get('/team/people/maria/hand-over')).text, said)
    const done = await send(manager, [
      ['to', 'one'],
      ['person', 'jo'],
    ])
    match(done.text, said)
    const { callbacks, wroteBack } = await store.listDueLeads({ owner: 'jo', until: MONDAY + DAY, limit: 9 })
    deepEqual([callbacks.map(({ lead }) => lead.id), wroteBack.map(({ id }) => id)], [[1], [2]])
    deepEqual(await store.readDuties('maria'), { stages: [], callbacks: 1, elsewhere: 1, waiting: 0, scheduled: 0 })
  })

  test('several get the leads in turn by weight, with one email each, and reminders begin again', async t => {
    const service = await start(t, engine)
    const { database, clock, sent } = service
    await withLeads(service, 7)
    clock.advance(2 * MINUTE)
    const manager = await service.client('manager', { name: 'Ana Ruiz' })
    const { text } = await manager.get('/team/people/maria/hand-over')
    match(text, /Maria Example has 7 open leads: 6 new, 1 reached\. No one has tried to reach 6 of them\./)
    const done = await send(manager, [
      ['to', 'turns'],
      ['among', 'sam'],
      ['among', 'jo'],
    ])
    match(done.path, /\/team\/hand-overs\/1/)
    match(done.text, /Ana Ruiz handed over all leads of Maria Example\..*Done\./)
    match(readable(done.text), /Notified: Jo Park, Sam Example, and Maria Example\./)
    const all = await owners(service)
    deepEqual(shares(all), { jo: 5, sam: 2 })
    await service.settle()
    deepEqual(sent.map(({ to, subject }) => `${to.address}: ${subject}`).toSorted(), [
      'jo@school.example: 5 leads of Maria Example assigned to you, 4 not reached yet',
      'maria@school.example: Your 7 leads were handed over',
      'sam@school.example: 2 leads of Maria Example assigned to you, 2 not reached yet',
    ])
    match(sent.find(({ to }) => to.address.startsWith('maria'))?.text ?? '', /Jo Park: 5 leads/)
    const list = sent.find(({ to }) => to.address.startsWith('jo'))?.text ?? ''
    match(list, /S[1-6] [\s\S]*waiting since today/)
    match(list, /S7 [\s\S]*reached, wrote today/)
    const lead = await service.app.store.readLead(1)
    const entry = lead?.timeline.find(({ kind, was }) => kind === 'assigned' && was !== null)
    deepEqual(
      [entry?.actor, entry?.was?.owner, entry?.detail, entry?.at],
      ['Ana Ruiz', 'maria', `${all[0]}: all leads of Maria Example were handed over`, clock.now()],
    )
    // Five minutes after the hand-over, not after the inquiry.
    clock.advance(5 * MINUTE)
    await service.settle()
    const reminders = sent.slice(3).map(({ to }) => to.address)
    equal(reminders.length, 6)
    ok(!reminders.includes('maria@school.example'))
    equal((await sql(database, `select * from tasks where kind = 'news'`)).length, 0)
  })

  test('it is undone as a whole, except leads that someone has assigned since', async t => {
    const service = await start(t, engine)
    const { sent, clock } = service
    await withLeads(service, 4)
    const manager = await service.client('manager', { name: 'Ana Ruiz' })
    await send(manager, [
      ['to', 'one'],
      ['person', 'sam'],
    ])
    deepEqual(shares(await owners(service)), { sam: 4 })
    await service.settle()
    sent.length = 0
    const by = { actor: 'sam', now: clock.now() }
    await service.app.store.assignLead(2, { owner: 'jo', ...by })
    clock.advance(3 * HOUR)
    const undone = await manager.post('/team/hand-overs/1/undo')
    match(undone.text, /Ana Ruiz undid it\..*The leads are back, except those/)
    deepEqual(await owners(service), ['maria', 'jo', 'maria', 'maria'])
    await service.settle()
    const subjects = sent.map(({ to, subject }) => `${to.address}: ${subject}`)
    ok(subjects.includes('maria@school.example: 3 leads went back to you, 2 not reached yet'), subjects.join('\n'))
    ok(subjects.includes('sam@school.example: 3 leads are with Maria Example again'))
    const again = await manager.post('/team/hand-overs/1/undo')
    equal(again.status, 409)
    const log = await service.app.store.listAudit({ limit: 5 })
    deepEqual(
      log.map(({ action, detail }) => `${action}: ${detail}`).filter(text => text.includes('Maria')),
      ['undid a hand-over: Maria Example', 'handed over all leads of someone: Maria Example: 4'],
    )
  })

  test('a process that dies in the middle leaves the rest to another, and no one is notified twice', async t => {
    const service = await start(t, engine)
    const { app, clock, dataDir, database } = service
    await withLeads(service, 6)
    const { store } = app
    const plan = { to: 'turns' as const, people: ['sam', 'jo'] }
    const now = clock.now()
    const id = await store.startHandOver({ from: 'maria', fromName: 'Maria', actor: 'Ana', plan, now })
    equal(await store.startHandOver({ from: 'maria', fromName: 'Maria', actor: 'X', plan, now }), 'before')
    const moves = [1, 2].map(leadId => ({ leadId, owner: 'sam', restart: undefined }))
    const portion = { version: 0, moves, turns: {}, now }
    const both = await Promise.all([
      store.handOverPortion(Number(id), portion),
      store.handOverPortion(Number(id), portion),
    ])
    deepEqual(both.toSorted(), [false, true])
    await service.close()

    const next = await startConsole(t, { settings: { admissions }, dataDir, database, clock, edits: true })
    next.app.work()
    const client = await next.client('manager')
    for (let text = ''; !text.includes('Done.'); ) ({ text } = await client.get(`/team/hand-overs/${id}`))
    const all = await owners(next)
    equal(all.filter(owner => owner === 'maria').length, 0)
    while (next.sent.length < 3) await setImmediate()
    deepEqual(next.sent.map(({ to }) => to.address).toSorted(), [
      'jo@school.example',
      'maria@school.example',
      'sam@school.example',
    ])
  })
})

test('someone who leaves is removed first, and what remains of them can end in the same step', async t => {
  const service = await start(t)
  const { store } = service.app
  await withLeads(service, 3)
  await store.addAbsence({ counselor: 'maria', firstDay: '2026-12-01', lastDay: '2026-12-02' })
  await store.addAbsence({ counselor: 'sam', firstDay: '2026-11-20', lastDay: '2026-11-30' })
  const maria = await service.client('counselor', { email: 'maria@school.example', name: 'Maria' })
  const manager = await service.client('manager')
  match((await manager.get('/team/people/maria')).text, /Say who gets them; then they can be removed/)
  doesNotMatch((await manager.get('/team/people/maria/hand-over')).text, /End their sign-in/)
  const admin = await service.client('admin')
  match((await admin.get('/team/people/maria/hand-over?leaves')).text, /name="remove" checked/)
  const nobody = await send(admin, [
    ['to', 'turns'],
    ['remove', 'on'],
  ])
  match(nobody.text, /Choose who gets the leads\./)
  deepEqual(shares(await owners(service)), { maria: 3 })
  await send(admin, [
    ['to', 'one'],
    ['person', 'sam'],
    ['remove', 'on'],
    ['present', 'on'],
    ['disable', 'on'],
  ])
  deepEqual(shares(await owners(service)), { sam: 3 })
  equal((await maria.get('/inbox')).path.startsWith('/sign-in'), true)
  deepEqual(
    (await store.listAbsences('2026-11-23')).map(({ counselor }) => counselor),
    ['sam'],
  )
  doesNotMatch((await admin.get('/team')).text, /maria@school/)
  await service.settle()
  // Sam is away: the team stands in and gets the list, too. Maria has left.
  deepEqual(service.sent.map(({ to }) => to.address).toSorted(), ['admissions@localhost', 'sam@school.example'])
  const result = await admin.get('/team/hand-overs/1')
  match(
    readable(result.text),
    /Notified: Sam Example and the stand-in of Sam Example\. Undo all of it, and put Maria Example back on the team/,
  )
})

test('leads of someone who is no longer in the settings go to the team', async t => {
  const service = await start(t)
  await withLeads(service, 2)
  await sql(service.database, `update leads set owner = 'tom'`)
  const manager = await service.client('manager')
  const done = await send(manager, [['to', 'team']], 'tom')
  match(done.text, /<dt>The team<\/dt><dd>2<\/dd>/)
  match(done.text, /It cannot be undone, since tom is not on the team\./)
  equal((await manager.post('/team/hand-overs/1/undo')).status, 409)
  deepEqual(await owners(service), ['team', 'team'])
  await service.settle()
  deepEqual(
    service.sent.map(({ to, subject }) => `${to.address}: ${subject}`),
    ['admissions@localhost: 2 leads of tom assigned to the team, 1 not reached yet'],
  )
})
