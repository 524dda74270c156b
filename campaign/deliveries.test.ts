import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { migratedDatabase, onEachEngine } from '../test/support/engines.ts'
import { runSequences } from './deliveries/run-sequences.ts'
import { makeFolder } from './follow-up/folder.ts'
import { seedOfTests } from './random.ts'

onEachEngine(engine => {
  test('programs hear of everything in order and once, whatever happens to them and to their destinations', async t => {
    const seed = seedOfTests()
    t.diagnostic(`seed ${seed}`)
    const { folder, remove } = makeFolder()
    const storage = { database: await migratedDatabase(t, engine), server: undefined }
    const { violations, table } = await runSequences(t, { engine, seed, count: 4 }, { storage, folder }, () => {})
    for (const [what, figure] of table) t.diagnostic(`${what}: ${figure}`)
    deepEqual(violations, [], `see ${folder}`)
    ok((new Map(table).get('events that were accepted') ?? 0) > 20, 'the programs heard of little')
    remove()
  })
})
