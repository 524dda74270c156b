/** The calendar of absences. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { addDays } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, counselors } from '../tasks/school.ts'

test('an absence says how many leads of the person are open, and how many no one has tried to reach', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  await service.postStudent(aStudent())
  await service.settle()
  const manager = await service.client('manager')
  await manager.post('/team/absences', { counselor: 'maria', from: '2027-12-24', to: '' })
  const { text } = await manager.get('/team/absences')
  match(text, /<a href="\/inbox\?who=maria">1 open lead<\/a>, 1 not called yet/)
})

test('the weeks of the calendar begin as they do in the country of the school', async t => {
  const calendarOf = async (country: string) => {
    const service = await startConsole(t, { settings: { ...aSchool, school: { country } } })
    const manager = await service.client('manager')
    const { text } = await manager.get('/team/absences?month=2026-11')
    const [, head = '', body = ''] = /<thead>(.*?)<\/thead>\s*<tbody>(.*?)<\/tr>/s.exec(text) ?? []
    const texts = (row: string) => [...row.matchAll(/>(\w*)<\/(?:abbr|td)>/g)].map(([, one]) => one)
    return [texts(head).join(' '), texts(body).join(' ')]
  }
  // November 1, 2026 is a Sunday.
  deepEqual(await calendarOf('US'), ['Su Mo Tu We Th Fr Sa', '1 2 3 4 5 6 7'])
  deepEqual(await calendarOf('DE'), ['Mo Tu We Th Fr Sa Su', '      1'])
})

onEachEngine(engine => {
  test('shows absences from everywhere, says where each is changed, and adds and removes them', async t => {
    const [maria, sam] = counselors
    const absent = [{ from: '2026-12-21', to: '2026-12-24' }]
    const admissions = { ...aSchool.admissions, counselors: [{ ...maria, absent }, sam] }
    const service = await startConsole(t, {
      engine,
      edits: true,
      settings: { ...aSchool, admissions } as typeof aSchool,
    })
    const { store } = service.app
    await store.addAbsence({ counselor: 'sam', firstDay: '2026-11-30', lastDay: '2026-12-01' })
    const manager = await service.client('manager', { name: 'Ana Ruiz' })
    const before = await manager.get('/team/absences')
    match(
      before.text,
      /Maria Example<\/strong>, December 21 to December 24<br><span[^>]*>notifications and reminders go to Sam Example; in the settings file<\/span><\/span><\/li>/,
    )
    match(
      before.text,
      /Sam Example<\/strong>, November 30 to December 1<br><span[^>]*>notifications and reminders go to the team; from the command line</,
    )
    match(
      before.text,
      /December 21 to December 24:<\/strong> Everyone who has Texas is away: students from there go to others in turn/,
    )
    const wrong = await manager.post('/team/absences', { counselor: 'sam', from: '2026-12-24', to: '2026-12-20' })
    match(wrong.text, /The last day must not be before the first/)
    equal(wrong.status, 422)
    const added = await manager.post('/team/absences', { counselor: 'sam', from: '2026-12-24', to: '' })
    match(
      added.text,
      /Sam Example is away December 24: notifications and reminders go to the team\. No email says so in advance/,
    )
    match(added.text, /December 24:<\/strong> Everyone is away: new students go to the team/)
    match(added.text, /notifications and reminders go to Sam Example, and to the team while they are away, too/)
    match(added.text, /recorded by Ana Ruiz/)
    const [, theirs] = await store.listAbsences('2026-11-21')
    await manager.post('/team/absences/remove', { id: String(theirs?.id) })
    const long = await manager.post('/team/absences', { counselor: 'sam', from: '2026-11-20', to: '2028-11-10' })
    match(long.text, /Sam Example is away November 20 to November 10, 2028: /)
    match((await manager.get('/team')).text, /Away<\/span> <span class="small">until November 10, 2028</)
    const [longest] = await store.listAbsences('2028-11-10')
    await manager.post('/team/absences/remove', { id: String(longest?.id) })
    deepEqual(
      (await store.listAbsences('2026-11-21')).map(({ firstDay }) => firstDay),
      ['2026-11-30'],
    )

    // Once the team is edited here, what came from the settings file is removed here, too.
    await manager.post('/team/manager', { version: '0', name: 'Tom', email: 'tom@school.example' })
    const span = { counselor: 'maria', from: '2026-12-21', to: '2026-12-24' }
    const removed = await manager.post('/team/absences/remove', { version: '1', id: '', ...span })
    match(removed.text, /The absence is removed/)
    doesNotMatch(removed.text, /December 21/)
  })

  test('a counselor says when they are away, sees who gets their messages, and takes it back', async t => {
    const service = await startConsole(t, { engine, settings: aSchool })
    const { store } = service.app
    const theirs = await store.addAbsence({ counselor: 'sam', firstDay: '2026-12-20', lastDay: '2026-12-23' })
    const maria = await service.client('counselor', counselors[0])
    match((await maria.get('/account')).text, /No absence is recorded\./)
    const wrong = await maria.post('/account/absences', { from: '2026-12-24', to: '2026-12-20' })
    equal(wrong.status, 422)
    match(wrong.text, /The last day must not be before the first/)
    const { text } = await maria.post('/account/absences', { counselor: 'sam', from: '2026-12-22', to: '2026-12-24' })
    match(
      text,
      /You are away December 22 to December 24: notifications and reminders go to Sam Example, and to the team while/,
    )
    match((await maria.get('/account')).text, /You are away December 22 to December 24\./)
    const manager = await service.client('manager')
    match((await manager.get('/team/absences')).text, /Maria Example<\/strong>, December 22 to December 24/)

    equal((await maria.post('/account/absences/remove', { id: String(theirs) })).status, 404)
    const own = (await store.listAbsences('2026-11-21')).find(({ counselor }) => counselor === 'maria')
    match((await maria.post('/account/absences/remove', { id: String(own?.id) })).text, /The absence is removed/)
    deepEqual(
      (await store.listAbsences('2026-11-21')).map(({ id }) => id),
      [theirs],
    )
  })

  test('a manager says when they are away, and sees that the team gets their messages', async t => {
    const service = await startConsole(t, { engine, settings: aSchool })
    const dana = await service.client('manager', { email: 'dana@school.example', name: 'Dana Example' })
    match((await dana.get('/account')).text, /No absence is recorded\..*the team gets your warnings/)
    const { text } = await dana.post('/account/absences', { from: '2026-12-22', to: '2026-12-24' })
    match(text, /You are away December 22 to December 24: warnings, reminders and lists go to the team\./)
    const { store } = service.app
    deepEqual(
      (await store.listAbsences('2026-01-01')).map(({ counselor }) => counselor),
      ['manager'],
    )
    const calendar = (await dana.get('/team/absences?month=2026-12')).text
    match(
      calendar,
      /Dana Example<\/strong>, December 22 to December 24<br><span[^>]*>warnings, reminders and lists go to/,
    )
    equal(calendar.match(/title="Dana Example"/g)?.length, 3)
    const other = { counselor: 'manager', from: '2026-12-30' }
    match((await dana.post('/team/absences', other)).text, /Dana Example is away December 30: warnings/)
  })

  test('the same absence counts once, none lasts for good, and no one can record absences without end', async t => {
    const service = await startConsole(t, { engine, settings: aSchool })
    const { store } = service.app
    const maria = await service.client('counselor', counselors[0])
    const recorded = async () => (await store.listAbsences('2026-01-01')).length
    for (const _ of [1, 2])
      match((await maria.post('/account/absences', { from: '2026-12-24' })).text, /You are away December 24:/)
    equal(await recorded(), 1)
    const forGood = await maria.post('/account/absences', { from: '2026-12-24', to: '2062-12-24' })
    equal(forGood.status, 422)
    match(forGood.text, /The last day must be within two years from today/)
    for (let day = 1; day <= 60; day++) {
      const from = addDays('2027-01-01', day)
      await maria.post('/account/absences', { from })
    }
    equal(await recorded(), 50)
    const more = await maria.post('/account/absences', { from: '2027-06-01' })
    equal(more.status, 422)
    match(more.text, /Maria Example has 50 absences that are not over\. Remove one, or record several as one/)
    const manager = await service.client('manager')
    equal((await manager.post('/team/absences', { counselor: 'sam', from: '2027-06-01' })).status, 200)
  })

  test('someone who is not on the team has no absences', async t => {
    const service = await startConsole(t, { engine, settings: aSchool })
    const other = await service.client('counselor', { email: 'new@school.example' })
    doesNotMatch((await other.get('/account')).text, /When you are away/)
    match((await other.get('/account/absences')).text, /You are not on the team/)
    equal((await other.post('/account/absences', { from: '2026-12-24' })).status, 422)
    deepEqual(await service.app.store.listAbsences('2026-01-01'), [])
  })
})
