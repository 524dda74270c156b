/** Status lists: which leads they move, and how that is undone. */
import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import type { StatusPlan } from '../../src/leads/import/status-list.ts'
import { DAY } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { aSchool, ben, startSchool } from './school.ts'

const plan: StatusPlan = { columns: ['email', 'leadId', 'stage'], meanings: { enr: 'enrolled', wd: '' } }

const person = (name: string) => ({ ...ben(), firstName: name, email: `${name.toLowerCase()}@mail.example` })

async function aService(t: TestContext, engine: Engine, names: readonly string[] = ['Ana', 'Bea', 'Cleo', 'Dan']) {
  const school = await startSchool(t, { engine, settings: aSchool })
  const { store } = school.app
  for (const name of names) {
    await school.postStudent(person(name))
    await school.settle()
  }
  const now = () => school.clock.now()
  const check = async (rows: string, over: Partial<StatusPlan> = {}) => {
    const bytes = Buffer.from(`Email,Lead ID,Status\n${rows}`)
    const id = await storeList(store, { bytes, fileName: 'status.csv', by: 'jo', now: now(), purpose: 'status' })
    equal(await store.checkImport(id, { plan: { ...plan, ...over }, now: now() }), 'done')
    await school.settle()
    return id
  }
  const start = async (id: number) => {
    equal(await store.startImport(id, { now: now() }), 'done')
    await school.settle()
    return id
  }
  const importList = async (rows: string, over: Partial<StatusPlan> = {}) => start(await check(rows, over))
  const undo = async (id: number) => {
    equal(await store.undoImport(id, { now: now() }), 'done')
    await school.settle()
  }
  const counts = async (id: number) => {
    const list = await store.readImport(id)
    const { moved, repeated, leftOut, rejected } = list?.counts ?? {}
    return [list?.state, moved, repeated, leftOut, rejected]
  }
  const reasons = async (id: number) => (await store.listRejections(id)).map(({ reason, rows }) => [reason, rows])
  const stage = async (id: number) => (await store.findLead(id))?.stage
  const move = (id: number, to: string) =>
    store.changeStage(id, { stage: to, closedReason: null, actor: 'maria', now: now() })
  return { ...school, store, now, check, start, importList, undo, counts, reasons, stage, move }
}

onEachEngine(engine => {
  test('a check says which leads would move and why others would not, and moves no one', async t => {
    const { check, counts, reasons, stage, store } = await aService(t, engine)
    const rows = [
      'ana@mail.example,,Applied',
      'BEA@mail.example,,ENR',
      ',3,enrolled',
      'ana@mail.example,4,Applied',
      'no-one@mail.example,,Applied',
      ',999,Applied',
      'dan@mail.example,,WD',
      'dan@mail.example,,Prospect',
      'dan@mail,,Applied',
      ',,Applied',
      ',x,Applied',
    ]
    const id = await check(rows.join('\n'))
    deepEqual(await counts(id), ['checked', 3, 0, 1, 7])
    deepEqual((await reasons(id)).toSorted(), [
      ['No one has chosen a stage for this word.', 1],
      ['No student lead has this email address.', 1],
      ['No student lead has this id.', 1],
      ['The id and the email address belong to two different leads.', 1],
      ['The row has no email address and no id.', 1],
      ['This is not an email address.', 1],
      ['This is not the id of a lead.', 1],
    ])
    deepEqual(
      (await store.listUnknownWords(id)).map(({ value, rows: n }) => [value, n]),
      [['Prospect', 1]],
    )
    for (const lead of [1, 2, 3, 4]) equal(await stage(lead), 'new')
  })

  test('a list moves leads forward as the staff do, says so in the timeline, and destinations can hear of it', async t => {
    const { importList, counts, stage, store } = await aService(t, engine)
    const id = await importList('ana@mail.example,,Applied\nbea@mail.example,,ENR')
    deepEqual(await counts(id), ['done', 2, 0, 0, 0])
    deepEqual([await stage(1), await stage(2), await stage(3)], ['applied', 'enrolled', 'new'])
    const entry = (await store.readLead(2))?.timeline.findLast(({ kind }) => kind === 'stage')
    deepEqual([entry?.detail, entry?.actor], ['enrolled', `status list ${id}`])
  })

  test('a person who was moved gets no more follow-up emails, and no one is reminded to call them', async t => {
    const { importList, until, diary } = await aService(t, engine, ['Ana', 'Bea'])
    await importList('ana@mail.example,,Enrolled')
    await until('12-20 12:00')
    const about = (lead: number) =>
      diary().flatMap(line => new RegExp(`(\\w+) step\\.${lead}\\.`).exec(line)?.[1] ?? [])
    deepEqual(about(1), [])
    deepEqual(about(2), ['maria', 'sam', 'dana', 'bea', 'bea', 'bea'])
  })

  test('a lead never moves back, and one that is there already stays untouched', async t => {
    const { importList, counts, reasons, stage, move, store } = await aService(t, engine)
    await move(1, 'enrolled')
    await move(2, 'applied')
    const before = (await store.readLead(2))?.timeline.length
    const id = await importList('ana@mail.example,,Applied\nbea@mail.example,,Applied')
    deepEqual(await counts(id), ['done', 0, 1, 0, 1])
    deepEqual(await reasons(id), [['The lead is already further along.', 1]])
    deepEqual([await stage(1), await stage(2)], ['enrolled', 'applied'])
    equal((await store.readLead(2))?.timeline.length, before)
  })

  test('a lead that closed automatically opens again, one that someone has closed does not', async t => {
    const { importList, reasons, stage, store, now } = await aService(t, engine)
    for (const [id, closedReason] of [
      [1, 'no reply'],
      [2, 'not interested'],
      [3, 'spam'],
    ] as const)
      await store.changeStage(id, { stage: 'closed', closedReason, actor: null, now: now() })
    const id = await importList([1, 2, 3].map(lead => `,${lead},Enrolled`).join('\n'))
    deepEqual([await stage(1), await stage(2), await stage(3)], ['enrolled', 'closed', 'closed'])
    deepEqual(
      (await reasons(id)).toSorted(),
      ['not interested', 'spam'].map(why => [`Someone has closed the lead: ${why}.`, 1]),
    )
  })

  test('of one address, the open lead of the student moves, and a lead that was merged moves the one that is kept', async t => {
    const { importList, stage, store, now, postStudent, postSite, settle } = await aService(t, engine, ['Ana', 'Bea'])
    await store.changeStage(1, { stage: 'closed', closedReason: 'not interested', actor: 'maria', now: now() })
    await postStudent({ ...person('Ana'), message: 'Me again' })
    await postSite({ ...aSite({}, now()), email: 'ana@mail.example' })
    await settle()
    equal((await store.mergeLeads(3, { other: 2, actor: 'sam', now: now() })).outcome, 'done')
    const id = await importList('bea@mail.example,,Applied')
    equal((await store.readImport(id))?.counts.moved, 1)
    deepEqual([await stage(1), await stage(3), await stage(4)], ['closed', 'applied', 'new'])
    await importList(',1,Enrolled')
    deepEqual([await stage(1), await stage(3)], ['closed', 'enrolled'])
  })

  test('of several rows about a person, the furthest stage counts, once', async t => {
    const { importList, counts, store } = await aService(t, engine)
    const others = Array.from({ length: 230 }, (_, i) => `no-one-${i}@mail.example,,Applied`)
    const id = await importList(
      ['ana@mail.example,,Applied', ',2,Enrolled', ...others, ',1,Enrolled', 'bea@mail.example,,Applied'].join('\n'),
    )
    deepEqual(await counts(id), ['done', 2, 2, 0, 230])
    for (const lead of [1, 2]) {
      const entries = (await store.readLead(lead))?.timeline.filter(({ kind }) => kind === 'stage')
      deepEqual(
        entries?.map(({ detail }) => detail),
        ['enrolled'],
      )
    }
  })

  test('undoing puts leads and their follow-up back, except those that someone has changed since', async t => {
    const { importList, undo, stage, store, now, until, sent } = await aService(t, engine)
    const id = await importList('ana@mail.example,,Enrolled\nbea@mail.example,,Enrolled\ncleo@mail.example,,Applied')
    equal((await store.assignLead(2, { owner: 'sam', actor: 'maria', now: now() })).outcome, 'done')
    await until(now() + DAY - 1)
    await undo(id)
    deepEqual([await stage(1), await stage(2), await stage(3)], ['new', 'enrolled', 'new'])
    deepEqual((await store.readImport(id))?.kept, 1)
    deepEqual(
      (await store.listKeptLeads(id, 9)).map(lead => lead.id),
      [2],
    )
    const before = sent.length
    await until('12-20 12:00')
    const to = sent.slice(before).map(one => one.to.address)
    equal(to.includes('ana@mail.example'), true, 'the follow-up goes on')
    equal(to.includes('bea@mail.example'), false)
  })

  test('what undoing a list has put back, the next list may move, but not what someone at the school has', async t => {
    const { importList, undo, counts, reasons, stage, move } = await aService(t, engine)
    const rows = 'ana@mail.example,,Enrolled\nbea@mail.example,,Enrolled'
    await undo(await importList(rows))
    await importList(rows)
    equal(await stage(1), 'enrolled')
    await move(1, 'qualified')
    const id = await importList(rows)
    deepEqual(await counts(id), ['done', 0, 1, 0, 1])
    deepEqual(await reasons(id), [['Someone has moved the lead back since a status list moved it.', 1]])
    equal(await stage(1), 'qualified')
  })

  test('a person who wrote again still waits for an answer after a list has moved them', async t => {
    const { importList, store, postStudent, settle } = await aService(t, engine, ['Ana'])
    await postStudent({ ...person('Ana'), message: 'When does it begin?' })
    await settle()
    const since = (await store.findLead(1))?.unansweredSince
    equal(typeof since, 'number')
    await importList('ana@mail.example,,Applied')
    const lead = await store.findLead(1)
    deepEqual([lead?.stage, lead?.unansweredSince], ['applied', since])
  })

  test('erasing a person deletes their rows, also those that name only the lead', async t => {
    const { check, store, now, database } = await aService(t, engine)
    await check('ana@mail.example,,Applied\n,2,Applied')
    await store.erasePerson('bea@mail.example', { askedBy: 'Jo', reason: 'asked', addressHash: undefined, now: now() })
    const rows = await sql(database, 'select person_key from import_rows')
    deepEqual(
      rows.map(row => row['person_key']),
      ['ana@mail.example'],
    )
  })
})
