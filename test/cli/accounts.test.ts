import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { startLearningSite } from '../accounts/learning-site.ts'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { program } from '../support/program.ts'
import { installationFolder } from '../support/templates.ts'
import { frontdeskBeside, frontdeskIn } from './frontdesk.ts'

/** The command in a folder of its own, and a function that imports a file there. */
async function inFolder(t: TestContext, settings = {}) {
  const folder = await installationFolder(t)
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content)
  write('frontdesk.config.ts', `export default ${JSON.stringify(settings)}`)
  const frontdesk = frontdeskIn(folder)
  const accounts = (...args: string[]) => frontdesk('accounts', ...args)
  /** Imports a file with this content. */
  const importing = (content: string | Uint8Array, ...options: string[]) => {
    write('list.csv', content)
    return accounts('import', 'list.csv', ...options)
  }
  return { folder, accounts, importing }
}

const asTable = { accounts: { directory: 'table' } }

onEachEngine(engine => {
  test('frontdesk accounts import stores only hashes, which the running service uses at once', async t => {
    const service = await startApp(t, { engine, settings: { accounts: { directory: 'table' } } })
    const accounts = frontdeskBeside(service)
    const file = join(service.dataDir, 'list.csv')
    writeFileSync(file, 'Name,E-Mail\nBen,Ben@Mail.example\nAna,ana@mail.example\n')
    const imported = await accounts('accounts', 'import', file)
    equal(imported.err, '')
    match(imported.out, /^2 addresses imported; the table now holds 2\./)
    const statusOf = async (email: string) => (await service.postStudent(aStudent({ email }))).status
    equal(await statusOf('ben@mail.example'), 409)
    equal(await statusOf('eva@mail.example'), 200)

    writeFileSync(file, 'eva@mail.example\n')
    match((await accounts('accounts', 'import', file, '--replace')).out, /1 address imported.* 1\./)
    equal(await statusOf('ben@mail.example'), 200)
    equal(await statusOf('eva@mail.example'), 409)
    const rows = await sql(service.database, 'select address_hash from accounts')
    equal(rows.length, 1)
    doesNotMatch(JSON.stringify(rows), /eva|mail/)

    const [known, unknown] = await Promise.all(
      ['EVA@mail.example', 'ben@mail.example'].map(email => accounts('accounts', 'check', email)),
    )
    equal(known?.out, 'EVA@mail.example has an account, according to the table.\n')
    equal(unknown?.out, 'ben@mail.example has no account, according to the table.\n')
  })
})

describe('frontdesk accounts import', () => {
  test('finds the addresses by the header line, by --column, or one per line', async t => {
    const { importing } = await inFolder(t, asTable)
    const lists: [content: string, ...options: string[]][] = [
      ['Name,Email\n"Okafor, Ben",a@b.example\n'],
      ['\ufeffname;e-mail\r\n"Okafor; Ben";a@c.example\r\n'],
      ['id\tMAIL\n1\ta@d.example'],
      ['login,home\na@e.example,x\n', '--column', 'Login'],
      ['a@f.example\n\n  a@g.example  \n"a@h.example"\n'],
      ['email\na@i.example\n'],
      ['Name,Email\nBen "B" O,a@j.example\n"Ben\nOkafor", a@k.example\n'],
    ]
    for (const [list, ...options] of lists) {
      const { code, err } = await importing(list, ...options)
      deepEqual([code, err], [0, ''], list)
    }
    match((await importing('a@b.example\n')).out, /1 address imported; the table now holds 10\./)
  })

  test('adds to the table, and counts an address once, however it is written', async t => {
    const { importing } = await inFolder(t, asTable)
    const { out } = await importing('ben@mail.example\nBen@MAIL.example\nben@mail.example\n')
    match(out, /1 address imported; the table now holds 1\./)
    match((await importing('ana@mail.example\n')).out, /1 address imported; the table now holds 2\./)
  })

  test('names every line without a valid address, and imports nothing or, with --skip-bad, the others', async t => {
    const { importing } = await inFolder(t, asTable)
    const list = 'name,email\nBen,ben@mail.example\nAna,\n"E\nva",eva@\n\nMax\nIda,ida@mail.example\n'
    const rejected = await importing(list)
    deepEqual([rejected.code, rejected.out], [1, ''])
    deepEqual(rejected.err.split('\n').slice(0, 4), [
      'line 3: no email address',
      'line 5: not a valid email address',
      'line 7: no email address',
      'Nothing was imported: 3 of 5 lines cannot be used. To import the others, add --skip-bad.',
    ])
    const skipped = await importing(list, '--skip-bad')
    equal(skipped.code, 0)
    match(skipped.err, /^line 3: no email address\nline 5: /)
    match(skipped.out, /^2 addresses imported; the table now holds 2\./)
  })

  test('does not empty the table when the list is empty', async t => {
    const { importing } = await inFolder(t, asTable)
    await importing('ben@mail.example\n')
    for (const list of ['', 'email\n', '\n\n']) {
      const { code, err } = await importing(list, '--replace')
      deepEqual([code, err], [1, 'Nothing was imported: the list holds no addresses.\n'])
    }
    match((await importing('ben@mail.example\n')).out, /holds 1\./)
  })

  test('rejects a file that is not a list, with the reason', async t => {
    const { importing, accounts } = await inFolder(t, asTable)
    const lists: [reason: RegExp, content: string | Uint8Array, ...options: string[]][] = [
      [/does not name a column "email"/, 'name,login\nBen,ben@mail.example\n'],
      [/does not name a column "login"/, 'name,email\nBen,ben@mail.example\n', '--column', 'login'],
      [/Line 3: a quotation mark is never closed/, 'email\na@b.example\n"c@d.example\ne@f.example\n'],
      [/not UTF-8/, Buffer.from('name,email\nBj\xf6rn,b@c.example\n', 'latin1')],
    ]
    for (const [reason, content, ...options] of lists) {
      const { code, out, err } = await importing(content, ...options, '--skip-bad')
      deepEqual([code, out], [1, ''])
      match(err, /^Nothing was imported\. /)
      match(err, reason)
    }
    const { code, err } = await accounts('import', 'nowhere.csv')
    equal(code, 1)
    equal(err, 'The file nowhere.csv does not exist. Check its name and its folder.\n')
  })

  test('says when the settings do not use the table', async t => {
    const { importing } = await inFolder(t)
    match(
      (await importing('ben@mail.example\n')).out,
      /Note: this table is not used while accounts\.directory is "none"/,
    )
  })

  test('reads a long list from standard input', async t => {
    const { folder } = await inFolder(t, asTable)
    const child = spawn(process.execPath, [program(), 'accounts', 'import', '-'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], DATA_DIR: folder },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const out = text(child.stdout)
    const lines = Array.from({ length: 200_000 }, (_, i) => `${i},person.${i}@mail.example\n`)
    child.stdin.end(`id,email\n${lines.join('')}`)
    const [code] = await once(child, 'close')
    equal(code, 0)
    match(await out, /^200000 addresses imported; the table now holds 200000\./)
  })
})

test('frontdesk accounts check asks the learning site when the settings say so', async t => {
  const site = await startLearningSite(t, ['ben@mail.example'])
  const { accounts } = await inFolder(t, { accounts: { directory: 'http', url: site.url } })
  equal(
    (await accounts('check', 'ben@mail.example')).out,
    'ben@mail.example has an account, according to the learning site.\n',
  )
  site.answer = response => void response.writeHead(401).end()
  const failed = await accounts('check', 'ben@mail.example')
  deepEqual(
    [failed.code, failed.err],
    [1, 'The learning site gave no usable response: it responded with status 401.\n'],
  )
  const invalid = await accounts('check', 'ben')
  deepEqual([invalid.code, invalid.err], [1, '"ben" is not a valid email address\n'])
})
