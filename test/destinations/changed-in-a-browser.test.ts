/**
 * What an admin changes later, on a phone: the keys of a webhook, a URL that Microsoft has retired, and a cadence that
 * tells a channel.
 */
import { equal, match, ok } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { DAY, HOUR, SECOND } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { keysOn, startWithReceiver } from './add-destination.ts'
import { startPhone } from './phone.ts'
import type { Sent } from './receiver.ts'

const t = { after } as TestContext
const service = await startWithReceiver(t, { engine: 'sqlite', settings: { followUp: { student: [], site: [] } } })
const { clock, settle, received, url } = service
const phone = await startPhone(t, service, service.admin)
const { page, press } = phone

const open = async (kind: string) => {
  await phone.signIn()
  await phone.fromTheMenu('Destinations')
  await page.getByRole('link', { name: `Add ${kind}`, exact: true }).click()
  await page.getByRole('heading', { name: `Add a destination: ${kind}`, exact: true }).waitFor()
  await phone.look()
}

const shownKeys = async () => keysOn(await page.content())

/** The library signs what came with a secret: whether that is among the signatures that came. */
function isSigned(secret: string, { headers, body }: Sent): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * SECOND)
  const signature = new Webhook(secret).sign(String(headers['webhook-id']), at, body)
  return (headers['webhook-signature'] ?? '').split(' ').includes(signature)
}

test('after new keys are made for a webhook, the old ones also sign for 24 hours, and not longer', async t => {
  await open('Webhook')
  await phone.fill({ Name: 'Records', URL: url })
  await press('Add the destination', 'not shown again')
  const old = await shownKeys()
  await page.getByRole('link', { name: 'I have saved it' }).click()
  await press('Make new keys', 'not shown again')
  const fresh = await shownKeys()
  ok(old.secret !== '' && fresh.secret !== '' && old.secret !== fresh.secret)
  await page.getByRole('link', { name: 'I have saved it' }).click()
  await page.getByText('the old ones also sign for 1 day').waitFor()
  const signers = async () => {
    await press('Send a test', 'The test is on its way')
    await settle()
    const sent = received.at(-1) as Sent
    return [isSigned(old.secret, sent), isSigned(fresh.secret, sent)].join()
  }
  equal(await signers(), 'true,true')
  const first = received.at(-1) as Sent
  // The library compares the time that was signed with its own, and the clock of the test may be minutes behind by now.
  const now = t.mock.method(Date, 'now', clock.now)
  for (const { secret } of [old, fresh]) new Webhook(secret).verify(first.body, first.headers)
  now.mock.restore()
  clock.advance(DAY - HOUR)
  await phone.signIn()
  equal(await signers(), 'true,true')
  clock.advance(HOUR)
  await phone.signIn()
  equal(await signers(), 'false,true')
  await press('Switch it off', 'is off, and gets no events')
})

test('a URL that Microsoft has retired is not saved, and the page says what to do instead', async () => {
  await open('Microsoft Teams')
  const retired = 'https://school.webhook.office.com/webhookb2/a@b/IncomingWebhook/c'
  await phone.fill({ Name: 'Admissions', 'Workflow URL': retired })
  await press(
    'Add the destination',
    /has retired the connectors .* choose ⋯, Workflows, “Send webhook alerts to a channel”/,
  )
  await phone.fill({ 'Workflow URL': url })
  await press('Add the destination', 'Admissions was added')
  await press('Switch it off', 'is off, and gets no events')
})

test('a channel hears of a person who waits once a step of the cadence says so', async () => {
  await open('Slack')
  await phone.fill({ Name: 'Front desk', 'Webhook URL': url })
  await press('Add the destination', 'Front desk was added')
  await phone.fromTheMenu('Cadence')
  await page.getByRole('link', { name: 'Edit the steps' }).click()
  await page.getByRole('heading', { level: 1, name: 'Edit the cadence' }).waitFor()
  await phone.look()
  await press('Add a message to the chat channels', 'that get')
  await phone.fill({ After: '10' })
  await page.getByLabel('Unit').selectOption('minutes')
  await page.getByLabel('Counted in').selectOption('calendar time')
  await press('Put in force', /in force/)
  const before = received.length
  await service.postStudent(aStudent({ firstName: 'Ana', message: 'My number is secret' }))
  await settle()
  const channel = () => received.slice(before).map(({ body }) => body)
  equal(channel().length, 1)
  match(channel()[0] ?? '', /New lead/)
  for (let hours = 0; hours < 24 && channel().length === 1; hours++) {
    clock.advance(HOUR)
    await settle()
  }
  equal(channel().length, 2)
  match(channel()[1] ?? '', /Still waiting[\s\S]*Ana/)
  ok(channel().every(body => !body.includes('secret')))
  clock.advance(DAY)
  await settle()
  equal(channel().length, 2)
})
