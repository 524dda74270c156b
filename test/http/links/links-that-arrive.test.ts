/** Links in emails to the staff: they work when they arrive, whatever happened to the lead before. */
import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../../../campaign/random.ts'
import { MINUTE } from '../../../src/platform/time.ts'
import { testClock } from '../../support/clock.ts'
import { startConsole } from '../../support/console.ts'
import { onEachEngine } from '../../support/engines.ts'
import { aSchool, ben, MONDAY } from '../../tasks/school.ts'

const STAFF = ['maria', 'sam', 'manager'] as const

onEachEngine(engine => {
  test('a link to a lead works for the person who gets it, at the moment when it comes', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, clock: testClock(MONDAY) })
    const { app, clock, client, postStudent, settle, sent } = service
    const { store } = app
    const anyone = await client()
    const random = new Random(1, 'links')
    const ids = [1, 2, 3, 4]
    for (const id of ids) await postStudent(ben({ email: `ben.${id}@mail.example` }))
    const dead: string[] = []
    let seen = 0
    let links = 0
    for (let step = 0; step < 25; step++) {
      const id = random.pick(ids)
      const by = { actor: random.pick(STAFF), now: clock.now() }
      const what = random.pick(['assign', 'assign', 'promise', 'call', 'close', 'merge', 'unmerge', 'again', 'note'])
      const other = random.pick(ids)
      if (what === 'assign') await store.assignLead(id, { owner: random.pick([...STAFF, null]), ...by })
      if (what === 'call') await store.recordCall(id, { outcome: 'no answer', note: `${step}`, ...by })
      if (what === 'close') await store.changeStage(id, { stage: 'closed', closedReason: 'not interested', ...by })
      if (what === 'merge' && other !== id) await store.mergeLeads(id, { other, ...by })
      if (what === 'unmerge') await store.unmergeLead(id, by).catch(() => {})
      if (what === 'again') await postStudent(ben({ email: `ben.${id}@mail.example`, message: `${step}` }))
      if (what === 'note') await store.addNote(id, { text: `${step}`, forOwner: true, ...by })
      if (what === 'promise') {
        const dueAt = clock.now() + Math.round(random.between(1, 60)) * MINUTE
        const reminders = [dueAt, dueAt + 15 * MINUTE, dueAt + 60 * MINUTE]
        const plan = { assignee: random.pick([...STAFF, null]), dueAt, reminders, words: '', moment: 'soon' }
        await store.planCallback(id, { ...plan, ...by })
      }
      clock.advance(Math.round(random.between(0, 40)) * MINUTE)
      await settle()
      for (; seen < sent.length; seen++) {
        const { to, subject, html = '' } = sent[seen] ?? ({} as never)
        for (const [, path = ''] of html.matchAll(/"https?:\/\/[^"/]+(\/act\/[\w.-]+)"/g)) {
          links++
          const { status } = await anyone.get(path)
          if (status !== 200) dead.push(`${what}: ${to.address}: ${subject}: ${path.slice(0, 7)} ${status}`)
        }
      }
    }
    ok(links > 50, `${links}`)
    deepEqual([...new Set(dead)], [])
  })
})
