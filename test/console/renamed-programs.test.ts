/** A program gets another name: forms that name it follow, in a version of their own. */
import { doesNotMatch, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOn, startConsole } from '../support/console.ts'

const form = {
  kind: 'student',
  name: 'open-day',
  order: 'program',
  'ask-program': 'optional',
  program: 'Welding',
  'own-count': '1',
  'own-0-id': 'q1',
  'own-0-label-en': 'Have you welded before?',
  'own-0-type': 'yesno',
  'own-0-if': 'program=Welding',
}

test('a question that follows from a program follows the program to its new name, and to no other program', async t => {
  const settings = { programs: [{ name: 'Welding' }, { name: 'Phlebotomy' }], languages: ['en'] }
  const { client, request, origin } = await startConsole(t, { edits: true, settings })
  const manager = await client('manager')
  equal((await manager.post('/forms/new', form)).path, '/forms/embed/open-day')
  const rename = async (...names: string[]) => {
    const replaces = fieldOn((await manager.get('/programs')).text, 'replaces')
    const rows = Object.fromEntries(names.map((name, i) => [`program-${i}-name-en`, name]))
    const { text } = await manager.post('/programs', { replaces, count: String(names.length), ...rows })
    match(text, /The change is in force\./)
  }
  const shown = async () => (await request(`${origin.learn}/forms/open-day`, { headers: { Accept: 'text/html' } })).text
  match(await shown(), /data-if="program" data-is="Welding"/)
  await rename('Welding and Fabrication', 'Phlebotomy')
  match(await shown(), /data-if="program" data-is="Welding and Fabrication"/)
  match(await shown(), /value="Welding and Fabrication"[^>]* (?:checked|selected)/)
  // Another order, and a list of another length, give no program another name.
  await rename('Phlebotomy', 'Welding and Fabrication')
  await rename('Phlebotomy', 'Welding and Fabrication', 'Nursing')
  match(await shown(), /data-if="program" data-is="Welding and Fabrication"/)
  doesNotMatch(await shown(), /data-is="Phlebotomy"/)
})

test('taking back a new name, by its undo or by an earlier version, gives the forms the name that is in force again', async t => {
  const settings = { programs: [{ name: 'Welding' }, { name: 'Phlebotomy' }], languages: ['en'] }
  const { client, request, origin } = await startConsole(t, { edits: true, settings })
  const manager = await client('manager')
  equal((await manager.post('/forms/new', form)).path, '/forms/embed/open-day')
  const shown = async () => (await request(`${origin.learn}/forms/open-day`, { headers: { Accept: 'text/html' } })).text
  const rename = async () => {
    const replaces = fieldOn((await manager.get('/programs')).text, 'replaces')
    const names = { 'program-0-name-en': 'Joining metals', 'program-1-name-en': 'Phlebotomy' }
    const { text } = await manager.post('/programs', { replaces, count: '2', ...names })
    match(await shown(), /data-if="program" data-is="Joining metals"/)
    return text
  }
  const isWelding = async () => {
    match(await shown(), /data-if="program" data-is="Welding"/)
    match(await shown(), /value="Welding"[^>]* (?:checked|selected)/)
  }
  const done = await rename()
  const back = (text: string) =>
    manager.post('/programs/back', { version: fieldOn(text, 'version'), replaces: fieldOn(text, 'replaces') })
  match((await back(done)).text, /That version is in force again\./)
  await isWelding()
  await rename()
  match((await back((await manager.get('/programs/versions/0')).text)).text, /That version is in force again\./)
  await isWelding()
})
