import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { aSite } from '../support/bodies.ts'
import { currentTestClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startSmtp } from '../support/smtp.ts'
import { frontdeskIn } from './frontdesk.ts'

const subjectsOf = (messages: { raw: string }[]) => messages.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw)?.[1] ?? '')

test('rehearse sends every message of the cadence to one address, in order, and stores nothing', async t => {
  const smtp = await startSmtp(t)
  const folder = temporaryFolder(t)
  const config = join(folder, 'mine.config.ts')
  const counselors = [{ id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }]
  const admissions = { counselors, manager: { name: 'Dana', email: 'dana@school.example' } }
  const school = { postalAddress: '100 Main Street, Springfield' }
  writeFileSync(config, `export default ${JSON.stringify({ school, admissions })}`)
  const frontdesk = frontdeskIn(folder, { SMTP_URL: smtp.url, FRONTDESK_CONFIG: config })
  const { code, out, err } = await frontdesk('rehearse', 'me@school.example')
  deepEqual([code, err], [0, ''])
  ok(smtp.messages.every(({ to }) => to.join() === 'me@school.example'))
  const subjects = subjectsOf(smtp.messages)
  subjects.forEach((subject, i) => {
    ok(subject.startsWith(`[Rehearsal ${i + 1}/${subjects.length}] `), subject)
  })
  // The notification, the receipt, three reminders and three emails; perhaps one about the close.
  ok(subjects.length >= 8)
  match(out, /^1\/\d+ {2}now {2}to Maria Lopez: /)
  match(out, /to Dana: /)
  ok(smtp.messages.every(({ raw }) => !/^List-Unsubscribe|^Reply-To/im.test(raw)))
  equal(existsSync(join(folder, 'frontdesk.db')), false)

  smtp.messages.length = 0
  equal((await frontdesk('rehearse', 'me@school.example', '--language', 'es')).code, 0)
  const languages = smtp.messages.map(({ raw }) => /^Content-Language: (.*)\r$/m.exec(raw)?.[1])
  equal(languages.filter(language => language === 'es').length, 4)
  equal(languages.filter(language => language === 'en').length, 0)
  const unknown = await frontdesk('rehearse', 'me@school.example', '--language', 'fr')
  equal(unknown.err, 'The settings do not have the language "fr"; use en or es.\n')

  smtp.messages.length = 0
  equal((await frontdesk('rehearse', 'me@school.example', '--kind', 'site')).code, 0)
  match(subjectsOf(smtp.messages)[0] ?? '', /^\[Rehearsal 1\/3\] /)
  smtp.replies.rcpt = '550 5.1.1 no such user'
  const failed = await frontdesk('rehearse', 'me@school.example')
  equal(failed.code, 1)
  match(failed.err, /does not know this address/)
})

test('rehearse leaves nothing behind when the content cannot be used', async t => {
  const folder = temporaryFolder(t)
  const config = join(folder, 'mine.config.ts')
  writeFileSync(config, `export default { content: 'mine' }`)
  mkdirSync(join(folder, 'mine/notifications'), { recursive: true })
  writeFileSync(join(folder, 'mine/notifications/reminder.md'), '{{ broken')
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = temporary
  t.after(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
  const frontdesk = frontdeskIn(folder, { FRONTDESK_CONFIG: config })
  equal((await frontdesk('rehearse', 'me@school.example')).code, 2)
  deepEqual(readdirSync(temporary), [])
})

test('quarantine digest sends the digest now, with links that work, and leaves the daily one as it is', async t => {
  const smtp = await startSmtp(t)
  // The command goes by the clock of this machine.
  const service = await startApp(t, { clock: currentTestClock() })
  const frontdesk = frontdeskIn(service.dataDir, { SMTP_URL: smtp.url })
  match((await frontdesk('quarantine', 'digest')).out, /No submissions are quarantined/)
  await service.postSite(aSite({ website: 'https://x.example' }))
  await service.settle()
  const before = await service.app.store.listMail({ limit: 9 })
  const { code, out } = await frontdesk('quarantine', 'digest', '--to', 'me@school.example')
  equal(code, 0)
  match(out, /^The digest was sent to me@school\.example, through smtp:/)
  deepEqual(smtp.messages[0]?.to, ['me@school.example'])
  deepEqual(await service.app.store.listMail({ limit: 9 }), before)
  const raw = (smtp.messages[0]?.raw ?? '').replace(/=\r\n/g, '').replace(/=3D/g, '=')
  const path = /http:\/\/localhost:3002(\/act\/[\w.-]+)/.exec(raw)?.[1] ?? ''
  equal((await service.request(service.origin.console + path)).status, 200)
})
