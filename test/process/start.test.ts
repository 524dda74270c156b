import { equal, match, ok } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'
import { spawnProcess, startProcess, until } from '../support/process.ts'

describe('the start of the process', () => {
  test('says on standard error where everything is, and what to change for production', async t => {
    const { origin, dataDir, stdout, stderr, kill } = await startProcess(t)
    const { code } = await kill('SIGTERM')
    equal(code, 0)
    ok(stderr().includes(`POST ${origin.site}/api/site-interest\n`), stderr())
    ok(stderr().includes(`POST ${origin.learn}/api/admissions/interest\n`))
    ok(stderr().includes(`Forms             ${origin.site}/forms\n`))
    ok(stderr().includes(`Console           ${origin.console}\n`))
    ok(stderr().includes(`${origin.console}/readyz\n`))
    ok(stderr().includes(join(dataDir, 'frontdesk.db')))
    ok(stderr().includes(join(dataDir, 'mail')))
    match(stderr(), /- SMTP_URL is not set: emails are written to files/)
    match(stderr(), /- MAIL_FROM is still an address at localhost/)
    match(stderr(), /- PARTNERSHIPS_EMAIL is still an address at localhost/)
    equal(stderr().includes('BASE_URL and LEARN_URL are still'), false)

    const lines = stdout().trimEnd().split('\n')
    const messages = lines.map(line => JSON.parse(line).msg)
    equal(messages[0], 'ready')
    equal(messages.at(-1), 'stopped')
  })

  test('prints the link that makes the first operator beside the log, and not once there is one', async t => {
    const dataDir = temporaryFolder(t)
    const first = await startProcess(t, { dataDir })
    const linkIn = (text: string) => /http\S+(\/welcome\/\S+)/.exec(text)?.[1]
    await until(() => linkIn(first.stderr()) !== undefined)
    const path = linkIn(first.stderr()) ?? ''
    const body = new URLSearchParams({ name: 'Ana', email: 'ana@school.example', password: 'correct horse battery' })
    const { console } = first.origin
    equal((await fetch(console + path)).status, 200)
    const options = { method: 'POST', body, headers: { Origin: console }, redirect: 'manual' } as const
    equal((await fetch(console + path, options)).status, 303, first.stdout())
    await first.kill('SIGTERM')
    equal(first.stdout().includes(path), false)

    const second = await startProcess(t, { dataDir })
    await until(() => second.stderr().includes('Frontdesk is ready'))
    equal(linkIn(second.stderr()), undefined)
    equal((await fetch(second.origin.console + path)).status, 404)
    equal((await second.kill('SIGTERM')).code, 0)
  })

  test('lists every wrong value of the environment and of the settings, and exits with 2', async t => {
    const { dataDir, stdout, stderr, exit } = await spawnProcess(t, {
      env: { SITE_PORT: '70000', TRUSTED_PROXIES: 'proxy.internal', SECRET_KEY: 'too short' },
    })
    equal((await exit).code, 2)
    match(stderr(), /^Invalid configuration:\n/)
    match(stderr(), / {2}- SITE_PORT must be a port number from 0 to 65535\n/)
    match(stderr(), / {2}- TRUSTED_PROXIES contains "proxy.internal", which is neither/)
    match(stderr(), / {2}- SECRET_KEY must have at least 32 characters\n/)
    equal(stderr().includes('too short'), false)
    equal(stdout(), '')

    writeFileSync(join(dataDir, 'frontdesk.config.ts'), `export default { scholl: {} }\n`)
    const second = await spawnProcess(t, { dataDir, env: { LOG_LEVEL: 'loud' } })
    equal((await second.exit).code, 2)
    match(second.stderr(), / {2}- LOG_LEVEL must be/)
    match(second.stderr(), /scholl/)
  })

  test('reports a port that is in use in plain words, and exits with 2', async t => {
    const first = await startProcess(t)
    const { port } = new URL(first.origin.learn)
    const second = await spawnProcess(t, { env: { LEARN_PORT: port } })
    equal((await second.exit).code, 2)
    equal(
      second.stderr(),
      `LEARN_PORT: 127.0.0.1:${port} is in use; stop the program that uses it, perhaps another Frontdesk, or set another port\n`,
    )
    equal(second.stdout(), '')
  })

  test('reports a database that cannot be opened in plain words, and exits with 2', async t => {
    const dataDir = temporaryFolder(t)
    const file = join(dataDir, 'frontdesk.db')
    writeFileSync(file, 'This is a letter and not a database. '.repeat(50))
    const started = await spawnProcess(t, { env: { DATA_DIR: dataDir } })
    equal((await started.exit).code, 2)
    equal(started.stderr(), `The database ${file} cannot be opened: file is not a database\n`)
  })

  test('works a second time on the same data folder, even while the first process runs', async t => {
    const first = await startProcess(t)
    const second = await startProcess(t, { dataDir: first.dataDir })
    for (const { origin } of [first, second]) {
      equal((await fetch(`${origin.console}/readyz`)).status, 200)
    }
    equal((await second.kill('SIGTERM')).code, 0)
    equal((await first.kill('SIGTERM')).code, 0)
    const third = await startProcess(t, { dataDir: first.dataDir })
    equal((await fetch(`${third.origin.site}/readyz`)).status, 200)
  })
})
