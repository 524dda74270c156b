import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import {
  HANGS_AFTER,
  mailFiles,
  openDatabase,
  type Service,
  spawnProcess,
  startProcess,
  until,
} from '../support/process.ts'
import { fill, mayMount, mountSmallDisk } from '../support/small-disk.ts'
import { nineOfTen } from './faults.ts'

/** The free space that is left on the small disk, in bytes. */
const ROOM = 256 * 1024

/** How long the service waits for the disk, in milliseconds. */
const GIVES_UP_AFTER = 10_000

/** Submits a student's inquiry and measures how long the response took. */
async function submit({ origin, now }: Service, body: object = aStudent()) {
  const begun = now()
  const response = await fetch(`${origin.learn}/api/admissions/interest`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const json = (await response.json()) as Record<string, unknown>
  const { status, headers } = response
  return { status, json, retryAfter: headers.get('retry-after'), took: now() - begun }
}

function assertRetryLater(result: Awaited<ReturnType<typeof submit>>) {
  equal(result.status, 503)
  deepEqual(Object.keys(result.json), ['error'])
  match(String(result.retryAfter), /^\d+$/)
}

/** Sends a submission again for as long as the response is 503, as clients do. */
async function untilAvailable(service: Service, body: object, first: Awaited<ReturnType<typeof submit>>) {
  let result = first
  for (const from = performance.now(); result.status === 503; await wait(50)) {
    ok(performance.now() - from < HANGS_AFTER, 'it still gets 503')
    result = await submit(service, body)
  }
  return result
}

describe('a stalled disk', () => {
  test('delays only requests that need it, rejects new submissions quickly, and loses none', async t => {
    const service = await startProcess(t)
    equal((await submit(service)).status, 200)
    const other = openDatabase(t, service.dataDir, { readOnly: false })
    other.exec('begin immediate')
    const begun = service.now()
    const since = performance.now()
    const body = aStudent()
    const stalled = submit(service, body)

    const health: number[] = []
    const rejections: number[] = []
    const waiting: { body: object; result: ReturnType<typeof submit> }[] = []
    let notReadyAfter = 0
    let over = false
    const watchHealth = async () => {
      for (let turn = 0; !over || turn < 20; turn++) {
        const hosts = Object.values(service.origin)
        const asked = service.now()
        equal((await fetch(`${hosts[turn % hosts.length]}/healthz`)).status, 200)
        health.push(service.now() - asked)
        await wait(20)
      }
    }
    const watchReady = async () => {
      for (;;) {
        if ((await fetch(`${service.origin.site}/readyz`)).status === 503) break
        ok(service.now() - begun < HANGS_AFTER, '/readyz does not return 503')
        await wait(20)
      }
      notReadyAfter = service.now() - begun
      const detailed = await fetch(`${service.origin.console}/readyz`)
      equal(detailed.status, 503)
      match(await detailed.text(), /The database is not responding\./)
    }
    const watchRejections = async () => {
      // Until the service notices that the disk stalls, what comes in waits as well.
      while (rejections.length < 10) {
        const body = aStudent()
        const result = submit(service, body)
        const rejected = await Promise.race([result, wait(SECOND)])
        if (rejected === undefined) {
          waiting.push({ body, result })
          continue
        }
        assertRetryLater(rejected)
        rejections.push(rejected.took)
      }
    }
    const others = Promise.all([watchReady(), watchRejections()]).finally(() => {
      over = true
    })
    await Promise.all([watchHealth(), others])
    const early = await Promise.race([stalled, undefined])
    const stalledFor = performance.now() - since
    other.exec('rollback')
    // This may have taken ten seconds on a slow machine: the service then says that it could not store it.
    if (early !== undefined) {
      assertRetryLater(early)
      const words = `it had a response before it could be stored, ${stalledFor} ms after the disk stalled`
      ok(stalledFor >= GIVES_UP_AFTER, words)
    }

    for (const { body: sent, result } of [{ body, result: stalled }, ...waiting])
      equal((await untilAvailable(service, sent, await result)).status, 200)
    equal((await submit(service)).status, 200)
    equal((await fetch(`${service.origin.site}/readyz`)).status, 200)
    const stored = openDatabase(t, service.dataDir).prepare('select count(*) as n from submissions')
    equal(stored.get()?.['n'], 3 + waiting.length)
    t.diagnostic(
      `/healthz mostly ${nineOfTen(health).toFixed(0)} ms, /readyz 503 after ${notReadyAfter.toFixed(0)} ms, rejected within ${Math.max(...rejections).toFixed(0)} ms, ${waiting.length} waited, too`,
    )
    // All of these took as long as the stall if they needed the disk.
    ok(nineOfTen(health) < 250, `/healthz took ${nineOfTen(health)} ms`)
    ok(notReadyAfter < GIVES_UP_AFTER / 2, `/readyz returned 503 after ${notReadyAfter} ms`)
    ok(nineOfTen(rejections) < 500, `rejected after ${nineOfTen(rejections)} ms`)
  })
})

describe('a full disk', () => {
  test('makes intake return 503, never a false 200, and intake resumes once there is space, even with the log on it', async t => {
    if (!mayMount()) {
      t.skip('mounting a small disk needs Linux and the capability CAP_SYS_ADMIN')
      return
    }
    const dataDir = mountSmallDisk(t, 3)
    const service = await startProcess(t, { dataDir, log: join(dataDir, 'log') })
    equal((await submit(service)).status, 200)
    // On a busy machine, what follows from it might otherwise use the room that is left.
    while (mailFiles(dataDir).length < 2) await wait(20)
    const filler = join(dataDir, 'filler')
    fill(filler, ROOM)

    let accepted = 1
    let rejected = 0
    const rejections: number[] = []
    const unstored: object[] = []
    for (let tries = 0; rejected < 10 && tries < 2000; tries++) {
      const body = aStudent()
      const result = await submit(service, body)
      if (result.status === 200) {
        accepted++
        continue
      }
      assertRetryLater(result)
      rejected++
      rejections.push(result.took)
      unstored.push(body)
    }
    equal(rejected, 10)
    ok(accepted > 1, 'nothing was accepted before the disk was full')
    equal((await fetch(`${service.origin.site}/healthz`)).status, 200)
    const readiness = async () => {
      const response = await fetch(`${service.origin.console}/readyz`)
      const { ready, database, warnings } = (await response.json()) as Record<string, unknown>
      return [response.status, ready, database, warnings]
    }
    // Each probe may still write a few pages where a submission did not fit.
    let full = await readiness()
    for (let tries = 0; full[0] === 200 && tries < 60; tries++) {
      await wait(1100)
      full = await readiness()
    }
    deepEqual(full.slice(0, 3), [503, false, 'not writable'])
    match(String(full[3]), /^The database cannot be written: .*full\./)
    equal((await fetch(`${service.origin.learn}/readyz`)).status, 503)
    ok(nineOfTen(rejections) < 1000, `rejected after ${nineOfTen(rejections)} ms`)

    rmSync(filler)
    const freed = performance.now()
    const [one = {}, ...others] = unstored
    const retry = await untilAvailable(service, one, await submit(service, one))
    const resumed = performance.now() - freed
    equal(retry.status, 200)
    for (const body of others) equal((await submit(service, body)).status, 200)
    deepEqual((await readiness()).slice(0, 3), [200, true, 'ok'])

    equal(service.child.exitCode, null, 'it was not restarted')
    equal((await service.kill('SIGTERM')).code, 0)
    const database = openDatabase(t, dataDir)
    const stored = database.prepare('select count(*) as n from submissions').get()
    equal(stored?.['n'], accepted + unstored.length)
    equal(database.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok')
    t.diagnostic(
      `${accepted} accepted until the disk was full, then rejected within ${Math.max(...rejections).toFixed(0)} ms, resumed ${resumed.toFixed(0)} ms after there was space`,
    )
  })

  test('does not end a start: the service waits, says so in its log, and goes on once there is space', async t => {
    if (!mayMount()) {
      t.skip('mounting a small disk needs Linux and the capability CAP_SYS_ADMIN')
      return
    }
    const dataDir = mountSmallDisk(t, 3)
    const before = await startProcess(t, { dataDir })
    equal((await submit(before)).status, 200)
    equal((await before.kill('SIGTERM')).code, 0)
    const filler = join(dataDir, 'filler')
    fill(filler, 0)
    const service = await spawnProcess(t, { dataDir })
    ok(await until(() => /"msg":"waiting for the database"/.test(service.stdout()) || service.child.exitCode !== null))
    match(service.stdout(), /"reason":"[^"]*(?:I\/O error|full)[^"]*"/)
    rmSync(filler)
    ok(await until(() => service.stdout().includes('"msg":"ready"') || service.child.exitCode !== null))
    equal((await submit(service)).status, 200)
    equal((await service.kill('SIGTERM')).code, 0)
    equal(openDatabase(t, dataDir).prepare('select count(*) as n from submissions').get()?.['n'], 2)
  })
})
