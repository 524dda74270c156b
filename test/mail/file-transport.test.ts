import { deepEqual, doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import PostalMime from 'postal-mime'
import { removeCaptured } from '../../src/mail/transport/files.ts'
import { createMailer } from '../../src/mail/transport/mailer.ts'
import { aConfig, aFolder, aMessage } from './fixtures.ts'

function setUp(t: TestContext) {
  const dataDir = aFolder(t)
  return { dataDir, folder: join(dataDir, 'mail'), mailer: createMailer(aConfig({ dataDir })) }
}

describe('mail as files', () => {
  test('holds the message that an SMTP server would have received', async t => {
    const { folder, mailer } = setUp(t)
    await mailer.send(aMessage({ replyTo: { name: 'Ana Ruiz', address: 'ana@mercy.example' } }))
    const raw = readFileSync(join(folder, '20261121T071500Z-notify.12.eml'), 'utf8')
    match(raw, /^Auto-Submitted: auto-generated\r$/m)
    doesNotMatch(raw, /[^\r]\n/)
    const mail = await PostalMime.parse(raw)
    equal(mail.messageId, '<notify.12@school.example>')
    equal(mail.subject, 'New site lead: Ana Ruiz, Mercy Hospital')
    equal(mail.text?.trim(), 'Ana Ruiz\nMercy Hospital')
    equal(mail.to?.[0]?.address, 'partnerships@school.example')
    equal(mail.replyTo?.[0]?.address, 'ana@mercy.example')
  })

  test('is readable only by its owner', async t => {
    const { folder, mailer } = setUp(t)
    await mailer.send(aMessage())
    equal(statSync(folder).mode & 0o777, 0o700)
    for (const name of readdirSync(folder)) equal(statSync(join(folder, name)).mode & 0o777, 0o600)
  })

  test('has one file per message, no matter how often it is sent', async t => {
    const { folder, mailer } = setUp(t)
    await Promise.all([mailer.send(aMessage()), mailer.send(aMessage())])
    await mailer.send(aMessage())
    deepEqual(readdirSync(folder), ['20261121T071500Z-notify.12.eml'])
  })

  test('sorts by time, and stays in its folder whatever the message id is', async t => {
    const { folder, mailer } = setUp(t)
    await mailer.send(aMessage({ id: 'later@x', date: new Date('2026-12-01T00:00:00.123Z') }))
    await mailer.send(aMessage({ id: '../../a b/ü@x', date: new Date('2026-11-30T23:59:59Z') }))
    const names = readdirSync(folder)
    deepEqual(names, ['20261130T235959Z-..-..-a-b-.eml', '20261201T000000Z-later.eml'])
  })

  test('fails with a temporary error when a file cannot be written', async t => {
    const { dataDir, folder, mailer } = setUp(t)
    writeFileSync(folder, 'in the way')
    await rejects(mailer.send(aMessage()), { code: 'ENOTDIR' })
    await rejects(mailer.verify(), { code: 'ENOTDIR' })
    ok(statSync(join(dataDir, 'mail')).isFile())
  })

  test('is verified without creating its folder, which only its owner may read', async t => {
    const { folder, mailer } = setUp(t)
    await mailer.verify()
    equal(existsSync(folder), false)
    await mailer.send(aMessage())
    equal(statSync(folder).mode & 0o777, 0o700)
    equal(mailer.destination, folder)
    await mailer.close()
  })

  test('about an erased person is removed, including drafts, and nothing else is', async t => {
    const { folder, mailer } = setUp(t)
    for (const name of ['step.1.0.ab', 'step.1.3.cd', 'step.11.0.ef', 'notify.1.0.gh']) {
      await mailer.send(aMessage({ id: `${name}@school.example` }))
    }
    writeFileSync(join(folder, '.20261121T071500Z-step.1.4.ij.eml.0a1b2c3d'), 'half of it')
    writeFileSync(join(folder, 'a note to myself about step.1.eml'), '')
    equal(await removeCaptured(folder, [{ kind: 'step', subject: 1 }]), 2)
    deepEqual(readdirSync(folder), [
      '20261121T071500Z-notify.1.0.gh.eml',
      '20261121T071500Z-step.11.0.ef.eml',
      'a note to myself about step.1.eml',
    ])
  })

  test('can be removed even if none was ever written', async t => {
    equal(await removeCaptured(setUp(t).folder, [{ kind: 'step', subject: 1 }]), 0)
  })
})
