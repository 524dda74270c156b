/** Erasing a person whose submissions are not all filed, and who was counted by rate limits. */
import { doesNotMatch, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR } from '../../src/platform/time.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { asked } from '../support/store.ts'
import { ben, MONDAY, startSchool } from './school.ts'

onEachEngine(engine => {
  test('an erasure includes submissions that are not filed yet', async t => {
    const service = await startSchool(t, { engine })
    await service.postStudent(ben())
    await service.settle()
    await service.postStudent(ben({ message: 'And on weekends?' }))
    const addressHash = await service.hashOf('ben@mail.example')
    await service.app.store.erasePerson('ben@mail.example', { ...asked, addressHash, now: MONDAY })
    await service.settle()
    const left = `select id from submissions where email = 'ben@mail.example'`
    equal((await sql(service.database, left)).length, 0)
  })

  test('an erasure while a reminder is on its way is not logged as the work of another worker', async t => {
    const service = await startSchool(t, {
      engine,
      mail: async ({ id }) => {
        if (!id.startsWith('step')) return
        const addressHash = await service.hashOf('ben@mail.example')
        await service.app.store.erasePerson('ben@mail.example', { ...asked, addressHash, now: MONDAY })
      },
    })
    await service.postStudent(ben())
    await service.until(MONDAY + HOUR)
    doesNotMatch(service.log.join(''), /another worker/)
    equal((await sql(service.database, 'select id from timeline')).length, 0)
  })

  test('an erasure leaves no address in the rate limits', async t => {
    if (engine === 'sqlite') return
    const service = await startSchool(t, { engine })
    await service.postStudent(ben())
    await service.settle()
    const addressHash = await service.hashOf('ben@mail.example')
    await service.app.store.erasePerson('ben@mail.example', { ...asked, addressHash, now: MONDAY })
    const keys = await sql(service.database, 'select key from limits')
    ok(!keys.some(({ key }) => /ben@mail/.test(String(key))))
  })
})
