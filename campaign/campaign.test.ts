import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { onEachEngine } from '../test/support/engines.ts'
import { runCampaign } from './campaign.ts'
import { seedOfTests } from './random.ts'

onEachEngine(engine => {
  test('every submission that is sent many times during kills is stored and announced once', async t => {
    const seed = seedOfTests()
    t.diagnostic(`seed ${seed}`)
    const { violations, table } = await runCampaign(
      t,
      {
        engine,
        replicas: engine === 'sqlite' ? 1 : 2,
        keys: 60,
        copies: 5,
        seed,
        quick: true,
        connections: 20,
        keysPerSecond: 25,
        faultInterval: 400,
        maxFaults: engine === 'sqlite' ? 3 : 5,
      },
      line => t.diagnostic(line),
    )
    for (const [what, figure] of table) t.diagnostic(`${what}: ${figure}`)
    deepEqual(violations, [])
    const figures = new Map(table)
    ok(Number(figures.get('kills')) > 0, 'no replica was killed')
  })
})
