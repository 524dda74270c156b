import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings, type Settings } from '../../src/config/settings.ts'
import { DAY } from '../../src/platform/time.ts'
import { expireAudit, forgetClientAddresses } from '../../src/tasks/expiry-of-data.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { anArrival, startStore } from '../support/store.ts'

const privacy = (over: Partial<Settings['privacy']>) => ({ privacy: { ...defaultSettings.privacy, ...over } })
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
      forgetClientAddresses({ store, clock, settings: privacy({ clientAddressDays }) }, open)

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

  test('entries of the audit log are deleted once they are as old as the settings say', async t => {
    const { store, clock } = await startStore(t, { engine })
    for (const age of [800, 731, 729, 31, 29, 0]) {
      const at = clock.now() - age * DAY
      await store.recordAudit({ at, operatorId: null, actor: 'Ana', action: String(age) })
    }
    const kept = async () => (await store.listAudit({ limit: 9 })).map(({ action }) => action)
    const expire = (over: Partial<Settings['privacy']>) => expireAudit({ store, clock, settings: privacy(over) }, open)

    await expire({ auditLogDays: 0 })
    deepEqual(await kept(), ['0', '29', '31', '729', '731', '800'])
    await expire({})
    deepEqual(await kept(), ['0', '29', '31', '729'])
    const before = clock.now() - 30 * DAY
    deepEqual(await store.expireAudit({ before, limit: 1 }), true)
    deepEqual(await kept(), ['0', '29', '31'], 'the oldest first, a portion at a time')
    await expire({ auditLogDays: 30 })
    deepEqual(await kept(), ['0', '29'])
  })
})
