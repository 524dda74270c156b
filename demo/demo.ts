/**
 * `npm run demo`: starts the service with an invented month on a database that is thrown away at the end,
 * and prints the link that signs you in. Nothing is sent: emails become files, which go with the rest.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConfig } from '../src/config/config.ts'
import { checkSettings } from '../src/config/settings.ts'
import { createApp } from '../src/create-app.ts'
import { createLog } from '../src/platform/log.ts'
import { liveThroughAMonth } from './month.ts'
import { demoSettings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'frontdesk-demo-'))
const ports = {
  site: 3400,
  learn: 3401,
  console: 3402,
  door: Number(process.env['DEMO_PORT'] ?? 3403),
}
const at = (port: number) => `http://localhost:${port}`
const config = buildConfig(
  {
    DATA_DIR: folder,
    DATABASE_URL: `sqlite:${join(folder, 'frontdesk.db')}`,
    BASE_URL: at(ports.site),
    LEARN_URL: at(ports.learn),
    CONSOLE_URL: at(ports.console),
    SITE_PORT: String(ports.site),
    LEARN_PORT: String(ports.learn),
    CONSOLE_PORT: String(ports.console),
    UNLIMITED_NETWORKS: '127.0.0.0/8,::1',
  },
  checkSettings(demoSettings),
)

await liveThroughAMonth({ ...config, sitePort: 0, learnPort: 0, consolePort: 0 }, Date.now())
const app = await createApp(config, { log: createLog('warn') })
await app.listen()
app.work()

const now = app.store.clock.now()
const operator = await app.store.addOperator({
  email: 'maria@school.example',
  name: 'Maria Lopez',
  role: 'admin',
  now,
})
if (operator === undefined) throw new Error('The new database has an operator already')
const token = randomBytes(32).toString('base64url')
await app.store.addSession(operator, {
  tokenHash: createHash('sha256').update(token).digest('base64url'),
  network: '127.0.0.1',
  browser: 'the demo',
  now,
})

// Cookies belong to a host, whatever its port: this one hands out the session of the demo.
const door = createServer((_, response) => {
  response.writeHead(303, {
    'Set-Cookie': `session=${token}; Path=/; HttpOnly; SameSite=Lax`,
    Location: `${at(ports.console)}/inbox`,
  })
  response.end()
})
door.listen(ports.door, '127.0.0.1')

process.stdout.write(`
The demo is ready. This link signs you in as Maria Lopez, an admin:

  ${at(ports.door)}/

Everything is invented, nothing is sent, and all of it is deleted when you press Ctrl+C.
`)

const end = async () => {
  door.close()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
process.once('SIGINT', () => void end())
process.once('SIGTERM', () => void end())
