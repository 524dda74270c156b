import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newDatabase, urlOf } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePorts } from '../support/process.ts'
import { startSmtp } from '../support/smtp.ts'
import { frontdeskIn, spawnedFrontdeskIn } from './frontdesk.ts'

describe('frontdesk check', () => {
  test('lists what works, and what to change before production', async t => {
    const { code, out, err } = await frontdeskIn(temporaryFolder(t))('check')
    equal(code, 0, err)
    match(out, /^ok {4}environment and settings\nok {4}content\nok {4}database .*\nok {4}mail\n/)
    match(out, /note {2}SMTP_URL is not set/)
  })

  test('lists every problem of the environment and the settings at once', async t => {
    const folder = temporaryFolder(t)
    const config = join(folder, 'mine.config.ts')
    writeFileSync(config, `export default { school: { timeZone: 'Mars/Base' } }`)
    const { code, out, err } = await frontdeskIn(folder, {
      BASE_URL: 'nowhere',
      SITE_PORT: '99999',
      MAIL_FROM: 'nobody',
      SECRET_KEY: 'short-canary',
      FRONTDESK_CONFIG: config,
    })('check')
    equal(code, 2)
    equal(out, '')
    match(err, /^Invalid configuration:\n/)
    for (const name of ['BASE_URL must', 'SITE_PORT must', 'MAIL_FROM must', 'SECRET_KEY must']) {
      match(err, new RegExp(`\\n {2}- ${name}`))
    }
    match(err, /school\.timeZone must be a time zone such as/)
    equal(err.includes('canary'), false)
  })

  test("names the files in the operator's content folder that nothing uses", async t => {
    const folder = temporaryFolder(t)
    const config = join(folder, 'mine.config.ts')
    writeFileSync(config, `export default { content: 'mine' }`)
    mkdirSync(join(folder, 'mine/public'), { recursive: true })
    const page = '---\ntitle: Prices\ndescription: What things cost\n---\n# Prices\n'
    for (const name of ['pricing.md', 'prices.md']) {
      writeFileSync(join(folder, 'mine/public', name), page)
    }
    const { code, out } = await frontdeskIn(folder, { FRONTDESK_CONFIG: config })('check')
    equal(code, 0)
    match(out, /note {2}content: public\/prices\.md does not override any built-in file/)
    equal(out.includes('public/pricing.md'), false)
  })

  test('every command ends with exit code 2 when the environment is invalid', async t => {
    const frontdesk = spawnedFrontdeskIn(temporaryFolder(t), { HOST: '', LEARN_URL: 'x' })
    const runs = await Promise.all([
      frontdesk('serve'),
      frontdesk('leads', 'list'),
      frontdesk('mail', 'list'),
    ])
    for (const run of runs) {
      equal(run.code, 2)
      match(run.err, /LEARN_URL must be a URL such as/)
    }
  })

  test('sends a test message through the mail server', async t => {
    const smtp = await startSmtp(t)
    const frontdesk = frontdeskIn(temporaryFolder(t), {
      SMTP_URL: smtp.url,
      MAIL_FROM: 'desk@school.example',
    })
    const { code, out } = await frontdesk('check', '--send-test-mail', 'me@school.example')
    equal(code, 0)
    match(out, /sent {2}a test message to me@school\.example, through /)
    equal(smtp.messages.length, 1)
    equal(smtp.messages[0]?.to[0], 'me@school.example')
    match(smtp.messages[0]?.raw ?? '', /^From: .*desk@school\.example/m)
  })

  test('fails when the mail server rejects the message, and quotes it', async t => {
    const smtp = await startSmtp(t, { replies: { rcpt: '550 5.1.1 no such user' } })
    const frontdesk = frontdeskIn(temporaryFolder(t), { SMTP_URL: smtp.url })
    const [rejected, invalid] = await Promise.all([
      frontdesk('check', '--send-test-mail', 'me@school.example'),
      frontdesk('check', '--send-test-mail', 'nonsense'),
    ])
    equal(rejected.code, 1)
    match(rejected.out, /fail {2}mail: .*550 5\.1\.1 no such user/)
    match(rejected.err, /Not all checks passed\./)
    equal(invalid.code, 1)
    match(invalid.out, /fail {2}mail: "nonsense" is not a valid email address/)
    equal(smtp.messages.length, 0)
  })

  test('fails when no mail server listens, or the database file is not a database', async t => {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'frontdesk.db'), 'this is no database, and long enough to tell so\n')
    const { code, out } = await frontdeskIn(folder, { SMTP_URL: 'smtp://127.0.0.1:1' })('check')
    equal(code, 1)
    match(out, /ok {4}environment and settings/)
    match(out, /fail {2}database .*frontdesk\.db: file is not a database/)
    match(out, /fail {2}mail: .*ECONNREFUSED/)
  })

  test('names the PostgreSQL database, but never its password', async t => {
    const url = new URL(urlOf(await newDatabase(t, 'postgres')))
    const [port] = await freePorts(1)
    const check = (change: (url: URL) => void = () => {}) => {
      const changed = new URL(url)
      change(changed)
      return frontdeskIn(temporaryFolder(t), { DATABASE_URL: changed.href })('check')
    }
    const [valid, wrongPassword, unreachable] = await Promise.all([
      check(),
      check(url => {
        url.password = 'hunter2'
      }),
      check(url => {
        url.port = String(port)
      }),
    ])
    equal(valid.code, 0, valid.err)
    ok(valid.out.includes(`ok    database postgres://postgres@${url.host}${url.pathname}\n`))
    equal(wrongPassword.code, 1)
    match(wrongPassword.out, /fail {2}database .*: the server refuses the password of postgres\n/)
    equal(unreachable.code, 1)
    ok(unreachable.out.includes(`: nothing listens at 127.0.0.1:${port}\n`))
    for (const { out, err } of [valid, wrongPassword, unreachable]) {
      for (const secret of [url.password, 'hunter2']) equal((out + err).includes(secret), false)
    }
  })

  test('says what is wrong with DATABASE_URL without quoting it', async t => {
    const addresses = ['postgres://desk:hunter2@', 'mysql://desk:hunter2@db/desk', 'sqlite:']
    const runs = await Promise.all(
      addresses.map(DATABASE_URL => frontdeskIn(temporaryFolder(t), { DATABASE_URL })('check')),
    )
    for (const { code, out, err } of runs) {
      deepEqual([code, out], [2, ''])
      match(err, /DATABASE_URL must be sqlite:FILE or postgres:/)
      equal(err.includes('hunter2'), false)
    }
  })
})
