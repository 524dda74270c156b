/**
 * `npm run campaign:mail`: how long a new lead waits for its notification once a mail server that failed is well again, for
 * twelve ways to fail. Exits with 1 if one takes longer than 5 seconds, or if a connection is used on that said garbage.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pino from 'pino'
import { buildConfig } from '../src/config/config.ts'
import { checkSettings } from '../src/config/settings.ts'
import { createApp } from '../src/create-app.ts'
import { createLog } from '../src/platform/log.ts'
import { SECOND } from '../src/platform/time.ts'
import { aSite } from '../test/support/bodies.ts'
import { type Engine, urlOf } from '../test/support/engines.ts'
import { notifyingOfEach } from '../test/support/process.ts'
import { type FaultName, FaultyMailServer, faultNames } from './mail-faults.ts'
import { print } from './report.ts'
import { type Cleanup, makeStorage } from './set-up.ts'

const SOON = 5 * SECOND
const LONGEST = 60 * SECOND

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
  },
})
const engine = values.engine as Engine
const faulty = Number(values.seconds) * SECOND

type Recovery = { name: FaultName; waited: number | undefined; before: number; afterGarbage: number }

/** Lets a service send mail to a server that fails for a while, and sends it a new lead once that is well again. */
async function recover(name: FaultName): Promise<Recovery> {
  const cleanups: (() => unknown)[] = []
  const t = { after: (cleanup: () => unknown) => void cleanups.push(cleanup) } as unknown as Cleanup
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-mail-'))
  try {
    const server = new FaultyMailServer(name)
    await server.open(t)
    const { database } = await makeStorage(t, engine, folder)
    const env = { ...notifyingOfEach, DATABASE_URL: urlOf(database), SMTP_URL: server.url, DATA_DIR: folder }
    const ports = { SITE_PORT: '0', LEARN_PORT: '0', CONSOLE_PORT: '0' }
    const settings = checkSettings({ mail: { notificationsAtOnce: 1_000_000 } })
    const log = createLog('fatal', pino.destination({ dest: join(folder, 'log'), sync: true }))
    const app = await createApp(buildConfig({ ...env, ...ports }, settings), { log })
    t.after(() => app.close())
    const { site } = await app.listen()
    app.work()
    let sent = 0
    const send = async (mark: string) => {
      const body = JSON.stringify(aSite({ email: `${mark}@mail.example`, startedAt: Date.now() - 90_000 }))
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(`http://127.0.0.1:${site?.port}/api/site-interest`, {
        method: 'POST',
        headers,
        body,
      })
      if (response.status !== 200) throw new Error(`a submission got ${response.status}`)
    }
    for (const end = Date.now() + faulty; Date.now() < end; await sleep(200)) await send(`before${sent++}`)
    server.recover()
    const begun = performance.now()
    await send('fresh')
    while (!server.taken.some(text => text.includes('fresh@mail.example')) && performance.now() - begun < LONGEST)
      await sleep(20)
    const waited = performance.now() - begun
    const { afterGarbage } = server
    return { name, waited: waited < LONGEST ? waited : undefined, before: sent, afterGarbage }
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
    rmSync(folder, { recursive: true, force: true })
  }
}

const chosen = faultNames.filter(one => one.includes(values.only))
if (chosen.length === 0) throw new Error(`--only must be part of one of these: ${faultNames.join('; ')}`)
let wrong = 0
for (const name of chosen) {
  const { waited, before, afterGarbage } = await recover(name)
  const late = waited === undefined || waited > SOON
  if (late || afterGarbage > 0) wrong++
  const figure = waited === undefined ? 'never' : `${(waited / SECOND).toFixed(2)} s`
  const reused = afterGarbage > 0 ? `, and ${afterGarbage} commands came after garbage` : ''
  print(`${figure.padStart(8)}  the server ${name}, with ${before} leads before${reused}${late ? '  TOO LATE' : ''}`)
}
process.exitCode = wrong === 0 ? 0 : 1
