/** Callbacks, in the whole service: who is reminded of one, and what becomes of the follow-up meanwhile. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, at, ben, MONDAY, readLead, startSchool, stepsIn } from './school.ts'

const PROMISED = at('11-25 17:00')
const plan = {
  dueAt: PROMISED,
  words: 'Asks for the price',
  moment: 'Wednesday',
  reminders: [PROMISED, at('11-25 17:15'), at('11-25 18:00')],
  actor: 'maria',
  now: MONDAY,
}

onEachEngine(engine => {
  describe('a callback', () => {
    test('is told to who promised it, the backup and the manager until someone records a call', async t => {
      const school = await startSchool(t, { engine, settings: aSchool })
      const { store } = school.app
      await school.postStudent(ben())
      await school.settle()
      equal((await store.planCallback(1, plan)).outcome, 'done')
      equal((await store.planCallback(1, plan)).outcome, 'before')
      await school.until('11-25 16:59')
      deepEqual(stepsIn(school.diary()), [])
      await school.until('11-25 18:01')
      const told = school.sent.slice(-3).map(({ to, subject }) => `${to.address} ${subject}`)
      deepEqual(
        told.map(one => one.split('@')[0]),
        ['maria', 'sam', 'dana'],
      )
      match(told[0] ?? '', /Call now: Ben Okafor, promised for/)
      equal(school.sent.at(-3)?.date.getTime(), PROMISED)
      const { callbacks } = await store.listDueLeads({ until: school.clock.now(), limit: 10 })
      deepEqual(
        callbacks.map(({ lead, words }) => [lead.id, words]),
        [[1, 'Asks for the price']],
      )
      const { lead } = await readLead(school)
      equal(lead.pausedAt, MONDAY)
      equal(lead.callbackAt, PROMISED)
      const now = school.clock.now()
      await store.recordCall(1, { outcome: 'reached', note: '', actor: 'maria', now })
      const after = (await readLead(school)).lead
      deepEqual([after.stage, after.pausedAt, after.callbackAt], ['contacted', null, null])
      deepEqual((await store.listDueLeads({ until: now, limit: 10 })).callbacks, [])
    })

    test('that is moved pauses nothing again that someone has resumed by hand', async t => {
      const school = await startSchool(t, { engine, settings: aSchool })
      const { store } = school.app
      await school.postStudent(ben())
      await school.settle()
      await store.planCallback(1, plan)
      await store.resumeLead(1, { since: MONDAY, steps: [], actor: 'maria', now: MONDAY })
      const [callback] = await store.listCallbacks(1)
      const moved = { ...plan, callback: callback?.id, dueAt: at('11-26 17:00') }
      equal((await store.planCallback(1, moved)).outcome, 'done')
      const { lead } = await readLead(school)
      deepEqual([lead.pausedAt, lead.callbackAt], [null, moved.dueAt])
    })

    test('ends its pause although one is still open whose follow-up someone has resumed', async t => {
      const school = await startSchool(t, { engine, settings: aSchool })
      const { store } = school.app
      const by = { actor: 'maria', now: MONDAY }
      await school.postStudent(ben())
      await school.settle()
      await store.planCallback(1, plan)
      await store.resumeLead(1, { since: MONDAY, steps: [], ...by })
      const another = async () => {
        const planned = await store.planCallback(1, { ...plan, dueAt: at('11-26 17:00') })
        equal((await readLead(school)).lead.pausedAt, MONDAY)
        return {
          id: (await store.listCallbacks(1))[1]?.id ?? 0,
          entry: (planned.outcome === 'done' && planned.entry) || 0,
        }
      }
      const goesOn = async () => {
        const { pausedAt, callbackAt } = (await readLead(school)).lead
        deepEqual([pausedAt, callbackAt], [null, PROMISED])
      }
      await store.endCallback(1, { callback: (await another()).id, words: 'done', ...by })
      await goesOn()
      equal((await store.takeBack((await another()).entry, by)).outcome, 'done')
      await goesOn()
    })

    test('stays for a lead that was reached before, and says nothing once it was called off', async t => {
      const school = await startSchool(t, { engine, settings: aSchool })
      const { store } = school.app
      await school.postStudent(ben())
      await school.settle()
      await store.changeStage(1, { stage: 'contacted', closedReason: null, actor: 'maria', now: MONDAY })
      await store.planCallback(1, plan)
      equal((await readLead(school)).lead.pausedAt, null)
      await school.until('11-25 17:01')
      const [callback] = await store.listCallbacks(1)
      equal((await store.listDueLeads({ until: school.clock.now(), limit: 10 })).callbacks.length, 1)
      const ended = { callback: callback?.id ?? 0, words: 'called off', actor: 'maria', now: school.clock.now() }
      equal((await store.endCallback(1, ended)).outcome, 'done')
      equal((await store.endCallback(1, ended)).outcome, 'before')
      const sent = school.sent.length
      await school.until('11-25 18:05')
      equal(school.sent.length, sent)
    })
  })
})
