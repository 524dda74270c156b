import { doesNotMatch, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../../src/config/settings.ts'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { aForm } from '../support/form-details.ts'
import { readable } from '../support/forms.ts'
import { anArrival } from '../support/store.ts'

/** A Tuesday, 10:00 at the school. */
const TUESDAY = Date.parse('2026-11-17T15:00Z')

const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example', states: ['TX'] }

test('the report shows any week: who wrote in, who was reached, who has not been called, and what to do', async t => {
  const service = await startConsole(t, {
    clock: testClock(TUESDAY),
    settings: { admissions: { counselors: [maria] }, followUp: { student: [], site: [] } },
  })
  const { store } = service.app
  await service.postStudent(aStudent({ firstName: 'Ben', email: 'ben@mail.example', state: 'TX' }))
  await service.postStudent(aStudent({ firstName: 'Spam', email: 's@mail.example', state: 'TX' }))
  await service.postSite(aSite({ lastName: 'Ruiz' }, TUESDAY))
  await service.settle()
  service.clock.advance(20 * MINUTE)
  const act = (id: number, stage: string, closedReason: 'spam' | null) =>
    store.changeStage(id, { stage, closedReason, actor: 'maria', now: service.clock.now() })
  await act(1, 'contacted', null)
  await act(2, 'closed', 'spam')
  service.clock.advance(7 * DAY)
  while (await store.countLeads({ school: defaultSettings.school, limit: 50 }));

  const manager = await service.client('manager')
  const last = await manager.get('/report')
  equal(last.status, 200)
  match(last.text, /The week of November 16 to 22/)
  match(last.text, /1 student \(1 more than the week before\) and 1 site \(1 more/)
  match(
    readable(last.text),
    /Wrote in 2 2 more than the week before Reached 50% 1 of 2 Half within 20 min school hours Not called yet 1/,
  )
  match(last.text, /No one has tried to reach one person who wrote in\. Have someone call them\./)
  match(last.text, /<a href="\/leads\/3">Ana Ruiz<\/a><\/td><td>Mercy Hospital/)
  match(last.text, /<span class="cell-label">First wrote<\/span>/)
  match(
    last.text,
    /<a href="\/inbox\?since=2026-11-16&amp;until=2026-11-22&amp;stage=any&amp;counted=1&amp;who=maria">Maria Lopez/,
  )
  match(last.text, /<li>1 student reached<\/li>/)
  match(
    last.text,
    /inbox\?since=2026-11-16&amp;until=2026-11-22&amp;stage=any&amp;counted=1&amp;source=A\+friend">A friend</,
  )
  equal((await manager.get('/report?week=2026-11-22')).text.includes('November 16 to 22'), true)

  match(last.text, /Leads closed as spam, as a duplicate or as not a lead do not count\./)

  await service.postStudent(aStudent({ firstName: 'Ben', email: 'ben@mail.example', state: 'TX', message: 'Hello?' }))
  await service.settle()
  const now = await manager.get('/report?week=2099-01-01')
  match(readable(now.text), /They wrote back, and no one has answered.*Ben Okafor/)

  const before = await manager.get('/report?week=2026-11-10')
  match(before.text, /No one wrote in, as in the week before\./)
  doesNotMatch(before.text, /What to do first/)
  match((await manager.get('/report?week=2099-01-01')).text, /November 23 to 29, so far/)
  match((await manager.get('/report?week=nonsense')).text, /November 16 to 22/)

  const file = await manager.get('/report/week.csv?week=2026-11-16')
  match(file.headers.get('content-disposition') ?? '', /report-2026-11-16\.csv/)
  match(file.text, /^﻿?week,by,name,wrote in,not called yet,reached/)
  match(file.text, /2026-11-16,counselor,Maria Lopez,1,0,1,20,20,20,20/)
})

test('the report names who was promised a call that no one has recorded, the most overdue first', async t => {
  const service = await startConsole(t, {
    clock: testClock(TUESDAY),
    settings: { admissions: { counselors: [maria] }, followUp: { student: [], site: [] } },
  })
  const { store } = service.app
  for (const [index, [firstName, promised]] of Object.entries({ Ben: 2 * DAY, Zoe: DAY, Cleo: 9 * DAY }).entries()) {
    await service.postStudent(aStudent({ firstName, email: `${firstName.toLowerCase()}@mail.example` }))
    await service.settle()
    const by = { actor: 'maria', now: service.clock.now() }
    await store.changeStage(index + 1, { stage: 'contacted', closedReason: null, ...by })
    await store.planCallback(index + 1, { dueAt: TUESDAY + promised, words: '', moment: '', reminders: [], ...by })
  }
  service.clock.advance(7 * DAY)
  const { text } = await (await service.client('manager')).get('/report')
  const [overdue = ''] = /<section id="overdue">.*?<\/section>/s.exec(text) ?? []
  match(
    readable(overdue),
    /They were promised a call.*Zoe.*Promised for Wednesday, 10:00 AM.*Ben.*Promised for Thursday/,
  )
  doesNotMatch(overdue, /Cleo/, 'her call is not due yet')
})

test('the report counts every stage that a lead came to, and counts people who were imported or entered separately', async t => {
  const service = await startConsole(t, {
    clock: testClock(TUESDAY),
    settings: { admissions: { counselors: [maria] }, followUp: { student: [], site: [] } },
  })
  const { store } = service.app
  const enter = (email: string) =>
    store.accept(
      anArrival({
        email,
        receivedAt: service.clock.now(),
        body: JSON.stringify(aStudent({ email })),
        form: aForm({ placement: 'staff', entered: { by: 'maria', name: 'Maria', mayWrite: false, reached: false } }),
      }),
    )
  await service.postStudent(aStudent({ email: 'ben@mail.example' }))
  await service.postStudent(aStudent({ email: 'zoe@mail.example' }))
  await enter('fay@mail.example')
  await enter('gil@mail.example')
  await service.settle()
  // The first one is qualified in the same call.
  for (const [id, stage] of [
    [1, 'qualified'],
    [2, 'contacted'],
  ] as const)
    await store.changeStage(id, { stage, closedReason: null, actor: 'maria', now: service.clock.now() })
  while (await store.countLeads({ school: defaultSettings.school, limit: 50 }));
  service.clock.advance(7 * DAY)
  const manager = await service.client('manager')
  const { text } = await manager.get('/report')
  match(text, /2 students \(2 more than the week before\) and no sites/)
  match(text, /wrote in\. 2 people were imported or entered by hand, and are not counted here\./)
  match(readable(text), /Reached 100% 2 of 2 /)
  match(
    text,
    /A lead counts in each stage that it came to:<\/p><ul><li>2 students reached<\/li><li>1 student qualified/,
  )
  match(text, /No one has tried to reach 2 other people\./)
  doesNotMatch(text, /id="untried"/)
  match((await manager.get('/report?week=2026-11-24')).text, /No one wrote in; in the week before it was 2 people\./)
})

test('the report says that someone was reached within a minute, rather than within no time', async t => {
  // A Saturday, when the school is closed.
  const service = await startConsole(t, { clock: testClock(Date.parse('2026-11-14T15:00Z')) })
  await service.postStudent(aStudent())
  await service.settle()
  service.clock.advance(20 * MINUTE)
  const by = { actor: 'maria', now: service.clock.now() }
  await service.app.store.changeStage(1, { stage: 'contacted', closedReason: null, ...by })
  service.clock.advance(7 * DAY)
  const { text } = await (await service.client('manager')).get('/report?week=2026-11-14')
  match(readable(text), /Half within 1 min school hours/)
  doesNotMatch(text, /\b0 s\b/)
})

test('the report says that fewer than half were reached, when it is so', async t => {
  const service = await startConsole(t, {
    clock: testClock(TUESDAY),
    settings: { admissions: { counselors: [maria] } },
  })
  const { store } = service.app
  for (let n = 0; n < 5; n++) await service.postStudent(aStudent())
  await service.settle()
  service.clock.advance(20 * MINUTE)
  const reached = { stage: 'contacted', closedReason: null, actor: 'maria', now: service.clock.now() }
  for (const id of [1, 2]) await store.changeStage(id, reached)
  while (await store.countLeads({ school: defaultSettings.school, limit: 50 }));
  const { text } = await (await service.client('manager')).get('/report?week=2026-11-16')
  match(readable(text), /Reached 40% 2 of 5 Half within not yet school hours/)
})
