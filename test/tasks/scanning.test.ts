/** Scanning attachments: by a program that the settings name, before anyone can have them. */
import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { scan } from '../../src/tasks/scanning/scan-command.ts'
import { contentOf } from '../support/attachments.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startReceiving, vouchedFor } from './receiving.ts'
import { readLead } from './school.ts'

/** A scanner that finds the word VIRUS, and fails while the file that it is given exists. */
const scanner = (broken: string) => [
  process.execPath,
  '-e',
  [
    `const fs = require('node:fs'), text = fs.readFileSync(0, 'latin1')`,
    `if (fs.existsSync(${JSON.stringify(broken)})) { console.error('no signatures'); process.exit(2) }`,
    `process.exit(text.includes('VIRUS') ? 1 : 0)`,
  ].join('; '),
]

const running = (script: string) => [process.execPath, '-e', script]
const reading = (script: string) => running(`require('node:fs').readFileSync(0); ${script}`)
const some = (size = 1_000_000) => Readable.from([randomBytes(size), randomBytes(size)])

const fromBen = [vouchedFor('mail.example'), 'From: Ben <ben@mail.example>', 'Subject: Papers', '', 'Here they are.']

describe('the scanner', () => {
  test('says that a file is clean or infected by its exit code', async () => {
    equal(await scan(reading(''), some()), 'clean')
    equal(await scan(reading('process.exit(1)'), some()), 'infected')
    // A scanner may stop reading once it knows enough.
    equal(await scan(running('process.exit(1)'), some()), 'infected')
  })

  test('has failed when it ends otherwise, cannot be started, takes too long, or has not read the whole file', async () => {
    await rejects(
      scan(reading(`console.error('no signatures'); process.exit(2)`), some()),
      /exit code 2: no signatures$/,
    )
    await rejects(scan(['/no/such/scanner'], some()), /ENOENT/)
    await rejects(scan(running('setInterval(() => {}, 1000)'), some(), { timeout: 200 }), /was ended by SIGKILL/)
    await rejects(scan(running('process.exit(0)'), some()), /did not read the whole file/)
    async function* broken() {
      yield randomBytes(10)
      throw new Error('the database is away')
    }
    await rejects(scan(reading(''), broken()), /the database is away/)
  })

  test('is ended with what it has started, which would hold up all others', { timeout: 30_000 }, async () => {
    const endless = 'setInterval(() => {}, 1000)'
    const starts = `require('node:child_process').spawn(process.execPath, ['-e', '${endless}'], { stdio: 'inherit' })`
    await rejects(scan(running(`${starts}; ${endless}`), some(), { timeout: 2000 }), /was ended by SIGKILL/)
  })

  test('is killed when the service ends', async () => {
    const stopping = new AbortController()
    const scanning = scan(running('setInterval(() => {}, 1000)'), some(), { signal: stopping.signal })
    stopping.abort()
    await rejects(scanning, /aborted/)
  })

  test('gets no secret of ours', async t => {
    process.env['SECRET_OF_OURS'] = 'x'
    t.after(() => delete process.env['SECRET_OF_OURS'])
    equal(await scan(reading(`process.exit(process.env.SECRET_OF_OURS === undefined ? 0 : 1)`), some()), 'clean')
  })
})

onEachEngine(engine => {
  test('attachments wait for the scanner, however often it fails; an infected one is deleted', async t => {
    const broken = join(temporaryFolder(t), 'broken')
    writeFileSync(broken, '')
    const school = await startReceiving(t, engine, scanner(broken))
    const files = [
      { name: 'clean.pdf', content: Buffer.from('%PDF-1.7 fine') },
      { name: 'bad.pdf', content: Buffer.from('%PDF-1.7 VIRUS') },
    ]
    await school.receiveFiles(files, fromBen)
    const attachments = async () => (await readLead(school)).timeline.flatMap(({ attachments: some = [] }) => some)
    const states = async () => (await attachments()).map(({ name, state }) => [name, state])
    deepEqual(await states(), [
      ['clean.pdf', 'unchecked'],
      ['bad.pdf', 'unchecked'],
    ])
    const scans = () => sql(school.database, `select state, note from tasks where kind = 'scan'`)
    match(String((await scans())[0]?.['note']), /exit code 2: no signatures/)
    const warnings = async () =>
      JSON.parse((await school.request(`${school.origin.console}/readyz`)).text).warnings.join()
    doesNotMatch(await warnings(), /attachments/, 'it may have been busy once')
    school.clock.advance(MINUTE)
    await school.settle()
    match(
      await warnings(),
      /attachments of 1 email cannot be opened or sent: the scanner ended with exit code 2: no signat/,
    )
    rmSync(broken)
    school.sent.length = 0
    school.clock.advance(HOUR)
    await school.settle()
    deepEqual(await states(), [
      ['clean.pdf', 'stored'],
      ['bad.pdf', 'infected'],
    ])
    deepEqual(
      (await scans()).map(({ state }) => state),
      ['done'],
    )
    doesNotMatch(await warnings(), /attachments/)
    const news = school.sent.filter(({ subject }) => /virus/.test(subject))
    deepEqual(
      news.map(({ to, subject }) => [to.address, subject]),
      [['maria@school.example', 'Ben Okafor: virus in a file']],
    )
    match(news[0]?.text ?? '', /The scanner found a virus in bad\.pdf\. We have deleted the file/)
    const [clean, bad] = await attachments()
    equal(String(await contentOf(school.store, clean?.id ?? 0)), '%PDF-1.7 fine')
    equal((await contentOf(school.store, bad?.id ?? 0)).length, 0)
  })
})
