/** A destination that refuses everything for a whole day, while the leads that it is to hear of move on. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { addWebhook, startWithReceiver } from './add-destination.ts'
import { type Sent, startReceiver } from './receiver.ts'

const LEADS = 6
const STAGES = ['contacted', 'qualified', 'applied', 'enrolled']

const idOf = ({ headers }: Sent) => headers['webhook-id'] ?? ''
const leadOf = ({ event }: Sent) => (event.data['lead'] as { id: number }).id

onEachEngine(engine => {
  test('a destination that is down for a day then hears of everything, in order for each lead and once, and no other waits', async t => {
    let down = true
    const accepted: Sent[] = []
    const service = await startWithReceiver(t, {
      engine,
      answer: sent => {
        if (down) return { status: 503 }
        accepted.push(sent)
        return { status: 204 }
      },
      settings: { followUp: { student: [], site: [] } },
    })
    const { admin, url, postStudent, settle, clock, app, database } = service
    const other = await startReceiver(t)
    await addWebhook(admin, url)
    await addWebhook(admin, other.url, { name: 'Others' })
    /** The ids of what a destination is to hear, in order, by lead. */
    const toHear = async (destination: number) => {
      const rows = await sql(
        database,
        `select lead_id, event_id from deliveries where destination_id = ${destination} order by id`,
      )
      const byLead = Map.groupBy(rows, row => Number(row['lead_id']))
      return new Map([...byLead].map(([lead, its]) => [lead, its.map(row => String(row['event_id']))]))
    }
    const heardBy = (sent: readonly Sent[]) =>
      new Map([...Map.groupBy(sent, leadOf)].map(([lead, its]) => [lead, its.map(idOf)]))
    for (let hour = 0; hour < 24; hour++) {
      const lead = 1 + (hour % LEADS)
      await postStudent(aStudent({ email: `person${lead}@mail.example`, message: `hour ${hour}` }))
      await settle()
      const to = { stage: STAGES[Math.floor(hour / LEADS)] ?? '', closedReason: null, actor: 'maria' }
      equal((await app.store.changeStage(lead, { ...to, now: clock.now() })).outcome, 'done')
      await settle()
      deepEqual(heardBy(other.received), await toHear(2), 'another destination waits')
      for (let minutes = 0; minutes < 60; minutes += 20) {
        clock.advance(20 * MINUTE)
        await settle()
      }
    }
    deepEqual(accepted, [])
    const before = await toHear(1)
    equal(before.size, LEADS)
    ok([...before.values()].every(its => its.length >= 9))
    down = false
    for (let hours = 0; hours < 24 * 1.3; hours++) {
      clock.advance(HOUR)
      await settle()
    }
    deepEqual(heardBy(accepted), before)
    equal(new Set(accepted.map(idOf)).size, accepted.length)
  })
})
