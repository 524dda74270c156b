/** Starts a service on a filled database, with an admin who is signed in to its console. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConfig } from '../../src/config/config.ts'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { createApp } from '../../src/create-app.ts'
import { createLog } from '../../src/platform/log.ts'
import { watchStore } from './pages.ts'

/** `waited` says for how long so far the pages have waited for the store, in milliseconds. */
export async function openBenchConsole(database: DatabaseAddress) {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-console-bench-'))
  const config = buildConfig(
    {
      DATA_DIR: folder,
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url,
      SITE_PORT: '0',
      LEARN_PORT: '0',
      CONSOLE_PORT: '0',
      SECRET_KEY: randomBytes(32).toString('base64url'),
      UNLIMITED_NETWORKS: '127.0.0.0/8,::1',
    },
    checkSettings({}),
  )
  const app = await createApp(config, { log: createLog('silent'), drainDelay: 0 })
  const close = async () => {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const { console } = await app.listen(['console'])
    const now = app.store.clock.now()
    const email = `${randomBytes(6).toString('hex')}@school.example`
    const operator = await app.store.addOperator({ email, name: 'Bench', role: 'admin', now })
    const token = randomBytes(32).toString('base64url')
    const tokenHash = createHash('sha256').update(token).digest('base64url')
    await app.store.addSession(operator ?? 0, { tokenHash, network: '127.0.0.1', browser: 'bench', now })
    const client = { origin: `http://127.0.0.1:${console?.port}`, cookie: `session=${token}` }
    return { client, waited: watchStore(app.store), close }
  } catch (error) {
    await close()
    throw error
  }
}
