/** Sources, tokens, nightly exports and status lists, set up on a phone as their pages of the documentation say. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { aStudent } from '../support/bodies.ts'
import { aGoogleLead } from '../support/google-lead.ts'
import { startWithReceiver } from './add-destination.ts'
import { startPhone, stepsOf } from './phone.ts'

const t = { after } as TestContext
const service = await startWithReceiver(t, { engine: 'sqlite' })
const { settle, dataDir, app } = service
const phone = await startPhone(t, service, service.admin)
const { page, press } = phone
for (const name of ['bob', 'cyd']) await service.postStudent(aStudent({ email: `${name}@mail.example` }))
await settle()

const shown = async (pattern: RegExp): Promise<string> =>
  pattern.exec(String(await page.evaluate('document.body.textContent')))?.[0] ?? ''

const send = (path: string, body: unknown, headers = {}) =>
  fetch(`${service.origin.console}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const sources: Record<string, (key: string) => unknown> = {
  'Google lead form': key => aGoogleLead({ google_key: key }),
  'JSON or form post': () => ({ person: { email: 'vera@mail.example', name: 'Vera Li' } }),
}

for (const [kind, post] of Object.entries(sources))
  test(`a source, ${kind}, is set up as docs/sources.md says, and brings a lead`, async () => {
    await phone.signIn()
    await phone.fromTheMenu('Sources')
    await page.getByRole('link', { name: `Add ${kind}`, exact: true }).click()
    await page.getByRole('heading', { name: `Add a source: ${kind}`, exact: true }).waitFor()
    await phone.look()
    await phone.fill({ Name: kind })
    if (kind !== 'Google lead form') {
      await phone.fill({ 'A sample of a post': JSON.stringify(post('')) })
      await press('Try it out', 'Nothing was sent or saved.')
      equal(await page.getByLabel('Email', { exact: true }).inputValue(), 'person.email')
    }
    await press('Add the source', 'It is not shown again')
    const key = await shown(/src_[\w-]{43}/)
    await page.getByRole('link', { name: 'I have saved it' }).click()
    await page.getByRole('heading', { level: 1, name: kind, exact: true }).waitFor()
    await phone.look()
    equal((await send(`/sources/${key}`, post(key))).status, 200)
    await settle()
    equal((await send(`/sources/${key}`, {})).status === 200, false)
    await phone.reload()
    match(await page.locator('.banner').innerText(), /The last post that was rejected/)
    await press('Replace the key', /The previous key works for/)
    phone.hasShown(stepsOf('sources', 'Set one up'))
    await phone.open(`/inbox?${new URLSearchParams({ stage: 'any', from: kind })}`)
    equal(await page.locator('[data-lead]').count(), 1)
  })

test('a token is made as docs/private-api.md says, reads leads, and is revoked', async () => {
  await phone.signIn()
  await phone.fromTheMenu('Tokens')
  await phone.fill({ Name: 'Records' })
  await press('Make the token', 'it is not shown again')
  const authorization = `Bearer ${await shown(/frontdesk_[\w-]+/)}`
  const read = () => fetch(`${service.origin.console}/api/v1/leads/1`, { headers: { authorization } })
  equal((await read()).status, 200)
  await page.getByRole('link', { name: 'I have saved it' }).click()
  await page.getByText('ends in').waitFor()
  await phone.look()
  phone.hasShown(stepsOf('private-api', 'Make a token'))
  await press(/^Revoke/, 'The token Records no longer works.')
  equal((await read()).status, 401)
})

test('a nightly export is set up as docs/nightly-exports.md says, and its file is in the folder', async () => {
  await phone.signIn()
  await phone.open('/inbox?stage=any&kind=student')
  await page.getByText('Save as view').click()
  const form = page.locator('.save-view')
  await form.getByLabel('Name').fill('Students')
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('#main').getByText('Students').first().waitFor()
  await phone.fromTheMenu('Export')
  await page.getByRole('link', { name: 'Nightly exports into a folder' }).click()
  await page.getByRole('heading', { level: 1, name: 'Nightly exports' }).waitFor()
  await phone.look()
  await phone.fill({ 'Name of its files': 'students' })
  await press('Add it', 'students will be written every night.')
  await press(/^Write it now/, 'students is being written.')
  await settle()
  await phone.reload()
  phone.hasShown(stepsOf('nightly-exports', 'Set one up'))
  deepEqual(
    readdirSync(join(dataDir, 'exports')).map(name => name.replace(/\d{4}-\d\d-\d\d/, 'DAY')),
    ['students-DAY.csv'],
  )
})

test('a status list is imported as docs/status-lists.md says, and undone', async () => {
  await phone.signIn()
  await phone.fromTheMenu('Import')
  const file = {
    name: 'sis.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Email,Status\nbob@mail.example,ENR\ncyd@mail.example,ENR\n'),
  }
  await page.getByLabel('Status list', { exact: true }).setInputFiles(file)
  await press('Upload the status list', 'No lead is moved yet')
  await press('Check all rows', /being checked/i)
  await settle()
  await phone.reload()
  await page.getByRole('combobox').first().selectOption({ label: 'Enrolled' })
  await press('Use these answers, and check again', /being checked/i)
  await settle()
  await phone.reload()
  await press('Move 2 leads', /being imported/i)
  await settle()
  equal((await app.store.findLead(1))?.stage, 'enrolled')
  await phone.reload()
  phone.hasShown(stepsOf('status-lists', 'The first time'))
  await page.getByRole('link', { name: /Undo/ }).first().click()
  await page.waitForURL('**/undo')
  await phone.look()
  await press('Undo the import', /being undone/i)
  await settle()
  equal((await app.store.findLead(1))?.stage, 'new')
})
