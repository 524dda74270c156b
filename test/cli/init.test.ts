import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { createPublicKey, createVerify, sign } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { parseEnv } from 'node:util'
import { askAll } from '../../src/cli/init/answers.ts'
import { dkimInstructions, dkimRecord } from '../../src/cli/init/dkim-key.ts'
import { loadSettings } from '../../src/config/settings.ts'
import { FORM_SCRIPT, STUDENT_FORM, STUDENT_INTEREST } from '../../src/http/urls.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startSmtp } from '../support/smtp.ts'
import { frontdeskIn, spawnedFrontdeskIn } from './frontdesk.ts'

const answers = {
  schoolName: "St. Mary's Vocational School",
  timeZone: 'America/Chicago',
  postalAddress: '100 Main Street, Austin, TX 78701',
  phone: '+1 512 555 0100',
  website: 'https://www.stmarys.example',
  mailFrom: 'desk@stmarys.example',
  smtpHost: 'mail.stmarys.example',
  smtpUser: 'desk@stmarys.example',
  smtpPassword: 'p/+@: #"ü',
  imapHost: 'mail.stmarys.example',
  imapPort: 1993,
  dkim: true,
  user: 'frontdesk',
  counselors: [
    { name: 'Maria López', email: 'maria@stmarys.example' },
    { name: 'Maria Reed', email: 'reed@stmarys.example' },
  ],
  manager: { name: 'Dana Kim', email: 'dana@stmarys.example' },
}

/** Runs init in a folder of its own, with these answers. */
async function initWith(t: TestContext, given: object, ...options: string[]) {
  const folder = temporaryFolder(t)
  const dataDir = join(folder, 'data')
  writeFileSync(join(folder, 'answers.json'), JSON.stringify({ dataDir, ...given }))
  const frontdesk = frontdeskIn(folder)
  const init = (...more: string[]) => frontdesk('init', '--answers', 'answers.json', ...more)
  const run = await init(...options)
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { folder, run, read, init }
}

describe('frontdesk init', () => {
  test('suggests host names of its own, not those of the website', async t => {
    const { read } = await initWith(t, answers)
    const { BASE_URL, LEARN_URL, CONSOLE_URL } = parseEnv(read('.env'))
    deepEqual(
      [BASE_URL, LEARN_URL, CONSOLE_URL],
      ['inquiries', 'learn', 'desk'].map(name => `https://${name}.stmarys.example`),
    )
  })

  test('writes settings and an environment with which check passes at once', async t => {
    const smtp = await startSmtp(t)
    const { hostname, port } = new URL(smtp.url)
    const { smtpUser, smtpPassword, imapHost, imapPort, ...others } = answers
    const given = { ...others, smtpHost: hostname, smtpPort: Number(port) }
    const { folder, run, read } = await initWith(t, given)
    deepEqual([run.code, run.err], [0, ''])
    const env = parseEnv(read('.env')) as Record<string, string>
    const { code, out, err } = await spawnedFrontdeskIn(folder, env)('check')
    equal(code, 0, out + err)
    const notes = out.split('\n').filter(line => line.startsWith('note'))
    deepEqual(
      notes.map(note => note.replace(/[:;].*/, '')),
      ['note  there is no database yet', 'note  IMAP_URL is not set'],
    )
  })

  test('writes what was answered, and says what comes next', async t => {
    const { folder, run, read } = await initWith(t, answers)
    equal(run.code, 0, run.err)
    match(run.out, /Next:\n {2}1\. Check: /)
    match(run.out, /^ {2}2\. DNS: .*inquiries\.stmarys\.example, learn\.stmarys\.example, desk\./m)
    match(run.out, /^ {2}3\. Start: /m)
    const { settings, problems } = await loadSettings(join(folder, 'school/frontdesk.config.ts'), { required: true })
    deepEqual(problems, [])
    equal(settings.school.name, "St. Mary's Vocational School")
    equal(settings.school.timeZone, 'America/Chicago')
    equal(settings.school.postalAddress, '100 Main Street, Austin, TX 78701')
    equal(settings.school.phone, '+1 512 555 0100')
    equal(settings.school.website, 'https://www.stmarys.example')
    deepEqual(settings.admissions, {
      counselors: [
        { id: 'maria', name: 'Maria López', email: 'maria@stmarys.example' },
        { id: 'maria-2', name: 'Maria Reed', email: 'reed@stmarys.example' },
      ],
      manager: { name: 'Dana Kim', email: 'dana@stmarys.example' },
    })
    equal(settings.mail.dkim?.privateKeyFile, join(folder, 'school/dkim.pem'))

    const env = parseEnv(read('.env'))
    equal(env['SMTP_URL'], 'smtp://desk%40stmarys.example:p%2F%2B%40%3A%20%23%22%C3%BC@mail.stmarys.example:587')
    equal(
      env['IMAP_URL'],
      'imaps://desk%40stmarys.example:p%2F%2B%40%3A%20%23%22%C3%BC@mail.stmarys.example:1993/INBOX',
    )
    equal(env['FRONTDESK_CONFIG'], join(folder, 'school/frontdesk.config.ts'))
    equal(`${run.out}${run.err}`.includes('p/+@'), false)
    for (const secret of ['.env', 'school/dkim.pem']) {
      equal(statSync(join(folder, secret)).mode & 0o777, 0o600)
    }

    const unit = read('school/frontdesk.service')
    match(unit, /^User=frontdesk$/m)
    match(unit, new RegExp(`^WorkingDirectory=${process.cwd()}$`, 'm'))
    match(unit, new RegExp(`^ReadWritePaths=${folder}/data$`, 'm'))
    equal(/\/opt\/frontdesk|EnvironmentFile|StateDirectory/.test(unit), false)
    for (const proxy of ['Caddyfile', 'nginx.conf']) {
      for (const host of ['inquiries', 'learn', 'desk']) ok(read(`school/${proxy}`).includes(`${host}.stmarys.example`))
      equal(read(`school/${proxy}`).includes('example.edu'), false)
    }
    const catalog = '/.well-known/api-catalog'
    for (const path of [STUDENT_INTEREST, STUDENT_FORM, FORM_SCRIPT, '/mail/u1', catalog]) {
      for (const open of [caddyPaths(read('school/Caddyfile')), nginxPaths(read('school/nginx.conf'))])
        ok(
          open.some(beginning => path.startsWith(beginning)),
          `the proxy lets ${path} through`,
        )
    }
  })

  test('writes a key and the record that verifies its signatures, and never replaces the key', async t => {
    const { read, init } = await initWith(t, answers)
    const key = read('school/dkim.pem')
    const record = dkimRecord(key, 'frontdesk', 'stmarys.example')
    equal(read('school/dkim-dns.txt'), dkimInstructions(record))
    const published = Buffer.from(/p=(.*)$/.exec(record.value)?.[1] ?? '', 'base64')
    const publicKey = createPublicKey({ key: published, format: 'der', type: 'spki' })
    equal(publicKey.asymmetricKeyDetails?.modulusLength, 2048)
    const signature = sign('sha256', Buffer.from('x'), key)
    ok(createVerify('sha256').update('x').verify(publicKey, signature))
    for (const [, text] of read('school/dkim-dns.txt').matchAll(/"([^"]*)"/g)) ok((text?.length ?? 0) <= 255)

    equal((await init('--overwrite')).code, 0)
    equal(read('school/dkim.pem'), key)
  })

  test('replaces nothing that is there, unless told to', async t => {
    const { folder, init } = await initWith(t, { folder: 'x' }, '--folder', 'other')
    deepEqual(readdirSync(folder), ['answers.json'])
    writeFileSync(join(folder, 'answers.json'), JSON.stringify(answers))
    mkdirSync(join(folder, 'school'))
    writeFileSync(join(folder, '.env'), 'KEEP=1\n')
    const refused = await init()
    equal(refused.code, 1)
    match(refused.err, /\.env exists already, and nothing was written\. .* add --overwrite\./)
    deepEqual(readdirSync(join(folder, 'school')), [])
    equal(readFileSync(join(folder, '.env'), 'utf8'), 'KEEP=1\n')
  })

  test('lets others read the files for a web server, and no one the secrets', async t => {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'answers.json'), JSON.stringify({ ...answers, dataDir: join(folder, 'data') }))
    equal((await spawnedFrontdeskIn(folder)('init', '--answers', 'answers.json')).code, 0)
    const modes = [
      'school',
      'school/Caddyfile',
      'school/nginx.conf',
      'school/frontdesk.service',
      '.env',
      'school/dkim.pem',
    ]
    deepEqual(
      modes.map(name => (statSync(join(folder, name)).mode & 0o777).toString(8)),
      ['755', '644', '644', '644', '600', '600'],
    )
  })

  test('says which answers are still examples, and so does check', async t => {
    const { run, folder } = await initWith(t, { timeZone: 'America/Chicago' })
    match(
      run.out,
      /Still our examples, .*: Your school's name; Sender of all emails; Admissions team; Partnerships team; Public URL for employers and partners; Public URL for prospective students; URL for your staff\./,
    )
    const env = parseEnv(readFileSync(join(folder, '.env'), 'utf8')) as Record<string, string>
    const { out } = await spawnedFrontdeskIn(folder, env)('check')
    match(
      out,
      /^note {2}BASE_URL, LEARN_URL, CONSOLE_URL, MAIL_FROM, PARTNERSHIPS_EMAIL, ADMISSIONS_EMAIL: still at example\.edu/m,
    )
    equal((await initWith(t, answers)).run.out.includes('Still our examples'), false)
  })

  test('names every problem of the answers at once', async t => {
    const { run } = await initWith(t, {
      schoolname: 'X',
      timeZone: 'CST',
      mailFrom: 'nobody',
      baseUrl: 'www.example.edu',
      learnUrl: 'https://learn.example.edu:8443',
      consoleUrl: 'http://desk.example.edu',
      counselors: [{ name: 'Maria' }],
    })
    equal(run.code, 1)
    deepEqual(run.err.trimEnd().split('\n  - '), [
      'answers.json:',
      'schoolname is not a question (did you mean schoolName?)',
      'timeZone must be a name such as America/Chicago',
      'mailFrom must be one email address',
      'baseUrl must be a URL such as https://www.example.edu, without a path',
      'learnUrl must begin with https:// and have no port: the proxy in front of Frontdesk serves HTTPS on port 443',
      'consoleUrl must begin with https:// and have no port: the proxy in front of Frontdesk serves HTTPS on port 443',
      'counselors must have a name and an email each: { "name": "…", "email": "…" }',
    ])
  })

  test('wants a host name of its own for each URL', async t => {
    const { run } = await initWith(t, {
      baseUrl: 'https://inquiries.school.example',
      learnUrl: 'https://inquiries.school.example/',
      consoleUrl: 'https://Inquiries.school.example',
    })
    const taken = 'must have a host name that none of the other URLs has; inquiries.school.example is taken'
    deepEqual(run.err.trimEnd().split('\n  - '), ['answers.json:', `learnUrl ${taken}`, `consoleUrl ${taken}`])
  })

  test('asks again until an answer is valid, and takes the default for an empty one', async () => {
    const replies: Record<string, string[]> = {
      'Time zone': ['CST', 'America/Denver'],
      'Sender of all emails': ['desk@school.example'],
      'Name of counselor 1': ['Sam'],
      'Email of Sam': ['sam', 'sam@school.example'],
    }
    const said: string[] = []
    const { texts, counselors, manager } = await askAll(
      async ({ ask }) => replies[ask]?.shift() ?? '',
      text => said.push(text),
    )
    equal(texts['timeZone'], 'America/Denver')
    equal(texts['learnUrl'], 'https://learn.school.example')
    equal(texts['smtpPort'], undefined)
    deepEqual([counselors, manager], [[{ name: 'Sam', email: 'sam@school.example' }], undefined])
    deepEqual(said, [
      'That does not work: timeZone must be a name such as America/Chicago.',
      'That does not work: it must be one email address.',
    ])
  })
})

/** How the paths begin that the proxy passes on to the learn host. */
const caddyPaths = (file: string): string[] =>
  (/@public path (.+)/.exec(file)?.[1] ?? '').split(' ').map(path => path.replace('*', ''))

const nginxPaths = (file: string): string[] =>
  [...file.matchAll(/location (?:= )?(\S+) \{ proxy_pass http:\/\/127\.0\.0\.1:3001;/g)].flatMap(
    ([, path]) => path ?? [],
  )
