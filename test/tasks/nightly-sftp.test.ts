/** Nightly exports by SFTP: what `sftp` of OpenSSH is told, and what comes of it. */
import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sftp, sftpUrl } from '../../src/config/environment-values.ts'
import { NotSent, sendBySftp } from '../../src/tasks/sftp-command.ts'
import { temporaryFolder } from '../support/folder.ts'

/** Something in the place of `sftp`, which records how it was called, and ends as the test says. */
function aProgram(t: TestContext, end = 'process.exit(0)') {
  const folder = temporaryFolder(t)
  const record = join(folder, 'called.json')
  const script = `
    const fs = require('node:fs')
    const batch = fs.readFileSync(0, 'utf8')
    fs.writeFileSync(${JSON.stringify(record)}, JSON.stringify({ args: process.argv.slice(1), batch, env: process.env }))
    ${end}`
  const called = () => JSON.parse(readFileSync(record, 'utf8')) as { args: string[]; batch: string; env: object }
  return { folder, called, program: [process.execPath, '-e', script, '--'] }
}

const target = { user: 'school', host: 'sis.example', port: 2222, folder: '/in/' }
const name = 'students-2026-11-26.csv'

test('a file is sent beside its place and renamed, without a password, to a host that is known', async t => {
  const { folder, called, program } = aProgram(t)
  await sendBySftp(target, { folder: join(folder, 'a "b" c'), name }, { program })
  const { args, batch, env } = called()
  deepEqual(batch.split('\n'), [
    `put "${join(folder, 'a \\"b\\" c', name)}" /in/.${name}.part`,
    `-rm /in/${name}`,
    `rename /in/.${name}.part /in/${name}`,
    '',
  ])
  deepEqual(args.slice(-3), ['-P', '2222', 'school@sis.example'])
  for (const option of ['-oBatchMode=yes', '-oStrictHostKeyChecking=yes']) equal(args.includes(option), true, option)
  equal('DATABASE_URL' in env || 'SECRET_KEY' in env, false)
})

test('why a file was not sent is said in words', async t => {
  const { folder, program } = aProgram(t, `console.error('Permission denied (publickey).\\n'); process.exit(255)`)
  const sent = sendBySftp(target, { folder, name }, { program })
  await rejects(sent, {
    message: 'it was written, but could not be sent: sftp ended with exit code 255: Permission denied (publickey).',
  })
  const missing = sendBySftp(target, { folder, name }, { program: [join(folder, 'sftp')] })
  await rejects(missing, (error: Error) => error instanceof NotSent && /is not installed/.test(error.message))
})

test('a transfer that does not end is ended', async t => {
  const { folder, program, called } = aProgram(t, 'setInterval(() => {}, 1000)')
  await rejects(sendBySftp(target, { folder, name }, { program, timeout: 500 }), /was ended by SIGKILL/)
  if (existsSync(join(folder, 'called.json'))) match(called().batch, /^put /)
})

test('so is the connection that the program has opened, whose server may hang', { timeout: 30_000 }, async t => {
  const endless = 'setInterval(() => {}, 1000)'
  const connect = `require('node:child_process').spawn(process.execPath, ['-e', '${endless}'], { stdio: 'inherit' })`
  const { folder, program } = aProgram(t, `${connect}; ${endless}`)
  await rejects(sendBySftp(target, { folder, name }, { program, timeout: 2000 }), /was ended by SIGKILL/)
})

test('a transfer ends with the service', async t => {
  const { folder, program } = aProgram(t, 'setInterval(() => {}, 1000)')
  const stopping = new AbortController()
  const sent = sendBySftp(target, { folder, name }, { program, timeout: 5000, signal: stopping.signal })
  stopping.abort()
  await rejects(sent, { name: 'AbortError' })
})

test('the receiver is a URL without a password, and nothing in it can be an option or a command', () => {
  for (const [url, folder] of [
    ['sftp://a@b.example', '/'],
    ['sftp://a@b.example/in/new', '/in/new/'],
    ['sftp://a@b.example/~/', ''],
    ['sftp://a@b.example/~/in/', 'in/'],
  ] as const)
    deepEqual(sftp(url), { user: 'a', host: 'b.example', port: 22, folder })
  equal(sftpUrl(sftp('sftp://a@b.example:2222/~/in')), 'sftp://a@b.example:2222/~/in/')
  for (const url of [
    'sftp://b.example/in',
    'sftp://a:secret@b.example/in',
    'sftp://-oProxyCommand=x@b.example/in',
    'sftp://a@-b.example/in',
    'sftp://a@b.example/-in',
    'sftp://a@b.example/~/-in',
    'sftp://a@b.example/in out',
    'sftp://a@b.example/in;ls',
    'sftp://a@b.example/../in',
    'sftp://a@b.example:99999/in',
    'ssh://a@b.example/in',
  ])
    throws(() => sftp(url), url)
})
