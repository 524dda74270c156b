/**
 * A mail server that fails in any of twelve ways, until it is well again: the next new lead waits for nothing of
 * before.
 */
import { equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type FaultName, FaultyMailServer, faultNames } from '../../campaign/mail-faults.ts'
import { buildConfig } from '../../src/config/config.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { createApp } from '../../src/create-app.ts'
import { createSmtpMailer } from '../../src/mail/transport/smtp.ts'
import { createLog } from '../../src/platform/log.ts'
import { HOUR } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { migratedDatabase, urlOf } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'

/** In milliseconds: what hangs lets the next one go at once, and then hangs for good. */
const HANGS_AFTER = 50

/** More than the worker has at once while none hangs. */
const BEFORE = 16

/** The whole service, with a worker, and a mail server that fails. */
async function aService(t: TestContext, fault: FaultName) {
  const server = new FaultyMailServer(fault)
  await server.open(t)
  const env = {
    DATABASE_URL: urlOf(await migratedDatabase(t, 'sqlite')),
    DATA_DIR: temporaryFolder(t),
    SITE_PORT: '0',
    LEARN_PORT: '0',
    CONSOLE_PORT: '0',
  }
  const app = await createApp(buildConfig(env, checkSettings({ mail: { notificationsAtOnce: 1_000_000 } })), {
    log: createLog('fatal', { write: () => {} }),
    mailer: createSmtpMailer(server.url, { deadline: HOUR, hangsAfter: HANGS_AFTER }),
    drainDelay: 0,
  })
  t.after(() => app.close())
  const { site } = await app.listen()
  app.work()
  const send = async (mark: string) => {
    const response = await fetch(`http://127.0.0.1:${site?.port}/api/site-interest`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(aSite({ email: `${mark}@mail.example`, startedAt: Date.now() - 90_000 })),
    })
    equal(response.status, 200)
  }
  return { server, send }
}

/** The test runner ends a test in which this never comes. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(20)
}

for (const fault of faultNames) {
  test(`once a mail server that ${fault} is well again, a new lead is told, whatever still hangs`, async t => {
    const { server, send } = await aService(t, fault)
    for (let n = 0; n < BEFORE; n++) await send(`before${n}`)
    await until(() => server.failed >= BEFORE / 2)
    server.recover()
    await send('fresh')
    await until(() => server.taken.some(text => text.includes('fresh@mail.example')))
    equal(server.afterGarbage, 0)
  })
}
