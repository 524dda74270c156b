import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { testClock } from '../support/clock.ts'
import { onEachEngine } from '../support/engines.ts'
import { at, benInEitherZone as ben, isLetter, MONDAY, readLead, type School, startSchool, stepsIn } from './school.ts'

onEachEngine(engine => {
  test('after an outage longer than the cadence, no lead is closed before the staff is notified', async t => {
    const service = await startSchool(t, { engine })
    await service.postStudent(ben())
    await service.settle()
    service.downUntil(MONDAY + 15 * DAY)
    await service.settle()
    equal((await readLead(service)).lead.stage, 'new')
  })

  test('a lead that is filed late is not closed at once', async t => {
    const service = await startSchool(t, { engine })
    await service.postStudent(ben())
    service.downUntil(MONDAY + 15 * DAY)
    await service.settle()
    equal((await readLead(service)).lead.stage, 'new')
  })

  describe('a late message', () => {
    test('after an outage, a reminder lets the notification of its lead go first', async t => {
      let away = true
      const service = await startSchool(t, {
        engine,
        mail: async () => {
          if (away) throw new Error('connect ECONNREFUSED')
        },
      })
      await service.postStudent(ben())
      await service.until('11-23 18:00')
      away = false
      await service.until('11-23 22:00')
      const first = service.diary().filter(line => / maria /.test(line))
      match(first[0] ?? '', / maria notify/)
      match(first[1] ?? '', / maria step/)
    })

    test('does not come in a burst: one email at once, the others at their distances', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + 2 * HOUR)
      await service.call()
      service.downUntil(MONDAY + 4 * DAY)
      await service.until(MONDAY + 30 * DAY)
      deepEqual(stepsIn(service.diary()).slice(3), [
        '11-27 16:30 ben step.1.3',
        '11-29 16:30 ben step.1.4',
        '12-03 16:30 ben step.1.5',
      ])
      // A week after the last email, as planned.
      equal((await readLead(service)).lead.updatedAt, MONDAY + 17 * DAY)
    })

    test('keeps the order and the distances of the reminders, too', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      service.downUntil(MONDAY + 2 * HOUR)
      await service.until(MONDAY + 6 * HOUR)
      deepEqual(stepsIn(service.diary()), [
        '11-23 18:30 maria step.1.0',
        '11-23 18:40 sam step.1.1',
        '11-23 19:25 dana step.1.2',
      ])
    })

    test('waits for the morning', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + 2 * HOUR)
      // 2:00 at night in Dallas.
      service.downUntil('11-25 08:00')
      await service.until('11-25 15:59')
      equal(stepsIn(service.diary()).length, 3)
      equal((await service.steps())[3], '3 due waits for the hours of the student')
      await service.until('11-25 17:00')
      deepEqual(stepsIn(service.diary()).slice(3), ['11-25 16:00 ben step.1.3'])
    })

    test('to the staff waits until the school is open, and calling hours have begun where the student lives', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      service.downUntil('11-24 02:00')
      // The school opens at 14:00. In the west of Texas, it is 9:00 at 16:00.
      await service.until('11-24 17:30')
      const toStaff = stepsIn(service.diary()).filter(line => !line.includes(' ben '))
      deepEqual(toStaff, ['11-24 16:00 maria step.1.0', '11-24 16:10 sam step.1.1', '11-24 16:55 dana step.1.2'])
    })

    test('that is a receipt waits for the morning, while a prompt one comes at any hour', async t => {
      let away = true
      const service = await startSchool(t, {
        engine,
        clock: testClock(at('11-24 05:30')),
        mail: async ({ id }) => {
          if (away && id.startsWith('receipt')) throw new Error('421 try later')
        },
      })
      await service.postStudent(ben())
      await service.postStudent(ben({ email: 'zoe@mail.example' }))
      await service.until('11-24 06:05')
      away = false
      await service.postStudent(ben({ email: 'eve@mail.example' }))
      await service.until('11-24 15:59')
      const receipts = () => service.diary().filter(line => line.includes('receipt'))
      deepEqual(receipts(), ['11-24 06:05 eve receipt.3.0'])
      await service.until('11-24 17:00')
      deepEqual(receipts().slice(1), ['11-24 16:00 ben receipt.1.0', '11-24 16:00 zoe receipt.2.0'])
    })

    test('that is a receipt is late by when the person wrote, not by when that was filed', async t => {
      const service = await startSchool(t, { engine, clock: testClock(at('11-24 05:30')) })
      await service.postStudent(ben())
      service.downUntil('11-24 06:30')
      await service.until('11-24 15:59')
      const receipts = () => service.diary().filter(line => line.includes('receipt'))
      deepEqual(receipts(), [])
      await service.until('11-24 17:00')
      deepEqual(receipts(), ['11-24 16:00 ben receipt.1.0'])
    })
  })

  describe('an email that the server rejects temporarily', () => {
    test('is retried, but only by day, and the next waits for it', async t => {
      let away = true
      const tries: number[] = []
      const service: School = await startSchool(t, {
        engine,
        mail: async message => {
          if (!isLetter(message)) return
          tries.push(service.clock.now())
          if (away) throw new Error('421 try later')
        },
      })
      await service.postStudent(ben())
      await service.until(MONDAY + 3.5 * DAY)
      away = false
      await service.until(MONDAY + 30 * DAY)
      ok(tries.length > 10)
      for (const time of tries) {
        const hour = new Date(time).getUTCHours()
        ok(hour >= 16 || hour < 2, `${hour}:00 UTC`)
      }
      const letters = stepsIn(service.diary()).slice(3)
      deepEqual(
        letters.map(line => line.slice(12)),
        ['ben step.1.3', 'ben step.1.4', 'ben step.1.5'],
      )
      const [first = 0, second = 0, third = 0] = letters.map(line => at(line.slice(0, 11)))
      ok(first >= MONDAY + 3.5 * DAY && first <= MONDAY + 4 * DAY)
      ok(second - first >= 2 * DAY - MINUTE && second - first < 3 * DAY)
      ok(third - second >= 4 * DAY - MINUTE && third - second < 5 * DAY)
      equal(new Set(service.sent.filter(isLetter).map(({ id }) => id)).size, 3)
    })

    test('is given up after five days of attempts, and the next is sent', async t => {
      const service = await startSchool(t, {
        engine,
        mail: async message => {
          if (message.id.startsWith('step.1.3')) throw new Error('421 try later')
        },
      })
      await service.postStudent(ben())
      await service.until(MONDAY + 30 * DAY)
      deepEqual((await service.steps()).slice(3), ['3 dead 421 try later', '4 done', '5 done', '6 done'])
      const backlog = await service.app.store.countBacklog(service.clock.now())
      deepEqual([backlog.mailFailedToStudents, backlog.mailFailedToStaff], [1, 0])
    })
  })
})
