import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { newDatabase, onEachEngine } from '../test/support/engines.ts'
import { makeFolder } from './follow-up/place.ts'
import { runMonth } from './follow-up/simulation.ts'
import { seedOfTests } from './random.ts'

onEachEngine(engine => {
  test('in a month of kills, jumping clocks and failing mail, all that is due happens once', async t => {
    const seed = seedOfTests()
    t.diagnostic(`seed ${seed}`)
    const { folder, remove } = makeFolder()
    const place = { database: await newDatabase(t, engine), server: undefined }
    const { violations, table } = await runMonth(
      {
        engine,
        replicas: engine === 'sqlite' ? 1 : 2,
        leads: 60,
        seed,
        kills: 3,
        pace: 8,
      },
      { place, folder },
      line => t.diagnostic(line),
    )
    for (const [what, figure] of table) t.diagnostic(`${what}: ${figure}`)
    deepEqual(violations, [], `see ${folder}`)
    const figures = new Map(table)
    ok(Number(figures.get('kills')) > 0, 'nobody was killed')
    ok(Number(figures.get('messages: step')) > 0, 'nobody was written to')
    remove()
  })
})
