/** What the operators learn when nothing fails, but work is late. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { createLateWorkWatch } from '../../src/tasks/late-work-watch.ts'
import { aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'

onEachEngine(engine => {
  test('an inquiry that is not filed within ten minutes is told in /readyz and on every page, and accepted ones still are', async t => {
    const { request, origin, postStudent, client, clock, settle } = await startConsole(t, { engine })
    await postStudent(aStudent())
    const readyz = async () =>
      (await request(`${origin.console}/readyz`)).body as { ready: boolean; warnings: string[] }
    clock.advance(9 * MINUTE)
    deepEqual((await readyz()).warnings, [])
    clock.advance(MINUTE)
    const late = await readyz()
    equal(late.ready, true)
    match(
      late.warnings[0] ?? '',
      /^Inquiries are not filed\. 1 inquiry has been waiting for 10 minutes: no list shows it/,
    )
    match((await (await client('counselor')).get('/account')).text, /<strong>Inquiries are not filed\.<\/strong>/)
    await settle()
    deepEqual((await readyz()).warnings, [])
  })

  test('an email that no one has tried to send within ten minutes is told, and one of tomorrow is not late', async t => {
    const { request, origin, postStudent, clock, settle, database } = await startConsole(t, { engine })
    await postStudent(aStudent())
    await settle()
    const warnings = async () => ((await request(`${origin.console}/readyz`)).body as { warnings: string[] }).warnings
    clock.advance(HOUR)
    deepEqual(await warnings(), [])
    await sql(
      database,
      `update tasks set state = 'due', attempts = 0, note = null, due_at = 0, created_at = ${clock.now()} where kind = 'notify'`,
    )
    clock.advance(11 * MINUTE)
    match(
      (await warnings())[0] ?? '',
      /^Emails are late\. The oldest has been waiting for 11 minutes for its first attempt\./,
    )
  })
})

test('the log says at level fatal that work is late, once an hour, and not for what a start finds', async () => {
  const said: string[] = []
  let now = 0
  let unfiledSince: number | null = null
  const look = createLateWorkWatch({
    store: {
      countBacklog: async () => ({
        unfiled: 1,
        unfileable: 0,
        unfiledSince,
        unsentSince: null,
        waitingSince: {},
        mailRetrying: 0,
        clockJump: null,
        rejecting: [],
      }),
      raiseAlarm: async () => false,
      listAlarms: async () => [],
    } as never,
    settings: defaultSettings,
    clock: { now: () => now },
    log: { fatal: (line: string) => said.push(line) } as never,
    wakeBrowser: async () => 'failed',
    changed: () => {},
  })
  const minutes = async (count: number) => {
    for (let i = 0; i < count; i++, now += MINUTE) await look()
    return said.splice(0).length
  }
  equal(await minutes(5), 0)
  unfiledSince = now - HOUR
  equal(await minutes(1), 0, 'it may be what waited while the service was down')
  equal(await minutes(1), 1)
  equal(await minutes(59), 0)
  equal(await minutes(2), 1)
  unfiledSince = null
  equal(await minutes(3), 0)
  unfiledSince = now - HOUR
  equal(await minutes(2), 1, 'it is late again')
})
