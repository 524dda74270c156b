import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { newDatabase, onEachEngine } from '../test/support/engines.ts'
import { makeFolder } from './follow-up/folder.ts'
import { runMonth } from './follow-up/simulation.ts'
import { seedOfTests } from './random.ts'

onEachEngine(engine => {
  test('everything that is due happens once in a month of kills, jumping clocks and failing mail', async t => {
    const seed = seedOfTests()
    t.diagnostic(`seed ${seed}`)
    const { folder, remove } = makeFolder()
    const storage = { database: await newDatabase(t, engine), server: undefined }
    const { violations, table } = await runMonth(
      { engine, replicas: engine === 'sqlite' ? 1 : 2, leads: 60, seed, kills: 3, pace: 8 },
      { storage, folder },
      line => t.diagnostic(line),
    )
    for (const [what, figure] of table) t.diagnostic(`${what}: ${figure}`)
    deepEqual(violations, [], `see ${folder}`)
    const figures = new Map(table)
    ok(Number(figures.get('kills')) > 0, 'no replica was killed')
    ok(Number(figures.get('messages: step')) > 0, 'no follow-up email was sent')
    remove()
  })
})
