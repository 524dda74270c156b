import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { onEachEngine } from '../support/engines.ts'
import { at, ben, noSuchMailbox, startSchool } from './school.ts'

onEachEngine(engine => {
  test('emails are counted as they are sent: for which recipients, how late, after how many failures', async t => {
    let away = true
    const school = await startSchool(t, {
      engine,
      mail: async ({ to }) => {
        if (to.address === 'gone@mail.example') throw noSuchMailbox()
        if (away) throw new Error('the mail server is away')
      },
    })
    const { store } = school.app
    const read = (from: string, until: string) => store.readDelivery({ from: at(from), until: at(until) })
    await school.postStudent(ben())
    await school.postStudent(ben({ email: 'gone@mail.example' }))
    await school.until('11-23 16:50')
    const none = { sent: 0, bands: [0, 0, 0, 0, 0], retried: 0, failed: 0 }
    deepEqual(await read('11-23 16:00', '11-23 17:00'), [
      { audience: 'people', ...none, failed: 1 },
      { audience: 'staff', ...none },
    ])
    away = false
    await school.until('11-23 17:30')
    const [people, staff] = await read('11-23 16:00', '11-23 18:00')
    deepEqual(people, { audience: 'people', sent: 1, bands: [0, 0, 1, 0, 0], retried: 1, failed: 1 })
    deepEqual(staff?.bands.slice(3), [0, 0])
    // The worker was down when the email of the first day was due.
    school.downUntil('11-24 18:00')
    await school.until('11-24 19:00')
    const [letters] = await read('11-24 00:00', '11-25 00:00')
    deepEqual(letters, { audience: 'people', ...none, sent: 1, bands: [0, 0, 0, 1, 0] })
  })
})
