/**
 * `npm run demo`: starts the service with an invented month on a database that is thrown away at the end,
 * and prints links that sign you in, one for each role. It ends with the process that started it. Nothing is sent. It
 * listens at four ports in a row, the first of which is DEMO_PORT, or the first that are free.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildConfig } from '../src/config/config.ts'
import { checkSettings } from '../src/config/settings.ts'
import { createApp } from '../src/create-app.ts'
import { createLog } from '../src/platform/log.ts'
import { SECOND } from '../src/platform/time.ts'
import { fastFolder } from '../test/support/folder.ts'
import { addCaller, beginOfMonth, demoMailer, liveThroughAMonth } from './month.ts'
import { findPorts } from './ports.ts'
import { demoSettings } from './settings.ts'
import { linksInWords, openDoor, signEveryoneIn } from './sign-ins.ts'

const first = await findPorts(process.env['DEMO_PORT']).catch(({ message }: Error) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
})
const ports = { site: first, learn: first + 1, console: first + 2, door: first + 3 }

const folder = mkdtempSync(join(fastFolder(), 'frontdesk-demo-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
let stop = async () => {}
let stopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, async () => {
    await end()
  })
// A parent that is killed passes no signal on: then this process gets another parent.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) void end()
}, SECOND).unref()

async function end(): Promise<void> {
  if (stopping) return
  stopping = true
  await stop()
  process.exit()
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

const today = Date.now()
const month = beginOfMonth(today)
let lived = false
const app = await createApp(config, {
  clock: { now: () => (lived ? Date.now() : month.now) },
  mailer: demoMailer,
  log: createLog('error'),
})
await app.listen()
const urls = {
  site: `${at(ports.site)}/api/site-interest`,
  learn: `${at(ports.learn)}/api/admissions/interest`,
  form: `${at(ports.learn)}/forms/student-interest`,
}
await liveThroughAMonth(app, urls, month, today)
lived = true
app.work()

const sessions = await signEveryoneIn(app)
await addCaller(at(ports.console), sessions.get('/counselor') ?? '')
const door = openDoor(sessions, at(ports.console))
door.listen(ports.door, '127.0.0.1')
stop = async () => {
  door.close()
  await app.close()
}

process.stdout.write(`
The demo is ready. Each link signs you in:

${linksInWords(at(ports.door))}

Everything is invented, nothing is sent, and all of it is deleted when you press Ctrl+C.
`)
