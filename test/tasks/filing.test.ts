import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LEASE } from '../../src/store/tasks.ts'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { HOUR, MINUTE } from '../support/clock.ts'
import { anArrival } from '../support/store.ts'
import { sqlRows, tasksOf } from './database.ts'

/** What a disk fault or a foreign hand leaves behind: a body that nobody can read. */
const damage = (where: { dataDir: string }, id: number, body = 'canary@mail.example') =>
  sqlRows(where, 'update submissions set body = ? where id = ? returning id', body, id)

describe('a submission that cannot be filed', () => {
  test('is set aside and does not hold up those that were accepted with it', async t => {
    const service = await startApp(t)
    await Promise.all(Array.from({ length: 5 }, () => service.app.store.accept(anArrival())))
    damage(service, 3)
    await service.settle()
    deepEqual(
      (await service.app.store.listLeads({ limit: 10 })).map(lead => lead.id),
      [5, 4, 2, 1],
    )
    equal(service.sent.length, 8)
    deepEqual(
      tasksOf(service, 'file').map(task => task['state']),
      ['done'],
    )
    const [aside, ...others] = tasksOf(service, 'refile')
    equal(others.length, 0)
    deepEqual([aside?.['subject'], aside?.['state']], [3, 'due'])
    ok(Number(aside?.['due_at']) > service.clock.now())
    ok(Number(aside?.['due_at']) <= service.clock.now() + MINUTE)
    match(String(aside?.['note']), /the log says why/)
  })

  test('is tried again and again, later each time, and filed once it can be', async t => {
    const service = await startApp(t)
    await service.postStudent(aStudent({ email: 'ben@mail.example' }))
    const [before] = sqlRows(service, 'select body from submissions')
    damage(service, 1)
    await service.settle()
    for (let i = 0; i < 3; i++) {
      service.clock.advance(5 * MINUTE)
      await service.settle()
    }
    const [aside] = tasksOf(service, 'refile')
    equal(aside?.['attempts'], 3)
    ok(Number(aside?.['due_at']) >= service.clock.now() + 0.8 * 2 * MINUTE)
    equal((await service.app.store.countBacklog(service.clock.now())).unfiled, 1)

    damage(service, 1, String(before?.['body']))
    service.clock.advance(HOUR)
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 10 }))[0]?.email, 'ben@mail.example')
    deepEqual(
      tasksOf(service, 'refile').map(task => task['state']),
      ['done'],
    )
    equal(service.sent.length, 2)
  })

  test('is named in the log by its number, and by nothing it says', async t => {
    const service = await startApp(t)
    await service.postStudent(aStudent())
    damage(service, 1)
    await service.settle()
    service.clock.advance(HOUR)
    await service.settle()
    const log = service.log.join('')
    equal(log.match(/"submission":1,"msg":"a submission could not be filed"/g)?.length, 2)
    ok(!log.includes('canary'))
  })

  test('whose parts are of a wrong kind is set aside alike', async t => {
    const service = await startApp(t)
    await Promise.all(
      ['site', 'student'].map(kind => service.app.store.accept(anArrival({ kind: kind as never }))),
    )
    damage(service, 1, '{"email":7}')
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 10 })).length, 1)
    deepEqual(
      tasksOf(service, 'refile').map(task => task['subject']),
      [1],
    )
  })
})

describe('filing', () => {
  test('does everything that was accepted together, however much it is', async t => {
    const service = await startApp(t)
    await Promise.all(Array.from({ length: 90 }, () => service.app.store.accept(anArrival())))
    ok(tasksOf(service, 'file').length < 90)
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 1000 })).length, 90)
    equal(tasksOf(service, 'notify').length, 90)
    equal((await service.app.store.countBacklog(service.clock.now())).unfiled, 0)
  })

  test('of another process that crashed goes on after its lease, and tells the team once', async t => {
    const service = await startApp(t)
    const { store } = service.app
    await service.postStudent(aStudent())
    await service.postSite(aSite())
    const claim = { lane: 'filing', token: 'crashed', limit: 10 } as const
    equal((await store.claimTasks({ ...claim, now: service.clock.now() })).length, 2)
    await service.settle()
    deepEqual(await store.listLeads({ limit: 10 }), [])
    service.clock.advance(LEASE)
    await service.settle()
    await service.settle()
    equal((await store.listLeads({ limit: 10 })).length, 2)
    equal(service.sent.length, 3)
  })

  test('by two processes on one file tells the team once of each', async t => {
    const one = await startApp(t)
    const other = await startApp(t, { dataDir: one.dataDir, clock: one.clock })
    for (let i = 0; i < 20; i++) await (i % 2 ? one : other).postSite(aSite())
    await Promise.all([one.settle(), other.settle()])
    await Promise.all([one.settle(), other.settle()])
    const sent = [...one.sent, ...other.sent]
    equal(sent.length, 20)
    equal(new Set(sent.map(message => message.id)).size, 20)
    equal((await one.app.store.listLeads({ limit: 100 })).length, 20)
  })

  test('sends one receipt per address and day, and says of the others why not', async t => {
    const service = await startApp(t)
    const student = (email: string) => service.postStudent(aStudent({ email }))
    const receipts = () => service.sent.filter(({ to }) => /ben@/i.test(to.address)).length
    await student('ben@mail.example')
    await service.settle()
    service.clock.advance(23 * HOUR)
    await student('BEN@mail.example')
    await service.settle()
    equal(receipts(), 1)
    const [skipped] = await service.app.store.listMail({ state: 'skipped', limit: 10 })
    match(skipped?.note ?? '', /less than a day/)
    service.clock.advance(HOUR)
    await student('ben@mail.example')
    await service.settle()
    equal(receipts(), 2)
  })
})
