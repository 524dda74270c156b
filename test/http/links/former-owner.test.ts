/** Links in emails about a lead that has gone to someone else since. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { PartialSettings } from '../../../src/config/settings.ts'
import type { EmailAddress } from '../../../src/leads/body/email.ts'
import { HOUR, MINUTE } from '../../../src/platform/time.ts'
import { testClock } from '../../support/clock.ts'
import { startConsole, type TestConsole } from '../../support/console.ts'
import { onEachEngine, sql } from '../../support/engines.ts'
import { aCounselor, aSchool, ben, counselors, MONDAY } from '../../tasks/school.ts'

/** The paths of the links to act on a lead, in all emails. */
const linksIn = ({ sent }: TestConsole): string[] =>
  sent.flatMap(({ html }) => Array.from(html.matchAll(/"https?:\/\/[^"/]+(\/act\/[\w.-]+)"/g), ([, path = '']) => path))

const timelineOf = ({ database }: TestConsole) => sql(database, 'select id from timeline order by id')

onEachEngine(engine => {
  test('the links of a counselor end when the lead goes to someone else, and show nothing that came after', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
    const { client, postStudent, settle, app } = service
    await postStudent(ben())
    await settle()
    const owner = (await app.store.findLead(1))?.owner
    const links = linksIn(service)
    ok(owner !== null && links.length > 2)
    const anyone = await client()
    for (const link of links) equal((await anyone.get(link)).status, 200, link)

    const manager = await client('manager')
    const other = owner === 'maria' ? 'sam' : 'maria'
    await manager.post('/leads/1', { do: 'assign', counselor: other })
    await manager.post('/leads/1', { do: 'note', note: 'A secret of later' })
    await settle()
    const before = await timelineOf(service)
    for (const link of links) {
      for (const response of [await anyone.get(link), await anyone.post(link)]) {
        equal(response.status, 403)
        match(response.text, /now follows up with Ben .*, so this link cannot change anything/)
        match(response.text, /href="\/leads\/1"/)
        doesNotMatch(response.text, /A secret of later|<form|\/act\//)
      }
    }
    deepEqual(await timelineOf(service), before)
    await manager.post('/leads/1', { do: 'assign', counselor: owner ?? '' })
    for (const link of links) equal((await anyone.get(link)).status, 200, 'the lead is theirs again')
  })

  test('the links of an email do nothing to another lead that has its number since the database was restored', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
    await service.postStudent(ben())
    await service.settle()
    const links = linksIn(service)
    ok(links.length > 2)
    await sql(service.database, `update leads set created_at = created_at + ${MINUTE}`)
    const before = await timelineOf(service)
    const anyone = await service.client()
    for (const link of links) {
      for (const response of [await anyone.get(link), await anyone.post(link)]) {
        equal(response.status, 404, link)
        doesNotMatch(response.text, /Ben|mail\.example/)
      }
    }
    deepEqual(await timelineOf(service), before)
  })

  test('the links of an email work although the clock was set back, or is behind that of another process, since the lead came', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
    await service.postStudent(ben())
    await sql(service.database, `update submissions set received_at = received_at + ${HOUR}`)
    await service.settle()
    const anyone = await service.client()
    const links = linksIn(service)
    ok(links.length > 2)
    for (const link of links) equal((await anyone.get(link)).status, 200, link)
  })

  test('the links of a backup work as long as a callback is open that a colleague has promised', async t => {
    const lee = aCounselor('lee', { weight: 1, states: ['TX'] })
    const maria = aCounselor('maria', { weight: 0, backup: 'sam' })
    const admissions = { ...aSchool.admissions, counselors: [lee, maria, aCounselor('sam')] }
    const service = await startConsole(t, { engine, settings: { ...aSchool, admissions }, clock: testClock(MONDAY) })
    const { app, clock, client } = service
    await service.postStudent(ben())
    await service.settle()
    const now = clock.now()
    const reminders = [now, now + 15 * MINUTE]
    const plan = { assignee: 'maria', dueAt: now, reminders, words: '', moment: 'now', actor: 'lee', now }
    equal((await app.store.planCallback(1, plan)).outcome, 'done')
    clock.advance(15 * MINUTE)
    await service.settle()
    const links = linksIn({ ...service, sent: service.sent.filter(({ to }) => to.address.startsWith('sam@')) })
    ok(links.length > 2)
    const anyone = await client()
    for (const link of links) equal((await anyone.get(link)).status, 200, link)
    await app.store.recordCall(1, { outcome: 'no answer', note: '', actor: 'lee', now })
    for (const link of links) equal((await anyone.get(link)).status, 403, link)
  })

  test('a colleague whose email was not sent gets no links, and the counselor of the lead, whose links work, is told, too', async t => {
    const lee = aCounselor('lee', { weight: 0 })
    const admissions = { ...aSchool.admissions, counselors: [...counselors, lee] }
    const service = await startConsole(t, { engine, settings: { ...aSchool, admissions }, clock: testClock(MONDAY) })
    const { app, clock, sent } = service
    await service.postStudent(ben())
    await service.settle()
    equal((await app.store.findLead(1))?.owner, 'maria')
    const write = async (actor: string) => {
      const written = { subject: 'Tour', text: 'Come on Friday!', answers: undefined, reached: false, token: actor }
      const now = clock.now()
      await app.store.writeMessage(1, { ...written, dueAt: now + HOUR, actor, now })
    }
    await write('lee')
    await write('maria')
    const close = { stage: 'closed', closedReason: 'not interested', actor: 'maria', now: clock.now() } as const
    await app.store.changeStage(1, close)
    sent.length = 0
    clock.advance(HOUR)
    await service.settle()
    const told = sent.map(({ to, subject }) => `${to.address.split('@')[0]}: ${subject}`).toSorted()
    deepEqual(told, [
      'lee: Ben Okafor: your email was not sent',
      'maria: Ben Okafor: an email from Lee Example was not sent',
      'maria: Ben Okafor: your email was not sent',
    ])
    const anyone = await service.client()
    const links = linksIn(service)
    ok(links.length > 4)
    for (const link of links) equal((await anyone.get(link)).status, 200, link)
    const toLee = sent.find(({ to }) => to.address.startsWith('lee@'))
    deepEqual(linksIn({ ...service, sent: toLee ? [toLee] : [] }), [])
    match(toLee?.text ?? '', /Maria Example follows up, and was notified, too\./)
    doesNotMatch(toLee?.text ?? '', /ben@mail\.example/)
  })

  test('the links of a counselor who is a manager in the console work for the leads of others, as the console does', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true, clock: testClock(MONDAY) })
    await service.postStudent(ben())
    await service.settle()
    const links = linksIn({ ...service, sent: service.sent.filter(({ to }) => to.address.startsWith('maria@')) })
    ok(links.length > 2)
    const admin = await service.client('admin')
    await admin.post('/operators', { name: 'Maria', email: 'maria@school.example', role: 'manager' })
    await admin.post('/leads/1', { do: 'assign', counselor: 'sam' })
    const anyone = await service.client()
    for (const link of links) equal((await anyone.get(link)).status, 200, link)
  })

  test('the links of someone on the team who is a viewer in the console change nothing, as long as they are one', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true, clock: testClock(MONDAY) })
    await service.postStudent(ben())
    for (let hours = 0; hours < 5; hours++) {
      await service.settle()
      service.clock.advance(HOUR)
    }
    const admin = await service.client('admin')
    const anyone = await service.client()
    const before = await timelineOf(service)
    for (const who of ['dana', (await service.app.store.findLead(1))?.owner ?? '']) {
      const email = `${who}@school.example`
      const links = linksIn({ ...service, sent: service.sent.filter(({ to }) => to.address === email) })
      ok(links.length > 2, who)
      await admin.post('/operators', { name: who, email, role: 'viewer' })
      for (const link of links) {
        for (const response of [await anyone.get(link), await anyone.post(link)]) {
          equal(response.status, 403, `${who}: ${link}`)
          match(response.text, /viewers change nothing.*href="\/leads\/1"/s)
          doesNotMatch(response.text, /<form|\/act\/|@mail\.example/)
        }
      }
      const [operator] = await sql(service.database, `select id from operators where email = '${email}'`)
      await admin.post(`/operators/${operator?.['id']}/role`, { role: 'counselor' })
      for (const link of links) equal((await anyone.get(link)).status, who === 'dana' ? 403 : 200, `${who}: ${link}`)
    }
    deepEqual(await timelineOf(service), before)
    const manager = await service.client('manager')
    await manager.post('/leads/1', { do: 'assign', counselor: 'manager' })
    const [link = ''] = linksIn({ ...service, sent: service.sent.filter(({ to }) => to.address.startsWith('dana')) })
    equal((await anyone.get(link)).status, 200, 'a counselor works on their own leads')
  })

  test('the links of a manager or counselor end when another person has their place', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
    await service.postStudent(ben())
    await service.settle()
    for (let hours = 0; hours < 5; hours++) {
      service.clock.advance(HOUR)
      await service.settle()
    }
    const owner = (await service.app.store.findLead(1))?.owner ?? ''
    const linksTo = (who: string) =>
      linksIn({ ...service, sent: service.sent.filter(({ to }) => to.address.startsWith(`${who}@`)) })
    const email = 'zoe@school.example' as EmailAddress
    const places: [string, NonNullable<PartialSettings['admissions']>][] = [
      ['dana', { ...aSchool.admissions, manager: { name: 'Zoe Example', email } }],
      [
        owner,
        { ...aSchool.admissions, counselors: counselors.map(one => (one.id === owner ? { ...one, email } : one)) },
      ],
    ]
    const before = await timelineOf(service)
    for (const [who, admissions] of places) {
      const links = linksTo(who)
      ok(links.length > 2, who)
      const { database, dataDir, clock } = service
      const later = await startConsole(t, { database, dataDir, clock, settings: { ...aSchool, admissions } })
      const anyone = await later.client()
      for (const link of links) {
        for (const response of [await anyone.get(link), await anyone.post(link)]) {
          equal(response.status, 403, `${who}: ${link}`)
          doesNotMatch(response.text, /<form|\/act\/|@mail\.example/)
        }
      }
      await later.close()
    }
    deepEqual(await timelineOf(service), before)
    const anyone = await service.client()
    for (const link of linksTo('dana')) equal((await anyone.get(link)).status, 200, 'no one has taken her place')
  })

  test('Delivery shows an email without its signed links, and the audit log says who opened it', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
    await service.postStudent(ben())
    await service.settle()
    ok(linksIn(service).length > 0)
    const manager = await service.client('manager')
    const list = await manager.get('/delivery')
    const ids = [...new Set(Array.from(list.text.matchAll(/\/delivery\/(\d+)/g), ([, id = '']) => id))]
    ok(ids.length > 1)
    for (const id of ids) doesNotMatch((await manager.get(`/delivery/${id}/email`)).text, /\/(act|mail|welcome)\/\w/)
    const opened = (await service.app.store.listAudit({ limit: 20 })).filter(
      ({ action }) => action === 'opened an email',
    )
    equal(opened.length, ids.length)
    ok(opened.every(({ leadId }) => leadId === 1))
  })
})
