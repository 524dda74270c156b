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
  test('says what is well, and what a production would change', async t => {
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

  test('names files of the own content folder that are never used', async t => {
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
    match(out, /note {2}content: public\/prices\.md takes no other file's place/)
    equal(out.includes('public/pricing.md'), false)
  })

  test('every command tells a wrong environment by exit code 2', async t => {
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

  test('fails when the mail server refuses, and says what it said', async t => {
    const smtp = await startSmtp(t, { answers: { rcpt: '550 5.1.1 no such user' } })
    const frontdesk = frontdeskIn(temporaryFolder(t), { SMTP_URL: smtp.url })
    const [refused, wrong] = await Promise.all([
      frontdesk('check', '--send-test-mail', 'me@school.example'),
      frontdesk('check', '--send-test-mail', 'nonsense'),
    ])
    equal(refused.code, 1)
    match(refused.out, /fail {2}mail: .*550 5\.1\.1 no such user/)
    match(refused.err, /Not everything is as it should be\./)
    equal(wrong.code, 1)
    match(wrong.out, /fail {2}mail: "nonsense" is no e-mail address/)
    equal(smtp.messages.length, 0)
  })

  test('fails when nobody answers where the mail server should be, or no database is one', async t => {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'frontdesk.db'), 'this is no database, and long enough to tell so\n')
    const { code, out } = await frontdeskIn(folder, { SMTP_URL: 'smtp://127.0.0.1:1' })('check')
    equal(code, 1)
    match(out, /ok {4}environment and settings/)
    match(out, /fail {2}database .*frontdesk\.db: file is not a database/)
    match(out, /fail {2}mail: .*ECONNREFUSED/)
  })

  test('speaks of PostgreSQL where that keeps the data, and never says its password', async t => {
    const url = new URL(urlOf(await newDatabase(t, 'postgres')))
    const [port] = await freePorts(1)
    const check = (change: (url: URL) => void = () => {}) => {
      const changed = new URL(url)
      change(changed)
      return frontdeskIn(temporaryFolder(t), { DATABASE_URL: changed.href })('check')
    }
    const [well, wrongPassword, nobody] = await Promise.all([
      check(),
      check(url => {
        url.password = 'hunter2'
      }),
      check(url => {
        url.port = String(port)
      }),
    ])
    equal(well.code, 0, well.err)
    ok(well.out.includes(`ok    database postgres://postgres@${url.host}${url.pathname}\n`))
    equal(wrongPassword.code, 1)
    match(wrongPassword.out, /fail {2}database .*: the server refuses the password of postgres\n/)
    equal(nobody.code, 1)
    ok(nobody.out.includes(`: nothing listens at 127.0.0.1:${port}\n`))
    for (const { out, err } of [well, wrongPassword, nobody]) {
      for (const secret of [url.password, 'hunter2']) equal((out + err).includes(secret), false)
    }
  })

  test('says what is wrong with a database address, and not what it says', async t => {
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
