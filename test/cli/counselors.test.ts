import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { migratedDatabase, onEachEngine, urlOf } from '../support/engines.ts'
import { installationFolder } from '../support/templates.ts'
import { frontdeskIn, rowsOf, spawnedFrontdeskIn } from './frontdesk.ts'

const maria = {
  id: 'maria',
  name: 'Maria Lopez',
  email: 'maria@school.example',
  weight: 2,
  states: ['TX', 'OK'],
  backup: 'sam',
  absent: [{ from: '2099-12-21', to: '2100-01-04' }],
}
const sam = { id: 'sam', name: 'Sam Rivera', email: 'sam@school.example' }

async function setUp(t: TestContext, counselors: unknown[], env: Record<string, string> = {}) {
  const folder = await installationFolder(t)
  const file = join(folder, 'settings.mjs')
  writeFileSync(file, `export default ${JSON.stringify({ admissions: { counselors } })}`)
  const frontdesk = frontdeskIn(folder, { FRONTDESK_CONFIG: file, ...env })
  const command = (...args: string[]) => frontdesk('counselors', ...args)
  return Object.assign(command, { command: frontdesk })
}

onEachEngine(engine => {
  test('frontdesk counselors lists recorded absences together with those in the settings', async t => {
    const env = { DATABASE_URL: urlOf(await migratedDatabase(t, engine)) }
    const counselors = await setUp(t, [maria, sam], env)
    const { out } = await counselors('absent', 'maria', '--from', '2099-12-01', '--to', '2099-12-05')
    match(out, /^Maria Lopez is away 2099-12-01 to 2099-12-05 \(absence 1\)/)
    match((await counselors('absent', 'sam', '--from', '2099-12-24')).out, /away 2099-12-24 \(abse/)
    deepEqual(rowsOf((await counselors('list')).out), [
      ['maria', 'Maria Lopez', maria.email, '2', 'TX OK', 'sam', '2099-12-01 to 2099-12-05'],
      ['sam', 'Sam Rivera', sam.email, '1', '2099-12-24'],
    ])
    const absences = JSON.parse((await counselors('absences', '--format', 'json')).out)
    deepEqual(
      absences.map(({ id, counselor }: { id: unknown; counselor: string }) => [id, counselor]),
      [
        [1, 'maria'],
        ['settings', 'maria'],
        [2, 'sam'],
      ],
    )
    equal((await counselors('present', '1')).out, 'Absence 1 has been deleted.\n')
    const again = await counselors('present', '1')
    deepEqual([again.code, again.out, again.err], [1, '', 'Absence 1 does not exist.\n'])
    match((await counselors('list')).out, /2099-12-21 to 2100-01-04/)
  })
})

onEachEngine(engine => {
  test('everything on the command line says who on the team cannot sign in, and gives them no lead', async t => {
    const env = { DATABASE_URL: urlOf(await migratedDatabase(t, engine)) }
    const counselors = await setUp(t, [maria, sam], env)
    const run = (line: string) => counselors.command(...line.split(' '))
    await run(`operators add ${maria.email} --name Maria`)
    equal(
      (await run(`operators disable ${maria.email}`)).out,
      'Maria can no longer sign in.\n' +
        'Maria Lopez is on the team but cannot sign in: they get no new leads and no emails.\n',
    )
    match((await run('check')).out, /note {2}Maria Lopez is on the team but cannot sign in/)
    match((await run('counselors list')).out, /maria .* cannot sign in/)
    const ana = 'leads add --email ana@mail.example --first-name Ana --last-name Lee'
    match((await run(`${ana} --counselor maria`)).err, /Maria Lopez cannot sign in, so no lead may go to them\./)
    await run(`operators add ${sam.email} --name Sam`)
    match(
      (await run(`operators disable ${sam.email}`)).out,
      /No one on the team can work on leads: every new lead goes to/,
    )
    await run(`operators reset ${maria.email}`)
    doesNotMatch((await run('counselors list')).out, /maria .* cannot sign in/)
  })
})

test('frontdesk counselors rejects invalid absences, and says why', async t => {
  const counselors = await setUp(t, [sam])
  const refusals: [string[], RegExp][] = [
    [['bob', '--from', '2099-12-01'], /Counselor "bob" is not in the settings; use one of: sam\./],
    [['manager', '--from', '2099-12-01'], /Counselor "manager" is not in the settings/],
    [['sam', '--from', '2099-11-31'], /"2099-11-31" is not a date; use YYYY-MM-DD/],
    [['sam', '--from', 'tomorrow'], /"tomorrow" is not a date/],
    [['sam', '--from', '2099-12-05', '--to', '2099-12-01'], /--to 2099-12-01 is before --from 2099-12-05\./],
    [['sam', '--from', '2020-12-01'], /2020-12-01 is in the past; an absence must end today or later\./],
    [['sam'], /required option '--from <day>' not specified/],
  ]
  for (const [args, words] of refusals) {
    const { code, out, err } = await counselors('absent', ...args)
    deepEqual([code, out], [1, ''])
    match(err, words)
  }
})

test('frontdesk counselors says who gets the students when the settings name no counselors', async t => {
  const frontdesk = spawnedFrontdeskIn(await installationFolder(t))
  const counselors = (...args: string[]) => frontdesk('counselors', ...args)
  match((await counselors('list')).out, /^The settings name no counselors: the team gets/)
  equal((await counselors('absences')).out, 'No one is away today or later.\n')
})
