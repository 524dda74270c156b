/** A status list in the console, from the file to undoing it. */
import { doesNotMatch, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { readable } from '../support/forms.ts'
import { aSchool, MONDAY } from '../tasks/school.ts'

async function aDesk(t: TestContext) {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(aStudent({ email: 'ana@mail.example' }))
  await service.postStudent(aStudent({ email: 'bea@mail.example' }))
  await service.settle()
  const manager = await service.client('manager', { name: 'Jo Manager' })
  const upload = async (text: string) => {
    const form = new FormData()
    form.set('purpose', 'status')
    form.set('file', new File([text], 'sis.csv'))
    const headers = { origin: service.origin.console }
    const response = await manager.fetch('/import', { method: 'POST', headers, body: form })
    return response.headers.get('location') ?? ''
  }
  const page = async (path: string) => readable((await manager.get(path)).text)
  return { ...service, manager, upload, page }
}

const ROWS = `Student Email,Status
ana@mail.example,ENR
bea@mail.example,Prospect
no-one@mail.example,ENR
`

const COLUMNS = { 'column-0': 'email', 'column-1': 'stage' }

test('a status list is uploaded, its words are matched, it moves leads and is undone', async t => {
  const { manager, upload, page, settle, app } = await aDesk(t)
  match(await page('/import'), /Who has applied or enrolled/)
  const path = await upload(ROWS)
  const draft = (await manager.get(path)).text
  match(draft, /No lead is moved yet/)
  match(draft, /name="column-0">.*?<option value="email" selected>/)
  match(draft, /name="column-1">.*?<option value="stage" selected>/)
  await manager.post(`${path}/check`, COLUMNS)
  await settle()
  match(await page(path), /What do these words mean\?/)
  match(await page(path), /ENR 2 .*Prospect 1 /)
  doesNotMatch(await page(path), /Keep this choice|Move \d/)
  const meanings = { 'words-0': 'ENR', 'meaning-0': 'enrolled', 'words-1': 'Prospect', 'meaning-1': '' }
  await manager.post(`${path}/meanings`, { 'field-0': 'stage', 'field-1': 'stage', ...meanings })
  await settle()
  const checked = await page(path)
  match(checked, /Leads that will move 1 .*Left out by their word 1 Rows that move no one 1/)
  match(checked, /No student lead has this email address\. 1 row/)
  match(checked, /Move 1 lead/)
  match((await manager.get(`${path}/rejected.csv`)).text, /No student lead has this email address\.,no-one@/)
  equal((await app.store.findLead(1))?.stage, 'new')

  await manager.post(`${path}/start`)
  await settle()
  equal((await app.store.findLead(1))?.stage, 'enrolled')
  match(await page(path), /Leads that were moved 1/)
  match(await page('/leads/1'), /Enrolled.*status list 1/)
  match(await page('/import'), /moves leads .*Moved 1/)

  match(await page(`${path}/undo`), /What goes back: 1 lead/)
  await manager.post(`${path}/undo`)
  await settle()
  equal((await app.store.findLead(1))?.stage, 'new')
  match(await page(path), /Leads put back 1 Leads kept 0/)
})

test('the next list with the same headers begins with what was chosen, and columns that are missing are named', async t => {
  const { manager, upload, page, settle } = await aDesk(t)
  const first = await upload(ROWS)
  const wrong = await manager.post(`${first}/check`, { 'column-0': 'email' })
  equal(wrong.status, 422)
  match(wrong.text, /No column is chosen for “Status”/)
  await manager.post(`${first}/check`, COLUMNS)
  await settle()
  await manager.post(`${first}/meanings`, { 'field-0': 'stage', 'words-0': 'ENR', 'meaning-0': 'enrolled' })
  await settle()
  const second = await upload(ROWS)
  match(await page(second), /The columns are chosen as for the last list with these headers/)
  await manager.post(`${second}/check`, COLUMNS)
  await settle()
  const checked = await page(second)
  match(checked, /Leads that will move 1/)
  doesNotMatch(checked, /ENR 2/)
})

test('a list of people does not take its columns from a status list with the same headers', async t => {
  const { manager, upload, settle, origin, page } = await aDesk(t)
  await manager.post(`${await upload(ROWS)}/check`, COLUMNS)
  await settle()
  const form = new FormData()
  form.set('file', new File([ROWS], 'people.csv'))
  const response = await manager.fetch('/import', { method: 'POST', headers: { origin: origin.console }, body: form })
  doesNotMatch(await page(response.headers.get('location') ?? ''), /chosen as for the last list/)
})
