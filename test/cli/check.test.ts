import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { newDatabase, sql, urlOf } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePorts } from '../support/ports.ts'
import { startSmtp } from '../support/smtp.ts'
import { frontdeskIn, spawnedFrontdeskIn } from './frontdesk.ts'

describe('frontdesk check', () => {
  test('lists what works, and what to change before production', async t => {
    const { code, out, err } = await frontdeskIn(temporaryFolder(t))('check')
    equal(code, 0, err)
    match(out, /^ok {4}environment and settings\nok {4}database .*\nok {4}content\nok {4}mail\n/)
    match(out, /note {2}SMTP_URL is not set/)
    match(out, /note {2}CONSOLE_URL still points to localhost: the buttons in staff emails /)
  })

  test('names files and folders that other users of the machine may read or change', async t => {
    const folder = temporaryFolder(t)
    const check = async () => (await frontdeskIn(folder)('check')).out
    equal((await check()).includes('other users'), false)
    writeFileSync(join(folder, 'frontdesk.db'), '', { mode: 0o644 })
    chmodSync(folder, 0o777)
    const out = await check()
    match(out, /note {2}other users may write to \S+: chmod go-w /)
    match(out, /note {2}other users may read or change \S+frontdesk\.db: chmod 600 /)
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

  test('says when the color of the school is too light for links, and which logo emails leave out', async t => {
    const folder = temporaryFolder(t)
    const config = join(folder, 'mine.config.ts')
    writeFileSync(join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
    const brand = { color: '#ffd400', logo: 'logo.svg' }
    writeFileSync(config, `export default ${JSON.stringify({ school: { brand } })}`)
    const { code, out } = await frontdeskIn(folder, { FRONTDESK_CONFIG: config })('check')
    equal(code, 0)
    match(out, /note {2}school\.brand\.color #ffd400 is too light for text on white: links use #/)
    match(out, /note {2}school\.brand\.logo is an SVG/)
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
    match(out, /note {2}content: public\/prices\.md is used nowhere: no built-in file/)
    equal(out.includes('public/pricing.md'), false)
  })

  test('says where people who chose another language read our words, or English ones', async t => {
    const folder = temporaryFolder(t)
    const write = (file: string) => {
      mkdirSync(join(folder, 'mine', dirname(file)), { recursive: true })
      writeFileSync(join(folder, 'mine', file), '---\nsubject: Hello\nname: Hello\n---\nHello.\n')
    }
    const files = ['letters/receipt.md', 'letters/account-notice.md', 'es/letters/account-notice.md']
    for (const file of [...files, 'replies/mine.md', 'es/replies/yours.md']) write(file)
    const run = async (settings: { languages?: string[] }) => {
      const config = join(folder, `${settings.languages?.join('-')}.config.ts`)
      writeFileSync(config, `export default ${JSON.stringify({ content: 'mine', ...settings })}`)
      const { out } = await frontdeskIn(folder, { FRONTDESK_CONFIG: config })('check')
      return out.match(/^note {2}content: .*$/gm)?.map(line => line.slice(15)) ?? []
    }
    const ours =
      'letters/receipt.md is yours, but es/letters/receipt.md is still ours: people who chose Spanish read the words that come with Frontdesk'
    deepEqual(await run({}), [ours])
    const [, missing, ...more] = await run({ languages: ['en', 'es', 'pl'] })
    match(missing ?? '', /^pl\/\S+ \(and \d+ more\) does not exist: people who chose Polish get the English text$/)
    deepEqual(more, [])
    deepEqual(await run({ languages: ['en'] }), [
      "es/letters/account-notice.md is used nowhere: languages does not name 'es'",
      "es/replies/yours.md is used nowhere: languages does not name 'es'",
    ])
  })

  test('fails when own words have a name that no form uses', async t => {
    const folder = temporaryFolder(t)
    const config = join(folder, 'mine.config.ts')
    writeFileSync(config, "export default { content: '.' }")
    mkdirSync(join(folder, 'es'))
    const write = (words: string) => writeFileSync(join(folder, 'es/forms.json'), words)
    const frontdesk = frontdeskIn(folder, { FRONTDESK_CONFIG: config })
    write('{ "form": { "sent": "Enviar" } }')
    const { code, out } = await frontdesk('check')
    equal(code, 1)
    match(out, /fail {2}content: .*forms\.json: has form\.sent, which no form uses/)
    write('{ "student": { "send": "Mándalo" } }')
    match((await frontdesk('check')).out, /ok {4}content/)
  })

  test('fails when an own follow-up email lacks what the law requires', async t => {
    const folder = temporaryFolder(t)
    const config = join(folder, 'mine.config.ts')
    const school = { postalAddress: '1 Main Street, Austin' }
    writeFileSync(config, `export default ${JSON.stringify({ content: '.', school })}`)
    mkdirSync(join(folder, 'letters'))
    const write = (body: string) =>
      writeFileSync(join(folder, 'letters/day-1.md'), `---\nsubject: Hello\npreheader: Hello\n---\n${body}\n`)
    const frontdesk = frontdeskIn(folder, { FRONTDESK_CONFIG: config })
    write('Hello {{ greeting }}')
    const { code, out } = await frontdesk('check')
    equal(code, 1)
    match(
      out,
      /fail {2}content: letters\/day-1\.md: by law, a follow-up email must show the link to unsubscribe: .*, and the school's postal address: /,
    )
    write('[Stop]({{ unsubscribe_url }})\n\n{{ school.name }}')
    match((await frontdesk('check')).out, /must show the school's postal address: /)
    write("Hello\n\n{% include 'letters/letter-end.md' %}")
    match((await frontdesk('check')).out, /ok {4}content/)
  })

  const root = process.getuid?.() === 0 && 'root may read and write everything'
  test('says everything else, too, when the data folder cannot be used', { skip: root }, async t => {
    const folder = temporaryFolder(t)
    chmodSync(folder, 0o500)
    const { code, out, err } = await frontdeskIn(folder)('check')
    chmodSync(folder, 0o700)
    deepEqual([code, err], [1, 'Not all checks passed.\n'])
    match(out, /fail {2}database .* its permissions do not .*\n(?:.*\n)*note {2}SMTP_URL is not set/)
  })

  test('notes settings that seem to contradict each other', async t => {
    const service = await startApp(t, {
      settings: { admissions: { counselors: [{ id: 'sam', name: 'Sam', email: 'sam@x.example' }] } },
    })
    for (const student of [aStudent(), aStudent({ email: 'dee@mail.example' })]) {
      equal((await service.postStudent(student)).status, 200)
    }
    await service.settle()
    await service.close()
    const manager = { name: 'Dana', email: 'dana@school.example' }
    const config = join(service.dataDir, 'mine.config.ts')
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 1024,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    writeFileSync(join(service.dataDir, 'dkim.pem'), privateKey)
    const counselors = ['kim', 'lee'].map(id => ({ id, name: id, email: 'Front@school.example' }))
    const dkim = { domain: 'mail.school.example', selector: 's', privateKeyFile: 'dkim.pem' }
    const checkWith = async (MAIL_FROM: string) => {
      writeFileSync(config, `export default ${JSON.stringify({ admissions: { counselors, manager }, mail: { dkim } })}`)
      const run = frontdeskIn(service.dataDir, { FRONTDESK_CONFIG: config, MAIL_FROM })
      equal((await run('leads', 'assign', '2', 'manager')).code, 0)
      return (await run('check')).out
    }
    const out = await checkWith('desk@elsewhere.example')
    match(out, /note {2}mail\.dkim\.domain is mail\.school\.example, but MAIL_FROM is at elsewhere\./)
    match(out, /note {2}admissions\.counselors: kim and lee have the same email address, Front@school/)
    match(out, /note {2}1 open lead belongs to "sam", who is not in the settings/)
    equal(out.includes('belongs to "manager"'), false)
    equal((await checkWith('desk@school.example')).includes('mail.dkim.domain'), false)
  })

  test('every command ends with exit code 2 when the environment is invalid', async t => {
    const frontdesk = spawnedFrontdeskIn(temporaryFolder(t), { HOST: '', LEARN_URL: 'x' })
    const runs = await Promise.all([frontdesk('serve'), frontdesk('leads', 'list'), frontdesk('mail', 'list')])
    for (const run of runs) {
      equal(run.code, 2)
      match(run.err, /LEARN_URL must be a URL such as/)
    }
  })

  test('every command ends with exit code 2, and a sentence, when .env cannot be read', async t => {
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, '.env'))
    const { code, err } = await spawnedFrontdeskIn(folder)('leads', 'list')
    equal(code, 2)
    match(
      err,
      /^[^\n]*\.env cannot be read \(.*\)\. It must be a file that the user .* may read: .* chown USER \.env\n$/,
    )
  })

  test('names the variables in .env that do not exist, or have no value', async t => {
    const folder = temporaryFolder(t)
    const lines = [
      'ADMISSION_EMAIL=a@school.example',
      'SMTP_URL_FILE=',
      'OLD=1',
      '# X=1',
      'PARTNERSHIPS_EMAIL',
      'HOST=',
    ]
    writeFileSync(join(folder, '.env'), `${lines.join('\n')}\n`)
    const { out } = await frontdeskIn(folder)('check')
    const notes = out.split('\n').filter(line => line.includes('.env '))
    deepEqual(notes, [
      'note  .env sets ADMISSION_EMAIL, which is not a variable of Frontdesk (did you mean ADMISSIONS_EMAIL?).',
      'note  .env sets OLD, which is not a variable of Frontdesk.',
      'note  .env names PARTNERSHIPS_EMAIL without a value: write PARTNERSHIPS_EMAIL=… or remove the line.',
    ])
  })

  test('fails when the first start could not create the data folder', async t => {
    const file = join(temporaryFolder(t), 'file')
    writeFileSync(file, '')
    const { code, out } = await frontdeskIn(temporaryFolder(t), { DATA_DIR: join(file, 'data') })('check')
    equal(code, 1)
    match(
      out,
      /^fail {2}database .*: DATA_DIR names .*data, which does not exist and cannot be created: .* install -d/m,
    )
  })

  test('every command says when the environment overrules the authority that .env names', async t => {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, '.env'), 'NODE_EXTRA_CA_CERTS=/etc/ssl/school.pem\n')
    const said = async (NODE_EXTRA_CA_CERTS: string) =>
      (await spawnedFrontdeskIn(folder, { NODE_EXTRA_CA_CERTS })('help')).err
    match(
      await said('/etc/ssl/other.pem'),
      /^NODE_EXTRA_CA_CERTS in \.env is not used, because the environment sets it to "\/etc\/ssl\/other\.pem"\.$/m,
    )
    equal((await said('/etc/ssl/school.pem')).includes('is not used'), false)
  })

  test('sends a test message through the mail server', async t => {
    const smtp = await startSmtp(t)
    const frontdesk = frontdeskIn(temporaryFolder(t), { SMTP_URL: smtp.url, MAIL_FROM: 'desk@school.example' })
    const { code, out } = await frontdesk('check', '--send-test-mail', 'me@school.example')
    equal(code, 0)
    match(out, /sent {2}a test message to me@school\.example, through /)
    equal(smtp.messages.length, 1)
    equal(smtp.messages[0]?.to[0], 'me@school.example')
    match(smtp.messages[0]?.raw ?? '', /^From: .*desk@school\.example/m)
  })

  test('asks the mail server about everyone at the school, and sends nothing', async t => {
    const smtp = await startSmtp(t)
    smtp.rejectRecipient = address =>
      ({
        'maria@school.example': '550 5.1.1 <maria@school.example>: User unknown',
        'sam@elsewhere.example': '554 5.7.1 <sam@elsewhere.example>: Relay access denied',
        'dana@school.example': '450 4.2.0 greylisted',
      })[address]
    const folder = temporaryFolder(t)
    const config = join(folder, 'mine.config.ts')
    const counselors = ['maria@school.example', 'sam@elsewhere.example'].map((email, i) => ({
      id: `c${i}`,
      name: `C ${i}`,
      email,
    }))
    const admissions = { counselors, manager: { name: 'Dana', email: 'dana@school.example' } }
    writeFileSync(config, `export default ${JSON.stringify({ admissions })}`)
    const env = { SMTP_URL: smtp.url, FRONTDESK_CONFIG: config }
    const { code, out } = await frontdeskIn(folder, env)('check')
    equal(code, 1)
    match(out, /fail {2}mail to maria@school\.example: The mail server does not know this address \(/)
    match(
      out,
      /fail {2}mail to sam@elsewhere\.example: The mail server does not send mail to other domains for us: log in/,
    )
    match(
      out,
      /note {2}mail to dana@school\.example: The mail server does not accept mail for this address at the moment/,
    )
    match(out, /fail {2}mail: 2 addresses of your staff would get no email/)
    smtp.rejectRecipient = address =>
      address === 'dana@school.example' ? undefined : `553 5.7.1 <${address}>: Sender rejected`
    match(
      (await frontdeskIn(folder, env)('check')).out,
      /fail {2}mail to \S+, \S+, maria@school\.example, sam@elsewhere\.example: The mail server does not let us/,
    )
    smtp.rejectRecipient = () => undefined
    smtp.replies.mail = '553 5.7.1 not owned by user'
    const sender = await frontdeskIn(folder, env)('check')
    match(sender.out, /fail {2}mail: The mail server does not let us send from the address in MAIL_FROM/)
    equal(smtp.messages.length, 0)
  })

  test('fails when the mail server rejects the test message, and quotes it', async t => {
    const smtp = await startSmtp(t)
    smtp.rejectRecipient = address => (address === 'me@school.example' ? '550 5.1.1 no such user' : undefined)
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
    const env = { SMTP_URL: 'smtp://127.0.0.1:1', IMAP_URL: 'imaps://a:b@127.0.0.1:1/INBOX' }
    const { code, out } = await frontdeskIn(folder, env)('check')
    equal(code, 1)
    match(out, /ok {4}environment and settings/)
    match(out, /fail {2}database .*frontdesk\.db: file is not a database/)
    match(out, /fail {2}mail: .*ECONNREFUSED/)
    match(out, /IMAP_URL is set, but mail\.trustedServer is not/)
    match(
      out,
      /fail {2}mailbox .*: Nothing listens at 127\.0\.0\.1:1: check the host and the port in IMAP_URL \(ECONNREFUSED/,
    )
  })

  test('names the setting of PostgreSQL that ends statements no one waits for, while it is off', async t => {
    const database = await newDatabase(t, 'postgres')
    const check = async () => (await frontdeskIn(temporaryFolder(t), { DATABASE_URL: urlOf(database) })('check')).out
    match(await check(), /note {2}client_connection_check_interval is off .*: alter role \w+ set client_connection_/)
    const name = new URL(urlOf(database)).pathname.slice(1)
    await sql(database, `alter database "${name}" set client_connection_check_interval = '1s'`)
    doesNotMatch(await check(), /client_connection_check_interval/)
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
