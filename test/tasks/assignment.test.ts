import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HOUR } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, at, ben, counselors, MONDAY, type School, startSchool } from './school.ts'

/** The counselor of each lead, oldest first, with the reason from its timeline. */
async function assignments({ app: { store } }: School): Promise<string[]> {
  const leads = (await store.listLeads({ limit: 200 })).sort((one, other) => one.id - other.id)
  const found = await Promise.all(leads.map(({ id }) => store.readLead(id)))
  return found.map(lead => {
    const entries = lead?.timeline.filter(({ kind }) => kind === 'assigned') ?? []
    ok(entries.every(({ actor }) => actor === null))
    return entries.map(({ detail }) => detail).join()
  })
}

const schoolWith = (...counselors: NonNullable<typeof aSchool.admissions>['counselors'] & object) => ({
  ...aSchool,
  admissions: { counselors },
})

const [maria, sam] = counselors as [(typeof counselors)[0], (typeof counselors)[0]]

onEachEngine(engine => {
  describe('a new student is assigned', () => {
    test('to the counselor of the state, even when others are next in turn', async t => {
      const service = await startSchool(t, { engine })
      for (const state of ['TX', 'Texas', 'OH']) await service.postStudent(aStudent({ state }))
      await service.settle()
      deepEqual(await assignments(service), ['maria: territory TX', 'maria: territory TX', 'maria: next in turn'])
      const told = service.sent.filter(({ id }) => id.startsWith('notify'))
      deepEqual(new Set(told.map(({ to }) => to.address)), new Set(['maria@school.example']))
    })

    test('to counselors by their weights, to within one turn, however many file at once', async t => {
      const weights = { ann: 3, bob: 2, cid: 1, dan: 0 }
      const settings = schoolWith(...Object.entries(weights).map(([id, weight]) => ({ ...sam, id, weight })))
      const one = await startSchool(t, { engine, settings })
      const { database, dataDir, clock } = one
      const other = await startSchool(t, { database, dataDir, clock, settings })
      const count = new Map<string, number>()
      for (let round = 1; round <= 4; round++) {
        const posts = Array.from({ length: 15 }, (_, i) => (i % 2 ? one : other).postStudent(aStudent({ state: 'OH' })))
        for (const { status } of await Promise.all(posts)) equal(status, 200)
        await Promise.all([one.settle(), other.settle(), one.settle(), other.settle()])
        count.clear()
        for (const text of await assignments(one)) {
          const [id = ''] = text.split(':')
          count.set(id, (count.get(id) ?? 0) + 1)
        }
        for (const [id, weight] of Object.entries(weights)) {
          const share = (round * 15 * weight) / 6
          ok(Math.abs((count.get(id) ?? 0) - share) <= 1, `${id}: ${count.get(id)} of ${share}`)
        }
      }
      equal(one.log.join('').match(/could not be filed|a task failed/g), null)
      equal(other.log.join('').match(/could not be filed|a task failed/g), null)
    })

    test('to no one who is away, by the settings or by the table', async t => {
      const absent = [{ from: '2026-11-20', to: '2026-11-23' }]
      const settings = schoolWith({ ...maria, absent }, sam)
      const service = await startSchool(t, { engine, settings })
      const { store } = service.app
      await service.postStudent(ben())
      await service.settle()
      const tuesday = { firstDay: '2026-11-24', lastDay: '2026-11-24' }
      await store.addAbsence({ counselor: 'sam', ...tuesday })
      // Still Monday at the school, where it is half past ten in the evening.
      service.downUntil('11-24 03:30')
      await service.postStudent(aStudent())
      await service.settle()
      service.downUntil('11-24 15:00')
      for (const state of ['TX', 'OH']) await service.postStudent(aStudent({ state }))
      await service.settle()
      deepEqual(await assignments(service), [
        'sam: next in turn',
        'sam: next in turn',
        'maria: territory TX',
        'maria: next in turn',
      ])
    })

    test('to the team, which is notified, when no one is available; the timeline says so', async t => {
      const service = await startSchool(t, { engine })
      for (const { id } of counselors) {
        const days = { firstDay: '2026-11-23', lastDay: '2026-11-23' }
        await service.app.store.addAbsence({ counselor: id, ...days })
      }
      await service.postStudent(ben())
      await service.settle()
      deepEqual(await assignments(service), ['the team: no counselor is available'])
      deepEqual(service.diary(), ['11-23 16:30 admissions notify.1.0', '11-23 16:30 ben receipt.1.0'])
      equal((await service.app.store.listLeads({ limit: 1 }))[0]?.owner, null)
    })

    test('to the counselor of their earlier lead, unless that one is away or gone', async t => {
      const service = await startSchool(t, { engine })
      const { store } = service.app
      const close = { stage: 'closed', closedReason: 'not interested', actor: null } as const
      await service.postStudent(ben())
      await service.settle()
      await store.assignLead(1, { owner: 'sam', actor: null, now: MONDAY })
      await store.changeStage(1, { ...close, now: MONDAY })
      await service.postStudent(ben({ email: 'BEN@mail.example' }))
      await service.settle()
      await store.changeStage(2, { ...close, now: MONDAY })
      const today = { firstDay: '2026-11-23', lastDay: '2026-11-23' }
      const absence = await store.addAbsence({ counselor: 'sam', ...today })
      await service.postStudent(ben())
      await service.settle()
      await store.changeStage(3, { ...close, now: MONDAY })
      equal(await store.removeAbsence(absence), true)
      await store.assignLead(3, { owner: 'who-has-left', actor: null, now: MONDAY })
      await service.postStudent(ben())
      await service.settle()
      const reasons = await assignments(service)
      deepEqual(
        [reasons[0], reasons[1], reasons[2]?.split(',')[0], reasons[3]],
        ['maria: territory TX,sam', 'sam: looked after them before', 'maria: territory TX', 'maria: territory TX'],
      )
    })
  })

  describe('the counselor of a lead', () => {
    test('gets no email once removed from the settings: the team does', async t => {
      const one = await startSchool(t, { engine })
      await one.postStudent(ben())
      await one.settle()
      await one.close()
      const { database, dataDir, clock } = one
      const other = await startSchool(t, { database, dataDir, clock, settings: schoolWith(sam) })
      await other.until(MONDAY + 2 * HOUR)
      deepEqual(other.diary(), ['11-23 16:35 admissions step.1.0', '11-23 17:30 admissions step.1.2'])
    })

    test('stays when the person writes again, even if another is next in turn', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben({ state: 'OH' }))
      await service.settle()
      service.downUntil(at('11-24 16:00'))
      await service.postStudent(ben({ state: 'OH', message: 'And on weekends?' }))
      await service.settle()
      deepEqual(await assignments(service), ['maria: next in turn'])
      const told = service.sent.filter(({ id }) => id.startsWith('notify'))
      deepEqual(
        told.map(({ to }) => to.address),
        ['maria@school.example', 'maria@school.example'],
      )
    })
  })
})
