/** Insight: what a manager reads, in which range, and as CSV. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { defaultSettings } from '../../src/config/settings.ts'
import { numberTable } from '../../src/console/frame/number-table.ts'
import { scaleFor } from '../../src/console/insight/charts.ts'
import { readRange } from '../../src/console/insight/range.ts'
import { HOUR } from '../../src/platform/time.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { aForm } from '../support/form-details.ts'
import { readable } from '../support/forms.ts'
import { anArrival } from '../support/store.ts'

const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }

/** A school where one of two students from Facebook enrolled, and a site wrote in. */
async function aSchool(t: TestContext, engine: 'sqlite' | 'postgres' = 'sqlite') {
  const service = await startConsole(t, { engine, settings: { admissions: { counselors: [maria] } } })
  const { store } = service.app
  const { clock } = service
  const from = (email: string, source: string) => {
    const said = { rank: 3, text: '3 - A friend' }
    const { idempotencyKey: _, ...body } = aStudent({ email, source: said })
    const form = aForm({ campaign: { source } })
    return store.accept(anArrival({ email, form, receivedAt: clock.now(), body: JSON.stringify(body) }))
  }
  await from('ana@mail.example', 'Facebook')
  await from('ben@mail.example', 'Facebook')
  await from('eve@mail.example', '=cmd()')
  await service.postSite(aSite({}, clock.now()))
  await service.settle()
  const stages = async () => {
    clock.advance(3 * HOUR)
    for (const stage of ['contacted', 'qualified', 'applied', 'enrolled'])
      await store.changeStage(1, { stage, closedReason: null, actor: 'maria', now: clock.now() })
  }
  const count = async () => {
    while (await store.countLeads({ school: defaultSettings.school, limit: 50 }));
  }
  return { ...service, store, clock, stages, count }
}

onEachEngine(engine => {
  test('insight says who wrote in, how fast they were reached, how far they came and from where', async t => {
    const { client, stages, count } = await aSchool(t, engine)
    const manager = await client('manager')
    match(readable((await manager.get('/insight')).text), /No one wrote in Choose other days/)
    await stages()
    await count()
    const text = readable((await manager.get('/insight?range=7')).text)
    match(text, /November 15, 2026 to November 21, 2026: students and sites/)
    match(text, /Wrote in 4 Reached 1 25%/)
    match(text, /School hours 1 25% 0 0% 0 0% 0 0% 0 0% 3 75% – 1 min/)
    match(text, /All hours 0 0% 0 0% 1 25% 0 0% 0 0% 3 75% – 3 h/)
    match(text, /Half within not yet school hours/)
    match(text, /facebook brought the most students who enrolled and active sites: 1, which is 50%/)
    match(text, /facebook 2 1 50% 1 50% 1 50% 1 50%/)
    match(text, /those who enrolled said A friend most often: 1 of 1\./)
    match(text, /A friend 3 1 33% 1 33% 1 33% 1 33%/)
    match(text, /Maria Lopez 3 1 33% 1 33%/)
    doesNotMatch(text, /still being counted/)
    const sites = readable((await manager.get('/insight?range=7&kind=site')).text)
    match(sites, /Wrote in 1 Reached 0 0%/)
    match(sites, /There are no active sites yet/)
  })
})

describe('insight', () => {
  test('calls a form by its title, and beside it by its name, as the CSV does', async t => {
    const { client, store, clock, settle, count } = await aSchool(t)
    for (const [email, name] of [
      ['fay@mail.example', 'student-interest'],
      ['gus@mail.example', 'removed-since'],
    ] as const) {
      const body = JSON.stringify(aStudent({ email }))
      await store.accept(anArrival({ email, form: aForm({ name }), receivedAt: clock.now(), body }))
    }
    await settle()
    await count()
    const manager = await client('manager')
    const { text } = await manager.get('/insight?range=7')
    match(text, /form=student-interest">Ask about our programs<\/a> <span class="quiet small">student-interest</)
    match(text, /form=removed-since">removed-since<\/a><\/th>/)
    match((await manager.get('/insight/form.csv?range=7')).text, /^student-interest,1,/m)
    const inbox = (await manager.get('/inbox?form=student-interest')).text
    match(inbox, /<option value="student-interest" selected>Ask about our programs \(student-interest\)</)
    match(readable(inbox), /form: Ask about our programs/)
  })

  test('shows people who were imported or entered by hand separately, and no rate counts them', async t => {
    const { client, store, clock, settle, count } = await aSchool(t)
    const entered = { by: 'maria', name: 'Maria', mayWrite: false, reached: false }
    const form = aForm({ entered, placement: 'staff', campaign: { source: 'Fair Austin' } })
    const email = 'fay@mail.example'
    await store.accept(anArrival({ email, form, receivedAt: clock.now(), body: JSON.stringify(aStudent({ email })) }))
    await settle()
    await count()
    const manager = await client('manager')
    const { text } = await manager.get('/insight?range=7')
    match(readable(text), /Wrote in 4 Reached 0 0%/)
    const jumps = [...text.matchAll(/<li><a href="#([a-z-]+)">/g)].map(([, id]) => id)
    deepEqual(jumps, ['per-period', 'times', 'stages', 'sources', 'entered', 'emails'])
    for (const id of jumps) match(text, new RegExp(`<section class="panel" id="${id}">`))
    match(readable(text), /Imported 1 or entered by hand, not counted /)
    match(readable(text), /These people did not write in.* fair austin 1 0 0%/)
    doesNotMatch(text, /4: see these leads/)
    const file = (await manager.get('/insight/entered.csv?range=7')).text
    match(file, /^\W?Came from,Imported or entered,Reached/)
    match(file, /fair austin,1,0/)
  })

  test('names all sources that brought equally many leads, and says for how many the source is not known', async t => {
    const { client, store, clock, settle, count } = await aSchool(t)
    const enroll = (email: string, source?: string) =>
      store.accept(
        anArrival({
          email,
          receivedAt: clock.now(),
          body: JSON.stringify(aStudent({ email })),
          ...(source && { form: aForm({ campaign: { source } }) }),
        }),
      )
    await enroll('gil@mail.example', 'Google')
    await enroll('hal@mail.example')
    await settle()
    const stage = { stage: 'enrolled', closedReason: null, actor: 'maria', now: clock.now() }
    for (const email of ['ana', 'gil', 'hal']) {
      const [lead] = await store.findLeadsOf(`${email}@mail.example`)
      await store.changeStage(lead?.id ?? 0, stage)
    }
    await count()
    const text = readable((await (await client('manager')).get('/insight?kind=student')).text)
    match(
      text,
      /Of the 3 students who enrolled, the source of 1 is not known\. Of the others, facebook and google brought the most: 1 each\./,
    )
  })

  test('says what does not count, and who was not reached because their lead was closed first', async t => {
    const { client, stages, count, store, clock } = await aSchool(t)
    await stages()
    await store.changeStage(2, { stage: 'closed', closedReason: 'not interested', actor: 'maria', now: clock.now() })
    await count()
    const text = readable((await (await client('manager')).get('/insight?range=7')).text)
    match(text, /Leads closed as spam, as a duplicate or as not a lead do not count\./)
    match(text, /“Not reached” includes 1 whose lead was closed first\./)
  })

  test('leads from its numbers to the leads behind them, without those that do not count', async t => {
    const { client, stages, count, store, clock, postStudent, settle } = await aSchool(t)
    await stages()
    await postStudent(aStudent({ firstName: 'Spam' }))
    await settle()
    await store.changeStage(5, { stage: 'closed', closedReason: 'spam', actor: 'maria', now: clock.now() })
    await count()
    const manager = await client('manager')
    const { text } = await manager.get('/insight?range=7&kind=student')
    const behind = async (words: RegExp) => {
      const [, path = '', n] = words.exec(text) ?? []
      const list = await manager.get(path.replaceAll('&amp;', '&'))
      return [n, /[0-9]+ leads?/.exec(readable(list.text))?.[0]]
    }
    deepEqual(await behind(/<dt>Wrote in<.*?href="(.*?)".*?>(\d+)</), ['3', '3 leads'])
    deepEqual(await behind(/<dt>Not reached yet<.*?href="(.*?)".*?>(\d+)</), ['2', '2 leads'])
    deepEqual(await behind(/Maria Lopez<[\s\S]*?href="(.*?)".*?>(\d+)</), ['2', '2 leads'])
    const friend = /href="([^"]*)">A friend<\/a><\/th><td class="number" data-label="Wrote in">(\d+)</
    deepEqual(await behind(friend), ['3', '3 leads'])
  })

  test('can be downloaded as CSV, without formulas', async t => {
    const { client, stages, count } = await aSchool(t)
    await stages()
    await count()
    const viewer = await client('viewer')
    const lines = async (table: string) =>
      (await viewer.get(`/insight/${table}.csv?range=7&kind=student`)).text.replace('\ufeff', '').trim().split('\n')
    deepEqual(await lines('days'), ['Day,Kind,Wrote in', '2026-11-21,student,3'])
    deepEqual(await lines('stages'), [
      'Kind,Stage,Leads',
      'student,Wrote in,3',
      'student,Reached,1',
      'student,Qualified,1',
      'student,Applied,1',
      'student,Enrolled,1',
    ])
    const [head, ...sources] = await lines('source')
    match(head ?? '', /^Came from,Wrote in,Reached,.*school hours/)
    match(sources[0] ?? '', /^facebook,2,1,1,1,1,1,0,/)
    match(sources[1] ?? '', /^'=cmd\(\),1,0,/)
    for (const table of ['times', 'campaign', 'heard', 'state', 'counselor'])
      equal((await lines(table)).length > 1, true, table)
    equal((await viewer.get('/insight/nothing.csv')).status, 404)
  })

  test('is not for counselors, and not in their menu', async t => {
    const { client } = await aSchool(t)
    const counselor = await client('counselor', { email: maria.email, name: maria.name })
    equal((await counselor.get('/insight')).status, 403)
    equal((await counselor.get('/insight/days.csv')).status, 403)
    doesNotMatch((await counselor.get('/inbox')).text, /href="\/insight"/)
  })

  test('says when it lags', async t => {
    const { client, count, clock, store } = await aSchool(t)
    const manager = await client('manager')
    await count()
    await store.addNote(1, { text: 'x', actor: 'maria', now: clock.now() })
    await store.assignLead(1, { owner: 'sam', actor: 'maria', now: clock.now() })
    const page = async () => readable((await manager.get('/insight')).text)
    doesNotMatch(await page(), /still being counted/)
    clock.advance(HOUR)
    match(await page(), /As of Saturday, November 21, 2026 at 3:00 PM EST: what has changed since/)
    await count()
    doesNotMatch(await page(), /still being counted/)
  })

  test('shows weeks and months where days would be too narrow', async t => {
    const { client, count } = await aSchool(t)
    await count()
    const manager = await client('manager')
    const heading = async (query: string) => /Wrote in per \w+/.exec((await manager.get(`/insight?${query}`)).text)?.[0]
    equal(await heading('range=90'), 'Wrote in per day')
    equal(await heading('range=year'), 'Wrote in per week')
    equal(await heading('since=2020-01-01&until=2026-12-31'), 'Wrote in per month')
  })
})

describe('the range of insight', () => {
  const today = '2026-11-21'
  const range = (query: Record<string, string>) => {
    const { from, to, name } = readRange(query, today)
    return [name, from, to]
  }

  test('has names, and accepts two days in any order', () => {
    deepEqual(range({}), ['30', '2026-10-23', today])
    deepEqual(range({ range: '7' }), ['7', '2026-11-15', today])
    deepEqual(range({ range: 'year' }), ['year', '2026-01-01', today])
    const days = { since: '2026-02-03', until: '2026-02-01' }
    deepEqual(range(days), [undefined, '2026-02-01', '2026-02-03'])
    deepEqual(range({ since: '2026-11-20' }), [undefined, '2026-11-20', today])
  })

  test('leaves out what makes no sense', () => {
    deepEqual(range({ range: 'toString' }), ['30', '2026-10-23', today])
    deepEqual(range({ since: '2026-02-30', until: 'x' }), ['30', '2026-10-23', today])
    deepEqual(range({ since: '2027-02-01' }), [undefined, today, today])
    deepEqual(range({ since: '0001-01-01' }), [undefined, '2016-11-21', today])
    equal(readRange({ kind: 'robot' }, today).kind, undefined)
  })
})

test('the axis of a chart ends above the highest column, in steps that people count in', () => {
  for (const [highest, top, step] of [
    [1, 1, 1],
    [4, 4, 1],
    [6, 6, 2],
    [17, 20, 5],
    [23, 30, 10],
    [900, 1000, 500],
  ] as const)
    deepEqual(scaleFor(highest), { top, step }, String(highest))
})

test('thousands in its tables are set apart, as in its sentences', () => {
  const rows = [{ name: 'First email', cells: [12_345, '90%'] }]
  const table = String(numberTable('Emails', { of: 'Email', columns: ['Sent', 'Share'], rows }))
  match(table, />12,345<.*>90%</s)
})
