import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { DAY } from '../../src/platform/time.ts'
import { forgetClientAddresses } from '../../src/tasks/client-addresses.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { anArrival, startStore } from '../support/store.ts'

const open = new AbortController().signal

onEachEngine(engine => {
  test('client addresses are deleted once they are as old as the settings say', async t => {
    const { store, database, clock } = await startStore(t, { engine })
    const ages = [200, 91, -1, 91, 89, 0]
    for (const age of ages) {
      const receivedAt = clock.now() - age * DAY
      await store.accept(anArrival({ clientAddress: '203.0.113.9', receivedAt }))
    }
    const known = async () => {
      const rows = await sql(database, 'select client_address from submissions order by id')
      return rows.map(row => row['client_address'] !== '')
    }
    const forget = (clientAddressDays: number) =>
      forgetClientAddresses({ store, clock, settings: { privacy: { clientAddressDays } } }, open)

    await forget(0)
    deepEqual(await known(), [true, true, true, true, true, true])
    await forget(90)
    deepEqual(await known(), [false, false, false, false, true, true])
    clock.advance(2 * DAY)
    await forget(90)
    deepEqual(await known(), [false, false, false, false, false, true])
  })

  test('client addresses are deleted a portion at a time, each where the last one ended', async t => {
    const { store, database, clock } = await startStore(t, { engine })
    for (let i = 0; i < 5; i++) await store.accept(anArrival({ clientAddress: '203.0.113.9' }))
    const now = clock.now() + 1
    const forget = () => store.forgetClientAddresses({ before: now, now, limit: 2 })
    const left = async () => {
      const rows = await sql(database, `select id from submissions where client_address <> ''`)
      return rows.length
    }
    deepEqual([await forget(), await left()], [true, 3])
    deepEqual([await forget(), await left()], [true, 1])
    deepEqual([await forget(), await left()], [false, 0])
    deepEqual([await forget(), await left()], [false, 0])
  })
})
