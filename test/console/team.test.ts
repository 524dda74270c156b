/** The team page: counselors are added, changed and removed while the service runs. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { aStudent } from '../support/bodies.ts'
import { type ConsoleClient, fieldOn, startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { aSchool } from '../tasks/school.ts'

const kim = {
  name: 'Kim Núñez',
  email: 'kim@school.example',
  states: 'ok, Kansas',
  weight: '2',
  backup: 'maria',
  'speaks-es': 'on',
}

const versionOn = (text: string) => fieldOn(text, 'version')

/** Fills in the form of a page as it is; the button that removes someone is on their page. */
async function send(client: ConsoleClient, path: string, fields: Record<string, string>) {
  const { text } = await client.get(path.replace(/\/remove$/, ''))
  return client.post(path, { version: versionOn(text), ...fields })
}

const teamOf = async ({ app }: TestConsole) =>
  (await app.store.currentEditedSettings()).versions[0]?.value as {
    counselors: { id: string; backup?: string }[]
    manager?: object
  }

onEachEngine(engine => {
  test('someone who is added gets the next student of their states, and every change is a version', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true })
    const manager = await service.client('manager', { name: 'Dana Kim' })
    match((await manager.get('/team')).text, /From the settings file\. Your first change here replaces it/)
    const added = await send(manager, '/team/add', kim)
    equal(added.path, '/team')
    match(added.text, /Kim Núñez is on the team\. They can sign in once an admin has invited them/)
    match(
      added.text,
      /Edited here, last by Dana Kim \(today, \d+:\d\d [AP]M\)\. What the settings file says about the team is not in force/,
    )
    deepEqual((await teamOf(service)).counselors[2], {
      id: 'kim-nunez',
      name: 'Kim Núñez',
      email: 'kim@school.example',
      weight: 2,
      states: ['OK', 'KS'],
      languages: ['es'],
      backup: 'maria',
    })
    await service.postStudent(aStudent({ state: 'KS' }))
    await service.settle()
    ok(service.sent.some(({ to }) => to.address === 'kim@school.example'))
    match((await manager.get('/team')).text, /who=kim-nunez">1 open lead<\/a><br><span class="small">1 not called yet/)

    const refused = await send(manager, '/team/people/kim-nunez/remove', {})
    equal(refused.status, 409)
    match(refused.text, /Kim Núñez still has leads\. Hand them over first/)
    await send(manager, '/team/people/kim-nunez', { ...kim, email: 'k.nunez@school.example' })
    const { text } = await manager.get('/team/versions')
    match(text, /Today, 3:00 PM<\/strong>, Dana Kim.*\n<blockquote>Changed Kim Núñez \(email\)</)
    const [first] = await service.app.store.listEditedSettings('team', { before: 2, limit: 1 })
    const replaces = String((await service.app.store.listEditedSettings('team', { limit: 1 }))[0]?.id)
    equal((await manager.post('/team/back', { version: '0', replaces })).status, 409)
    const back = await manager.post('/team/back', { version: String(first?.id), replaces })
    match(back.text, /That version is in force again/)
    match((await manager.get('/team/versions')).text, /Back to the version of .*Changed: Kim Núñez/s)
    match((await manager.get('/team')).text, /kim@school\.example/)
    const audited = await service.app.store.listAudit({ limit: 10 })
    deepEqual(
      audited.filter(({ action }) => action.endsWith('the team')).map(({ action, detail }) => [action, detail]),
      [
        ['went back to an earlier version of the team', 'Changed: Kim Núñez.'],
        ['edited the team', 'changed Kim Núñez (email)'],
        ['edited the team', 'added Kim Núñez'],
      ],
    )
  })

  test('of two people who edit the same version, the second is told, and loses nothing typed', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true })
    const one = await service.client('manager', { name: 'Dana Kim' })
    const other = await service.client('admin', { name: 'Ana Ruiz' })
    const version = versionOn((await other.get('/team/add')).text)
    await send(one, '/team/manager', { name: 'Tom Reed', email: 'tom@school.example' })
    const late = await other.post('/team/add', { version, ...kim })
    equal(late.status, 409)
    match(late.text, /Not saved: Dana Kim was faster.*they saved: the manager is Tom Reed/)
    match(late.text, /name="name" type="text" value="Kim Núñez"/)
    const again = await other.post('/team/add', { version: versionOn(late.text), ...kim })
    equal(again.path, '/team')
    ok((await teamOf(service)).manager)
    equal((await teamOf(service)).counselors.length, 3)
  })
})

test('what is wrong stands beside its field, in the words of the settings', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  const wrong = { name: '', email: 'kim', states: 'Atlantis', weight: 'many', backup: 'no-one' }
  const { status, text } = await send(manager, '/team/add', wrong)
  equal(status, 422)
  match(text, /id="name-problem">The name must be one line of 1 to 80 characters\.</)
  match(text, /id="email-problem">The email must be one email address\.</)
  match(text, /id="weight-problem">The weight must be a whole number from 0 to 100\.</)
  match(text, /id="states-problem">“Atlantis” is not a state that we know\. Write its name or its code, such as TX\.</)
  const unknown = await send(manager, '/team/add', { ...kim, states: 'ZZ' })
  match(unknown.text, /The states: ZZ is not the code of a known state/)
  const himself = await send(manager, '/team/people/sam', { ...kim, backup: 'sam' })
  match(himself.text, /The backup must be the id of another counselor/)
  equal((await service.app.store.currentEditedSettings()).versions.length, 0)
})

test('someone without leads is removed, is no one’s backup then, and gets the same id when they return', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  match((await manager.get('/team/people/sam')).text, /no open leads\. Maria Example then has no backup/)
  await send(manager, '/team/people/sam/remove', {})
  deepEqual((await teamOf(service)).counselors, [
    { id: 'maria', name: 'Maria Example', email: 'maria@school.example', weight: 1, states: ['TX'] },
  ])
  const other = { ...kim, name: 'Sam', email: 'other.sam@school.example' }
  await send(manager, '/team/add', other)
  await send(manager, '/team/add', { ...kim, name: 'Samuel', email: 'sam@school.example' })
  deepEqual(
    (await teamOf(service)).counselors.map(({ id }) => id),
    ['maria', 'sam-2', 'sam'],
  )
})

test('someone who has left the team keeps their name in what they did and in what they still have', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  const { store } = service.app
  await service.postStudent(aStudent({ state: 'TX' }))
  await service.settle()
  const by = { actor: 'maria', now: service.clock.now() }
  await store.changeStage(1, { stage: 'contacted', closedReason: null, ...by })
  await store.assignLead(1, { owner: 'sam', ...by })
  await store.assignLead(1, { owner: 'maria', ...by })
  await store.assignLead(1, { owner: 'sam', ...by })
  const days = { firstDay: '2026-01-01', lastDay: '2030-01-01' }
  await store.addAbsence({ counselor: 'maria', ...days, createdBy: null })
  match((await manager.get('/team/absences')).text, /<strong>Maria Example<\/strong>/)
  await send(manager, '/team/people/maria/remove', {})
  match((await manager.get('/team/absences')).text, /No one is away today or later/)
  const { text } = await manager.get('/leads/1')
  match(text, /Reached<\/span> <span class="quiet">by Maria Example</)
  match(text, /Assigned to Maria Example \(has left the team\)/)
  await sql(service.database, `update leads set owner = 'maria'`)
  match((await manager.get('/team')).text, /Maria Example has left the team<\/strong>/)
  for (const path of ['/leads/1', '/inbox?stage=any', '/inbox?stage=any&who=maria', '/export/leads.csv?stage=any'])
    match((await manager.get(path)).text, /Maria Example \(has left the team\)/, path)
  // Back on the team, she is one of them again.
  const replaces = String((await store.listEditedSettings('team', { limit: 1 }))[0]?.id)
  await manager.post('/team/back', { version: '0', replaces })
  ok(!(await manager.get('/leads/1')).text.includes('has left'))
})

test('leads of someone who is no longer in the settings file are shown, and an admin invites from the page', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const admin = await service.client('admin')
  await service.postStudent(aStudent())
  await service.settle()
  await sql(service.database, `update leads set owner = 'tom'`)
  const { text } = await admin.get('/team')
  match(text, /tom has left the team<\/strong> and has 1 open lead\./)
  const invited = await admin.post('/operators', {
    name: 'Maria Example',
    email: 'maria@school.example',
    role: 'counselor',
  })
  match(invited.text, /Maria Example gets an invitation by email/)
  ok(!(await admin.get('/team')).text.includes('Invite<span class="hidden"> Maria'))
})

test('a version says which states, languages and weight someone got', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  const sam = { name: 'Sam Example', email: 'sam@school.example', weight: '3', 'speaks-es': 'on' }
  const saved = await send(manager, '/team/people/sam', { ...sam, states: 'Ohio, TX' })
  match(saved.text, /This counts for new students; leads stay with those who have them\./)
  const { text } = await manager.get('/team/versions')
  match(text, /Changed Sam Example \(states: OH, TX; languages: es; weight: 3\)/)
})
