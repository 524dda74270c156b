/** Importing a list by a command, beside a running service. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { unreadable } from '../../src/cli/terminal/named-file.ts'
import { commandWithout, shellWord } from '../../src/cli/terminal/shell-words.ts'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { countRows, type Engine, onEachEngine, sql, urlOf } from '../support/engines.ts'
import { frontdeskIn } from './frontdesk.ts'

const settings = {
  admissions: {
    counselors: [
      { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' },
      { id: 'sam', name: 'Sam Rivera', email: 'sam@school.example' },
    ],
  },
}

const FAIR = `Nombre completo;Correo electrónico;Teléfono;Estado;Camiseta
Zoë Núñez;zoe@mail.example;512 555 0188;TX;M
Cleo;cleo@mail;555;TX;
Ben Okafor;ben@mail.example;(512) 555-0100;;L
`
const SOURCE = ['--source', 'Fair Austin']

async function aDesk(t: TestContext, engine: Engine) {
  // The command goes by the clock of the system, so the service must stand near it.
  const service = await startApp(t, { engine, settings, clock: testClock(Date.now()) })
  await service.postStudent(aStudent({ email: 'ben@mail.example' }))
  await service.settle()
  const config = join(service.dataDir, 'settings.mjs')
  writeFileSync(config, `export default ${JSON.stringify(settings)}`)
  const frontdesk = frontdeskIn(service.dataDir, {
    DATABASE_URL: urlOf(service.database),
    FRONTDESK_CONFIG: config,
    CONSOLE_URL: 'https://console.school.example',
  })
  const file = (text: string | Buffer, name = 'fair.csv') => {
    writeFileSync(join(service.dataDir, name), text)
    return name
  }
  return {
    service,
    file,
    store: service.app.store,
    importList: (...args: string[]) => frontdesk('leads', 'import', ...args),
    logged: async () => {
      const rows = await sql(service.database, 'select actor, action, detail from audit_log')
      return rows.map(({ actor, action, detail }) => `${actor} ${action} ${detail}`)
    },
  }
}

onEachEngine(engine => {
  test('frontdesk leads import says what each row would become, and with --dry-run leaves nothing behind', async t => {
    const { importList, file, store, logged } = await aDesk(t, engine)
    const { code, out } = await importList(file(FAIR), ...SOURCE, '--dry-run')
    equal(code, 0)
    match(out, /^fair\.csv: 3 rows\n/)
    match(out, /column +is read as +such as\nNombre completo +fullName +Zoë Núñez\n/)
    match(out, /Camiseta +\(left out\) +M\n/)
    match(out, /New leads: 1\nPeople with an open lead: 1\nRepeated rows: 0\nRejected rows: 1\n/)
    match(out, / {2}Row 3: Nombre completo: Last name is required.* Correo electrónico: Email must/)
    match(
      out,
      /\nNothing has been imported yet\. To import 2 rows:\nnpx frontdesk leads import fair\.csv --source "Fair Austin"\n$/,
    )
    deepEqual((await store.readImportsPage(9)).lists, [])
    deepEqual(await store.findLeadsOf('zoe@mail.example'), [])
    deepEqual(await logged(), ['command line uploaded a list list 1', 'command line discarded a list list 1'])
  })

  test('frontdesk leads import has the service import the list, once, and says where to undo it', async t => {
    const { importList, file, store, service, logged } = await aDesk(t, engine)
    const options = [...SOURCE, '--counselor', 'sam', '--by', 'Ann Lee']
    const { code, out } = await importList(file(FAIR), ...options)
    equal(code, 0)
    match(out, /The service imports 2 rows in the background, or as soon as it runs\./)
    match(out, /https:\/\/console\.school\.example\/import\/1\n$/)
    await service.settle()
    const [zoe] = await store.findLeadsOf('zoe@mail.example')
    deepEqual([zoe?.owner, zoe?.cameFrom], ['sam', 'Fair Austin'])
    const list = await store.readImport(1)
    deepEqual([list?.state, list?.createdBy, list?.plan?.mayWrite], ['done', 'Ann Lee', false])
    deepEqual(await logged(), ['Ann Lee uploaded a list list 1', 'Ann Lee imported leads list 1: 1 new, 1 with a lead'])
    const again = await importList(file(FAIR, 'again.csv'), ...SOURCE)
    equal(again.code, 1)
    match(again.out, /Repeated rows: 2\nRejected rows: 1\n/)
    doesNotMatch(again.out, /waiting/)
    match(again.err, /^There is nothing to import: every row is rejected or repeated\. The same words/)
    equal((await store.findLeadsOf('zoe@mail.example')).length, 1)
  })

  test('frontdesk leads import lists the words that it does not know, and takes their meaning', async t => {
    const { file, importList } = await aDesk(t, engine)
    const list = file('Name,Email,State\nAna Ruiz,ana@mail.example,Tex.\nBea Silva,bea@mail.example,Tex.\n')
    const { out } = await importList(list, ...SOURCE, '--dry-run')
    match(out, /New leads: 2\n/)
    match(out, /State "Tex\." \(2 rows\): .* Is it Texas\? --value "?State:Tex\.=TX"?\n/)
    doesNotMatch((await importList(list, ...SOURCE, '--dry-run', '--value', 'State:Tex.=TX')).out, /cannot be read/)
    match((await importList(list, ...SOURCE, '--value', 'Name:Ana=x')).err, /does not name a column of states/)
    match((await importList(list, ...SOURCE, '--value', 'State:Tex.=Nowhere')).err, /use one of: AL, AK/)
  })

  test('frontdesk leads import names the columns if it does not find those that it needs', async t => {
    const { importList, file, store } = await aDesk(t, engine)
    const name = file('Attendee Nr,Who,Contact at\n1,Ana Ruiz,ana@mail.example\n')
    const unknown = await importList(name, ...SOURCE)
    deepEqual(unknown, {
      code: 1,
      out: '',
      err: `Nothing was imported. No column is chosen for firstName or lastName. Every lead needs them. If one column has the whole name, choose fullName for it.

The columns of fair.csv:

column       is read as  such as
Attendee Nr  (left out)  1
Who          (left out)  Ana Ruiz
Contact at   email       ana@mail.example

To say what a column holds: --column "Attendee Nr=FIELD"
FIELD is one of: firstName, lastName, fullName, email, phone, city, state, employer, program, tags, stage, counselor, since, message, bestTime; or empty, to leave the column out.
`,
    })

    const phones = file('Attendee Nr,Who,Mail,Call\n1,Ana Ruiz,ana@mail.example,512 555 0188\n')
    const columns = ['--column', 'Who=fullName', '--column', 'Call=phone']
    const found = await importList(phones, ...SOURCE, ...columns, '--dry-run')
    match(found.out, /Who +fullName +Ana Ruiz\nMail +email +ana@mail\.example\nCall +phone +512/)
    match(found.out, /New leads: 1\n/)
    match(
      found.out,
      /\nnpx frontdesk leads import fair\.csv --source "Fair Austin" --column Who=fullName --column Call=phone\n$/,
    )
    const header = await importList(phones, ...SOURCE, '--column', 'Name=fullName')
    match(header.err, /^"Name" is not a column of fair\.csv; use one of: Attendee Nr, Who, Mail, Call\n/)
    const field = await importList(phones, ...SOURCE, '--column', 'Who=company')
    match(field.err, /"company" is not a field of student leads; use one of: firstName/)
    const form = await importList(phones, ...SOURCE, '--column', 'Who')
    match(
      form.err,
      /^--column "Who" does not say what the column holds: write --column "HEADER=FIELD", such as --column "Full name=fullName", or/,
    )
    deepEqual((await store.readImportsPage(9)).lists, [])
  })

  test('frontdesk leads import stores nothing of what it cannot use, and says why', async t => {
    const { importList, file, service } = await aDesk(t, engine)
    const name = file(FAIR)
    mkdirSync(join(service.dataDir, 'mail'), { recursive: true })
    const aLoop = () => {
      symlinkSync('loop.csv', join(service.dataDir, 'loop.csv'))
      return 'loop.csv'
    }
    for (const [args, words] of [
      [[name], /required option '--source <text>' not specified/],
      [['none.csv', ...SOURCE], /^The file none\.csv does not exist\. Check its name and its folder\.\n$/],
      [['fair.csv/x', ...SOURCE], /^The file fair\.csv\/x does not exist\./],
      [['mail', ...SOURCE], /^mail is a folder\. Name a file in it\.\n$/],
      [[aLoop(), ...SOURCE], /^loop\.csv cannot be read: ELOOP\.\n$/],
      [[file('', 'empty.csv'), ...SOURCE], /Nothing was imported\. The file is empty\. Choose one/],
      [[name, '--source', 'x'.repeat(101)], /^--source must be at most 100 characters \(it has 101\)/],
      [[name, '--source', 'x'.repeat(300), '--dry-run'], /^--source must be at most 100 characters/],
      [[name, '--source', ' '], /--source is empty: say where these people come from/],
      [[name, ...SOURCE, '--counselor', 'bob'], /use one of: maria, sam, team/],
      [[name, ...SOURCE, '--language', 'xx'], /"xx" is not a language of the settings/],
      [[name, ...SOURCE, '--kind', 'site', '--may-write'], /--may-write is only for students/],
    ] as const) {
      const run = await importList(...args)
      equal(run.code, 1)
      match(run.err, words)
      doesNotMatch(run.out, /imported/)
    }
    equal(await countRows(service.database, 'imports'), 0)
    equal(await countRows(service.database, 'audit_log'), 0)
  })

  test('frontdesk leads import names the list in which the same rows already wait', async t => {
    const { importList, file, store, service } = await aDesk(t, engine)
    equal((await importList(file(FAIR), ...SOURCE)).code, 0)
    const same = await importList(file(FAIR, 'same.csv'), ...SOURCE)
    equal(same.code, 1)
    match(same.out, /New leads: 0\nPeople with an open lead: 0\nRepeated rows: 2\nRejected rows: 1\n/)
    match(
      same.out,
      /\nRepeated rows are already waiting in list 1, which the service imports in the background, or as soon as it runs: https:\/\/console\.school\.example\/import\/1\n$/,
    )
    match(same.err, /^There is nothing to import: every row is rejected or repeated\./)
    const elsewhere = await importList(file(FAIR, 'same.csv'), '--source', 'Phone list')
    match(elsewhere.out, /New leads: 0\nPeople with an open lead: 2\nRepeated rows: 0\n/)
    equal(elsewhere.code, 0)
    await service.settle()
    deepEqual((await store.readImport(1))?.counts, {
      opened: 1,
      joined: 1,
      moved: 0,
      repeated: 0,
      leftOut: 0,
      rejected: 1,
    })
  })

  test('frontdesk leads import fails, and says why, if no row can be imported', async t => {
    const { importList, file, store } = await aDesk(t, engine)
    const name = file('Name,Email,Phone\nAna,ana@mail.example,\n', 'wrong.csv')
    for (const options of [[], ['--dry-run']]) {
      const { code, out, err } = await importList(name, ...SOURCE, ...options)
      equal(code, 1)
      match(out, /Rejected rows: 1\n {2}Row 2: Name: Last name is required\.\n$/)
      match(err, /^There is nothing to import: every row is rejected, for the reasons above\. Correct/)
    }
    deepEqual((await store.readImportsPage(9)).lists, [])
  })

  test('frontdesk leads import reads a list as Excel saves it, and says what to do with one that is not a list', async t => {
    const { importList, file } = await aDesk(t, engine)
    const saved = [
      'Name;E-Mail;Mobile;Notes\r\n',
      'Zoë Núñez;zoe@mail.example;512 555 0188;"Two lines:\r\n""evenings""; or weekends"\r\n',
      ';;;\r\n\r\n',
    ].join('')
    for (const bytes of [Buffer.from(`\ufeff${saved}`), Buffer.from(saved, 'latin1')]) {
      const { code, out } = await importList(file(bytes), ...SOURCE, '--dry-run')
      equal(code, 0)
      match(out, /^fair\.csv: 1 row\n/)
      match(out, /Name +fullName +Zoë Núñez\n/)
      match(out, /Notes +message +Two lines: "evenings"; or weekends\n/)
      match(out, /New leads: 1\n/)
    }
    for (const [content, words] of [
      ['Name;E-Mail;Mobile\r\n', /The file has only headers\. Add a row below them for each person/],
      [`a${',b'.repeat(20_000)}\n1,2\n`, /Row 1 has 20,001 cells, and the limit is 200 columns\. Delete/],
      [Buffer.from('504b0304140006', 'hex'), /This is an Excel workbook .* save or download the list as CSV/],
    ] as const) {
      const { code, out, err } = await importList(file(content), ...SOURCE)
      deepEqual([code, out], [1, ''])
      match(err, /^Nothing was imported\. /)
      match(err, words)
    }
  })
})

test('a file that its user may not read is named once, with what to do', () => {
  const { message } = unreadable('fair.csv', Object.assign(new Error('EACCES: …'), { code: 'EACCES' }))
  equal(
    message,
    'fair.csv cannot be read: the user who runs this command lacks the permission. Change its permissions, or copy it.',
  )
})

test('a printed command is read by a shell as it was given', async () => {
  const words = ['Fair "Austin" $5', "it's", 'a b', '', '-x.csv', 'Ünïcode', 'back\\slash!']
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${words.map(shellWord).join(' ')}`])
  deepEqual(stdout.trimEnd().split('\n'), words)
  const command = new Command('import').argument('<file>').option('--dry-run').option('--by <who>')
  command.parse(['--dry-run', '--by', "Ann O'Lee", '--', '-x.csv'], { from: 'user' })
  equal(commandWithout(command, 'dryRun'), `import --by "Ann O'Lee" -- -x.csv`)
})
