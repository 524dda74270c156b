/** Whether anyone has tried to reach someone: one rule, wherever it is shown. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { aSchool } from '../tasks/school.ts'

const page = { submissions: { limit: 1 }, entries: { limit: 1 }, now: 0, today: '2026-11-23' }

/** A school whose Maria has four leads who wrote in yesterday: 1 to 4. */
async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings: aSchool })
  const { store } = service.app
  for (const email of ['ann', 'ben', 'cleo', 'dan'])
    await service.postStudent(aStudent({ email: `${email}@mail.example`, state: 'TX' }))
  await service.settle()
  for (const id of [1, 2, 3, 4]) await store.assignLead(id, { owner: 'maria', actor: 'test', now: service.clock.now() })
  service.clock.advance(DAY)
  const by = () => ({ actor: 'maria', now: service.clock.now() })
  const untried = async () => {
    const { rows } = await store.listInbox({}, { limit: 9 })
    const listed = await store.listInbox({ untried: true }, { limit: 9 })
    const today = await store.listDueLeads({ until: service.clock.now() + HOUR, limit: 9 })
    const board = await store.readBoard({ kind: 'student' }, { limit: 9 })
    const pages = []
    for (const id of [1, 2, 3, 4]) pages.push(await store.readLeadPage(id, page))
    const lateBefore = [{ area: { state: null, areaCodes: null }, bestTime: null, before: service.clock.now() }]
    const [maria] = await store.readWorkloads(['maria'], { lateBefore })
    const tried = await store.listTried([1, 2, 3, 4])
    const inOrder = (ids: number[]) => ids.toSorted((one, two) => one - two)
    return {
      inbox: inOrder(listed.rows.map(({ lead }) => lead.id)),
      rows: inOrder(rows.flatMap(row => (row.tried ? [] : row.lead.id))),
      today: inOrder(today.untried),
      all: inOrder(today.leads.map(({ id }) => id)),
      board: inOrder(board.columns[0]?.waiting.flatMap(one => (one.awaits === null ? [] : one.id)) ?? []),
      pages: pages.flatMap(found => (found === undefined || found.tried ? [] : found.lead.id)),
      plain: [1, 2, 3, 4].filter(id => !tried.has(id)),
      team: [maria?.untried, maria?.late],
    }
  }
  return { ...service, store, by, untried }
}

onEachEngine(engine => {
  test('a call or an email counts everywhere, and neither a note nor another owner does', async t => {
    const { store, by, untried, settle } = await aDesk(t, engine)
    const everyone = [1, 2, 3, 4]
    const are = async (ids: number[], team = [ids.length, ids.length]) => {
      const { all, team: counted, ...lists } = await untried()
      for (const [where, found] of Object.entries(lists)) deepEqual(found, ids, where)
      deepEqual(all, everyone)
      deepEqual(counted, team)
    }
    await are(everyone)
    await store.assignLead(4, { owner: 'sam', ...by() })
    await store.assignLead(4, { owner: 'maria', ...by() })
    await are(everyone)
    await store.recordCall(1, { outcome: 'no answer', note: '', ...by() })
    await are([2, 3, 4])
    await store.addNote(2, { text: 'Asks for the fees', ...by() })
    await are([2, 3, 4])
    await store.recordCall(2, { outcome: 'voicemail', note: '', ...by() })
    await store.writeMessage(3, {
      subject: 'Hello',
      text: 'Hello',
      answers: undefined,
      reached: false,
      token: 'one',
      dueAt: by().now,
      ...by(),
    })
    await are([4])
    await settle()
    await are([4])
    ok((await store.findLead(3))?.firstAttemptAt)
  })

  test('someone whose follow-up is paused is untried, too, but not late', async t => {
    const { store, by, untried } = await aDesk(t, engine)
    for (const id of [1, 2]) await store.recordCall(id, { outcome: 'no answer', note: '', ...by() })
    equal((await store.pauseLead(3, by())).outcome, 'done')
    const { inbox, rows, board, pages, plain, today, team } = await untried()
    for (const ids of [inbox, rows, pages, plain]) deepEqual(ids, [3, 4])
    for (const ids of [today, board]) deepEqual(ids, [4])
    deepEqual(team, [2, 1])
  })
})
