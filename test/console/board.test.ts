/** The board: what its columns and cards say, and what moving a card does. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import type { TestOptions } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { cadenceFields, remindAfter } from '../support/cadence-form.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { MONDAY } from '../tasks/school.ts'

const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }
const tom = { id: 'tom', name: 'Tom Becker', email: 'tom@school.example' }

/** The students 1 and 2, Zoë of Maria and Ben of Tom, and the site 3 of the team. */
async function aService(t: TestContext, options: TestOptions = {}) {
  const service = await startConsole(t, { ...options, settings: { admissions: { counselors: [maria, tom] } } })
  const { store } = service.app
  for (const name of ['Zoë', 'Ben'])
    await service.postStudent(aStudent({ firstName: name, email: `${name === 'Ben' ? 'ben' : 'zoe'}@mail.example` }))
  await service.postSite(aSite({ company: 'Mercy Clinic' }))
  await service.settle()
  const now = service.clock.now()
  await store.assignLead(1, { owner: 'maria', actor: null, now })
  await store.assignLead(2, { owner: 'tom', actor: null, now })
  const client = await service.client('manager')
  const stageOf = async (id: number) => {
    const lead = await store.findLead(id)
    return [lead?.stage, lead?.closedReason]
  }
  return { ...service, store, client, newClient: service.client, stageOf }
}

/** The columns of a page by their names, with what each says and the leads in it. */
const columnsIn = (text: string) =>
  Object.fromEntries(
    text
      .split('<section class="column')
      .slice(1)
      .map(part => [
        /data-drop="([a-z]+)"/.exec(part)?.[1],
        [
          /<p class="quiet small">([^<]*)</.exec(part)?.[1],
          ...[...part.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => Number(id)),
        ],
      ]),
  )

describe('the board', () => {
  test('says for each stage what it holds, how long its leads wait, and how many are over target', async t => {
    const { newClient, clock, store } = await aService(t)
    clock.advance(2 * HOUR)
    const now = clock.now()
    await store.changeStage(1, { stage: 'qualified', closedReason: null, actor: null, now })
    clock.advance(3 * DAY)
    const client = await newClient('viewer')
    const { text } = await client.get('/board')
    deepEqual(columnsIn(text), {
      new: ['Longest wait 3 days, 1 over target', 2],
      contacted: ['No leads'],
      qualified: ['Longest 3 days', 1],
      applied: ['No leads'],
      enrolled: ['No leads'],
    })
    for (const part of [/>Ben Okafor</, /Tom Becker/, /Austin, Texas/, /Late, due/]) match(text, part)
    deepEqual(Object.keys(columnsIn((await client.get('/board?kind=site')).text)), [
      'new',
      'contacted',
      'meeting',
      'agreement',
      'active',
    ])
  })

  test('counts a lead as over target by the cadence that it began with, and not once someone promised to call or paused it', async t => {
    const { client, clock } = await aService(t, { edits: true, clock: testClock(MONDAY) })
    const late = async () => columnsIn((await client.get('/board')).text)['new']?.[0]
    clock.advance(4 * MINUTE)
    match((await client.post('/cadence', cadenceFields([remindAfter('1 minute')], { replaces: 0 }))).text, /in force/)
    equal(await late(), 'Longest wait 4 min', 'these began with five minutes')
    clock.advance(2 * MINUTE)
    equal(await late(), 'Longest wait 6 min, 2 over target')
    await client.post('/leads/1', { do: 'callback', when: '1h' })
    equal(await late(), 'Longest wait 6 min, 1 over target')
    await client.post('/leads/2', { do: 'pause' })
    equal(await late(), 'Longest wait 6 min')
  })

  test('shows the leads of one counselor, and shows a counselor no one else’s', async t => {
    const { client, newClient } = await aService(t)
    const columns = columnsIn((await client.get('/board?who=tom')).text)
    deepEqual(columns['new']?.slice(1), [2])
    const counselor = await newClient('counselor', maria)
    deepEqual(columnsIn((await counselor.get('/board?who=')).text)['new']?.slice(1), [1])
    deepEqual(columnsIn((await counselor.get('/board?who=tom')).text)['new'], ['No leads'])
  })

  test('says what happened last with a person, unless that is the move to the column', async t => {
    const { client } = await aService(t)
    const last = async () =>
      [...(await client.get('/board')).text.matchAll(/class="last"[^>]*>([^<]*)/g)].map(one => one[1])
    await client.post('/leads/1', { do: 'note', note: 'Wants evenings' })
    deepEqual(await last(), ['Note just now by The manager: Wants evenings'])
    await client.post('/board/move', { lead: '1', from: 'new', to: 'qualified' })
    deepEqual(await last(), [])
  })

  test('moves a card, records who did, and undoes it on the same board', async t => {
    const { client, stageOf, store } = await aService(t)
    const back = '/board?kind=student&who=tom'
    const moved = await client.post('/board/move', { lead: '2', from: 'new', to: 'applied', back })
    equal(moved.path, back)
    match(moved.text, /Ben Okafor is now applied\. Reminders and follow-up emails have stopped\./)
    deepEqual(await stageOf(2), ['applied', null])
    const [entry] = await store.listAudit({ limit: 1 })
    deepEqual([entry?.leadId, entry?.detail], [2, 'moved: applied'])
    const entries = fieldOn(moved.text, 'entries')
    const undone = await client.post('/inbox/undo', { entries, back })
    equal(undone.path, back)
    deepEqual(await stageOf(2), ['new', null])
  })

  test('closes a lead only with a reason', async t => {
    const { client, stageOf } = await aService(t)
    const move = (to: string) => client.post('/board/move', { lead: '2', from: 'new', to })
    for (const to of ['', 'closed', 'closed: no reply', 'closed: bored', 'meeting', 'nowhere', 'new: spam'])
      await move(to)
    deepEqual(await stageOf(2), ['new', null])
    equal((await move('')).status, 422)
    match((await move('closed: spam')).text, /Ben Okafor: Closed: spam\./)
    deepEqual(await stageOf(2), ['closed', 'spam'])
  })

  test('tells the second of two people that the first has moved the card, and changes nothing', async t => {
    const { client, newClient, stageOf, clock } = await aService(t)
    const counselor = await newClient('counselor', tom)
    await counselor.post('/board/move', { lead: '2', from: 'new', to: 'contacted' })
    clock.advance(MINUTE)
    const late = await client.post('/board/move', { lead: '2', from: 'new', to: 'qualified' })
    match(late.text, /the lead of Ben Okafor is in Reached by now\. Tom Becker moved it there\./)
    doesNotMatch(late.text, /<button class="plain">Undo/)
    deepEqual(await stageOf(2), ['contacted', null])
    const again = await client.post('/board/move', { lead: '2', from: 'qualified', to: 'new' })
    match(again.text, /Nothing changed/)
    deepEqual(await stageOf(2), ['contacted', null])
  })

  test('moves nothing for those who may not', async t => {
    const { newClient, stageOf } = await aService(t)
    const fields = { lead: '2', from: 'new', to: 'contacted' }
    equal((await (await newClient('counselor', maria)).post('/board/move', fields)).status, 404)
    const viewer = await newClient('viewer')
    equal((await viewer.post('/board/move', fields)).status, 403)
    doesNotMatch((await viewer.get('/board')).text, /data-move|draggable="true"/)
    deepEqual(await stageOf(2), ['new', null])
  })

  test('leads on to further cards, in place and without a script', async t => {
    const { client, postStudent, settle } = await aService(t)
    for (let count = 0; count < 30; count++) await postStudent(aStudent({ email: `s${count}@mail.example` }))
    await settle()
    const { text } = await client.get('/board')
    const first = columnsIn(text)['new']?.slice(1) ?? []
    const next = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const rest = columnsIn((await client.get(next)).text)['new']?.slice(1) ?? []
    const part = await client.get(next, { 'x-part': 'cards' })
    deepEqual(
      [...part.text.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => Number(id)),
      rest,
    )
    equal(first.length, 24)
    equal(new Set([...first, ...rest]).size, 32)
    equal((await client.get('/board?column=nowhere&after=1-1', { 'x-part': 'cards' })).status, 200)
  })
})
