/** Destinations hear at once of what happens by itself: the lane of deliveries does not wait for its next poll. */
import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR } from '../../src/platform/time.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, ben, MONDAY, startSchool } from '../tasks/school.ts'

onEachEngine(engine => {
  test('the lane of deliveries is woken after each step of a cadence, and after an email that failed', async t => {
    let refuses = false
    const service = await startSchool(t, {
      engine,
      settings: aSchool,
      mail: async () => {
        if (refuses) throw new Error('452 try later')
      },
    })
    const { worker } = service.app
    const woken: (readonly string[] | undefined)[] = []
    t.mock.method(worker, 'nudge', (lanes?: readonly string[]) => void woken.push(lanes))
    const wasWoken = () => woken.splice(0).some(lanes => lanes?.includes('deliveries'))
    await service.postStudent(ben())
    await service.settle()
    wasWoken()
    await service.until(MONDAY + HOUR)
    ok((await service.steps()).some(step => / done$/.test(step)))
    ok(wasWoken(), 'a reminder may say that the lead is late')

    refuses = true
    await service.postStudent(ben({ email: 'zoe@mail.example', phone: '512 555 0199' }))
    woken.length = 0
    await service.settle()
    const after = woken.filter(lanes => lanes?.length === 1 && lanes[0] === 'deliveries')
    ok(after.length > 0, 'filing wakes other lanes, too')
  })
})
