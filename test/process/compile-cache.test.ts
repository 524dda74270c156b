import { deepEqual, equal, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { aSite } from '../support/bodies.ts'
import { temporaryFolder } from '../support/folder.ts'
import { mailFiles, startProcess, until } from '../support/process.ts'

/** Longer than the service takes to collect the garbage of its start, in milliseconds. */
const COLLECTED = 2500

test('what was compiled after the garbage of a start was collected is used before that, too', async t => {
  const dataDir = temporaryFolder(t)
  const env = { NODE_COMPILE_CACHE: join(dataDir, 'cache'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
  /** Sends a submission, whose emails need libraries that a start does not load. Returns what Node.js says. */
  const run = async (delay: number) => {
    const service = await startProcess(t, { dataDir, env })
    await wait(delay)
    const emails = mailFiles(dataDir).length
    const response = await fetch(`${service.origin.site}/api/site-interest`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(aSite()),
    })
    equal(response.status, 200)
    await until(() => mailFiles(dataDir).length > emails)
    await service.kill('SIGTERM')
    return service.stdout() + service.stderr()
  }
  await run(COLLECTED)
  const log = await run(0)
  deepEqual(log.match(/\S+ was rejected/g), null)
  ok(log.match(/\S+(?= was accepted)/g)?.some(file => file.includes('markdown-it.')))
})
