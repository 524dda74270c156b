/** Importing a list by a command, beside a running service. */
import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
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
    ...{ DATABASE_URL: urlOf(service.database), FRONTDESK_CONFIG: config },
    CONSOLE_URL: 'https://console.school.example',
  })
  const file = (text: string | Buffer, name = 'fair.csv') => {
    writeFileSync(join(service.dataDir, name), text)
    return name
  }
  return {
    ...{ service, file, store: service.app.store },
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
    match(out, /Nombre completo +First and last name\n/)
    match(out, /Camiseta +\(left out\)\n/)
    match(out, /New leads: 1\nPeople with an open lead: 1\nRepeated rows: 0\nRejected rows: 1\n/)
    match(out, / {2}Row 3: Nombre completo: Last name is required.* Correo electrónico: Email must/)
    match(out, /Nothing has been imported yet\.\n$/)
    deepEqual(await store.listImports(9), [])
    deepEqual(await store.findLeadsByEmail('zoe@mail.example'), [])
    deepEqual(await logged(), [
      'command line uploaded a list list 1',
      'command line discarded a list list 1',
    ])
  })

  test('frontdesk leads import has the service import the list, once, and says where to undo it', async t => {
    const { importList, file, store, service, logged } = await aDesk(t, engine)
    const options = [...SOURCE, '--counselor', 'sam', '--by', 'Ann Lee']
    const { code, out } = await importList(file(FAIR), ...options)
    equal(code, 0)
    match(out, /The service imports 2 rows in the background, or as soon as it runs\./)
    match(out, /https:\/\/console\.school\.example\/import\/1\n$/)
    await service.settle()
    const [zoe] = await store.findLeadsByEmail('zoe@mail.example')
    deepEqual([zoe?.owner, zoe?.cameFrom], ['sam', 'Fair Austin'])
    const list = await store.readImport(1)
    deepEqual([list?.state, list?.createdBy, list?.plan?.mayWrite], ['done', 'Ann Lee', false])
    deepEqual(await logged(), [
      'Ann Lee uploaded a list list 1',
      'Ann Lee imported leads list 1: 1 new, 1 with a lead',
    ])
    const again = await importList(file(FAIR, 'again.csv'), ...SOURCE)
    match(again.out, /Repeated rows: 2\nRejected rows: 1\n/)
    match(again.out, /There is nothing to import\.\n$/)
    equal((await store.findLeadsByEmail('zoe@mail.example')).length, 1)
  })

  test('frontdesk leads import names the columns if it does not find those that it needs', async t => {
    const { importList, file, store } = await aDesk(t, engine)
    const name = file('Attendee Nr,Who,Contact at\n1,Ana Ruiz,\n2,Ben Lee,ben@lee.example\n')
    const unknown = await importList(name, ...SOURCE)
    equal(unknown.code, 1)
    match(unknown.err, /^Nothing was imported\. No column is chosen for “First name”\./)
    match(unknown.err, /No column is chosen for “Phone”\. Every lead needs one\./)
    match(unknown.err, /The columns of fair\.csv: Attendee Nr, Who, Contact at\n/)
    match(unknown.err, /--column "Attendee Nr=field", with one of: firstName, lastName, fullName/)

    const phones = file('Attendee Nr,Who,Mail,Call\n1,Ana Ruiz,ana@mail.example,512 555 0188\n')
    const columns = ['--column', 'Who=fullName', '--column', 'Call=phone']
    const found = await importList(phones, ...SOURCE, ...columns, '--dry-run')
    match(found.out, /Who +First and last name\nMail +Email\nCall +Phone\n/)
    match(found.out, /New leads: 1\n/)
    const header = await importList(phones, ...SOURCE, '--column', 'Name=fullName')
    match(header.err, /names no column of fair\.csv; use one of: "Attendee Nr=field", "Who=field"/)
    const field = await importList(phones, ...SOURCE, '--column', 'Who=company')
    match(field.err, /"company" is not a field of student leads; use one of: firstName/)
    deepEqual(await store.listImports(9), [])
  })

  test('frontdesk leads import stores nothing of what it cannot use, and says why', async t => {
    const { importList, file, service } = await aDesk(t, engine)
    const name = file(FAIR)
    for (const [args, words] of [
      [[name], /required option '--source <text>' not specified/],
      [['none.csv', ...SOURCE], /none\.csv cannot be read/],
      [[file('', 'empty.csv'), ...SOURCE], /Nothing was imported\. The file is empty/],
      [[name, '--source', ' '], /--source must say where these people come from/],
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
})
