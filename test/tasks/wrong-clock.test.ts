import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { withoutFollowUp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, at, ben, MONDAY, readLead, type School, startSchool, stepsIn } from './school.ts'

/** As the running service does, which looks every few seconds. */
async function live(service: School, duration: number, every = MINUTE): Promise<void> {
  const end = service.clock.now() + duration
  while (service.clock.now() < end) {
    service.clock.advance(every)
    await service.settle()
  }
}

onEachEngine(engine => {
  test('messages deferred by a clock that was a day ahead are tried soon after it is set right', async t => {
    let away = true
    const service = await startSchool(t, {
      engine,
      mail: async () => {
        if (away) throw new Error('451 try later')
      },
    })
    service.clock.advance(DAY)
    await service.postStudent(ben())
    await service.settle()
    service.clock.advance(-DAY)
    away = false
    await service.settle()
    await live(service, 15 * MINUTE)
    const first = service.diary().filter(line => /notify|receipt/.test(line))
    equal(first.length, 2)
    for (const line of first) ok(at(line.slice(0, 11)) <= MONDAY + 15 * MINUTE, line)
  })

  test('a message whose delivery no one knows of keeps its Message-ID, and its five days, when the clock is set right', async t => {
    const ids = new Set<string>()
    const service = await startSchool(t, {
      engine,
      settings: { ...aSchool, ...withoutFollowUp },
      mail: async ({ id }) => {
        if (/^(notify|receipt)/.test(id)) ids.add(id)
        throw new Error('the connection was closed before the response came')
      },
    })
    service.clock.advance(400 * DAY)
    await service.postStudent(ben())
    await service.settle()
    service.clock.advance(-400 * DAY)
    await service.settle()
    await live(service, 6 * DAY, 12 * HOUR)
    equal(ids.size, 2)
    const mails = await service.app.store.listMail({ limit: 100 })
    deepEqual(
      mails.flatMap(({ kind, state }) => (/^(notify|receipt)$/.test(kind) ? `${kind} ${state}` : [])),
      ['receipt dead', 'notify dead'],
    )
  })

  test('a clock that is behind for a few minutes at the start changes nothing', async t => {
    const service = await startSchool(t, { engine })
    await service.postStudent(ben())
    await service.until(MONDAY + HOUR)
    service.clock.advance(-2 * DAY)
    await service.settle()
    await live(service, 5 * MINUTE)
    service.clock.advance(2 * DAY - 5 * MINUTE)
    await service.until(MONDAY + 3 * DAY)
    deepEqual(
      stepsIn(service.diary()).filter(line => line.includes('ben')),
      ['11-24 16:30 ben step.1.3', '11-26 16:30 ben step.1.4'],
    )
  })

  test('a callback planned by a clock that was a day ahead is told to each at their own moment', async t => {
    const service = await startSchool(t, { engine, settings: aSchool })
    const { store } = service.app
    await service.postStudent(ben())
    await service.settle()
    service.clock.advance(DAY)
    const dueAt = at('11-25 17:00')
    const reminders = [dueAt, at('11-25 17:15'), at('11-25 18:00')]
    const now = service.clock.now()
    await store.planCallback(1, { dueAt, reminders, words: '', moment: 'Wednesday', actor: 'maria', now })
    service.clock.advance(-DAY)
    await service.settle()
    await live(service, 15 * MINUTE)
    await service.until('11-25 18:01')
    deepEqual(
      service.diary().filter(line => line.includes('news')),
      ['11-25 17:00 maria news.5.0', '11-25 17:15 sam news.5.1', '11-25 18:00 dana news.5.2'],
    )
  })

  test('a follow-up that began when the clock was a year ahead takes its course', async t => {
    const service = await startSchool(t, { engine })
    service.clock.advance(400 * DAY)
    await service.postStudent(ben())
    await service.settle()
    await live(service, 7 * MINUTE)
    await service.call()
    service.clock.advance(-400 * DAY)
    await service.settle()
    await live(service, 15 * MINUTE)
    await service.until(MONDAY + 30 * DAY)
    equal((await service.steps()).at(-1), '6 done')
    equal((await readLead(service)).lead.stage, 'closed')
  })

  test('the team that was reminded in the place of a counselor is not reminded again when the clock is set right', async t => {
    const service = await startSchool(t, { engine })
    await service.postStudent(ben())
    await service.settle()
    const away = { firstDay: '2026-11-16', lastDay: '2026-11-23' }
    for (const counselor of ['maria', 'sam']) await service.app.store.addAbsence({ counselor, ...away })
    await service.until(MONDAY + 6 * MINUTE)
    service.clock.advance(-7 * DAY)
    await service.settle()
    await live(service, 90 * MINUTE)
    deepEqual(
      stepsIn(service.diary())
        .filter(line => !line.includes('ben'))
        .map(line => line.slice(12)),
      ['dana step.1.2', 'admissions step.1.0'],
    )
    match((await service.steps())[1] ?? '', /^1 skipped they have been reminded in place of/)
  })
})
