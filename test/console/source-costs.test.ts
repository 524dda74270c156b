/** What sources cost: entered by month, and what it comes to for each lead and each student who enrolled. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultSettings } from '../../src/config/settings.ts'
import { aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { aForm } from '../support/form-details.ts'
import { readable } from '../support/forms.ts'
import { anArrival } from '../support/store.ts'

/** In November 2026, two students came from Facebook, and one of them enrolled; another came from elsewhere. */
async function aSchool(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine })
  const { store } = service.app
  for (const [email, source] of [
    ['ana', 'Facebook'],
    ['ben', 'facebook '],
    ['eve', 'elsewhere'],
  ] as const) {
    const address = `${email}@mail.example`
    const { idempotencyKey: _, ...body } = aStudent({ email: address })
    const form = aForm({ campaign: { source } })
    await store.accept(anArrival({ email: address, form, receivedAt: service.clock.now(), body: JSON.stringify(body) }))
  }
  await service.settle()
  for (const stage of ['contacted', 'qualified', 'applied', 'enrolled'])
    await store.changeStage(1, { stage, closedReason: null, actor: 'maria', now: service.clock.now() })
  while (await store.countLeads({ school: defaultSettings.school, limit: 50 }));
  const manager = await service.client('manager')
  const enter = (source: string, month: string, cost: string) => manager.post('/costs', { source, month, cost })
  return { ...service, manager, enter }
}

const NOVEMBER = '/insight?since=2026-11-01&until=2026-11-30'

onEachEngine(engine => {
  test('a manager enters what a source cost, and insight says what each lead and each enrolled student cost', async t => {
    const { enter, app, manager } = await aSchool(t, engine)
    match((await enter(' FaceBook ', '2026-11', '$1,250.50')).text, /cost \$1,250\.50 in 2026-11/)
    await enter('Radio', '2026-11', '300')
    await enter('facebook', '2026-10', '999')
    const range = { from: '2026-11-01', to: '2026-11-30' }
    const costs = await app.store.readSourceCosts(range)
    deepEqual(
      costs.map(({ source, cents, tally }) => [source, cents, tally.leads, tally.stages.at(-1)]),
      [
        ['facebook', 125_050, 2, 1],
        ['radio', 30_000, 0, 0],
      ],
    )
    const text = readable((await manager.get('/insight?range=30&kind=student')).text)
    match(text, /Cost Wrote in For each who wrote in Came to enrolled For each enrolled facebook/)
    match(text, /radio \$\d+\.\d\d 0 none yet 0 none yet/)
    const csv = await (await manager.fetch(NOVEMBER.replace('?', '/costs.csv?'))).text()
    match(csv, /facebook,\d+\.\d\d,2,\d+\.\d\d,1,\d+\.\d\d/)
  })

  test('a month that is only partly in the range counts by its days', async t => {
    const { enter, app } = await aSchool(t, engine)
    await enter('facebook', '2026-11', '300')
    await enter('facebook', '2026-10', '310')
    const cents = async (from: string, to: string) => (await app.store.readSourceCosts({ from, to }))[0]?.cents
    equal(await cents('2026-11-01', '2026-11-10'), 10_000)
    equal(await cents('2026-10-31', '2026-11-01'), 2000)
    equal(await cents('2026-12-01', '2026-12-31'), undefined)
  })

  test('what is entered again replaces what was there, and 0 takes it away', async t => {
    const { enter, app } = await aSchool(t, engine)
    await enter('Radio', '2026-11', '300')
    await enter('radio', '2026-11', '200')
    deepEqual(await app.store.listSourceCosts(), [{ source: 'radio', month: '2026-11', cents: 20_000 }])
    match((await enter('radio', '2026-11', '0')).text, /has no cost/)
    deepEqual(await app.store.listSourceCosts(), [])
  })

  test('without an amount, a month and a source, nothing is saved, and the page says what is expected', async t => {
    const { enter, app, manager } = await aSchool(t, engine)
    for (const [source, month, cost, sentence] of [
      [' ', '2026-11', '1', /where the leads came from/],
      ['Radio', '2026-13', '1', /Enter a month/],
      ['Radio', 'November', '1', /Enter a month/],
      ['Radio', '2026-11', '-5', /Enter an amount/],
      ['Radio', '2026-11', '1.005', /Enter an amount/],
      ['Radio', '2026-11', '', /Enter an amount/],
    ] as const) {
      const { status, text } = await enter(source, month, cost)
      equal(status, 422)
      match(readable(text), sentence)
    }
    deepEqual(await app.store.listSourceCosts(), [])
    ok((await manager.get('/insight')).text.includes('Enter what sources cost'))
  })

  test('a viewer sees what sources cost, and cannot enter it', async t => {
    const { enter, client } = await aSchool(t, engine)
    await enter('facebook', '2026-11', '300')
    const viewer = await client('viewer')
    const { text } = await viewer.get('/insight')
    match(readable(text), /For each who wrote in/)
    ok(!text.includes('Enter what sources cost'))
    equal((await viewer.get('/costs')).status, 403)
  })
})
