/**
 * Each kind of destination, set up on a phone as its page of the documentation says, broken and mended. The person must
 * find in the console what the page names.
 */
import { doesNotMatch, match, ok } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { HOUR } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { startWithReceiver } from './add-destination.ts'
import { startPhone, stepsOf } from './phone.ts'
import { startReceiver } from './receiver.ts'
import { accountAt, organization, spreadsheet } from './stand-ins.ts'

type Answer = NonNullable<Parameters<typeof startReceiver>[1]>

type SetUp = {
  guide: string
  heading?: string
  /** What someone fills in, by the labels, for a receiver there. */
  fields: (origin: string) => Record<string, string>
  answer: Answer
  /** What the log says of an event that has arrived. Default: delivered. */
  arrived?: string
  isChat?: true
}

const responds =
  (status: number, body = ''): Answer =>
  () => ({ status, body })

const setUps: Record<string, SetUp> = {
  Webhook: { guide: 'webhooks', heading: 'Set one up', fields: at => ({ URL: `${at}/hook` }), answer: responds(204) },
  Slack: {
    guide: 'slack',
    fields: at => ({ 'Webhook URL': `${at}/services/T/B/x` }),
    answer: responds(200, 'ok'),
    isChat: true,
  },
  'Microsoft Teams': {
    guide: 'teams',
    fields: at => ({ 'Workflow URL': `${at}/workflows/a?sig=b` }),
    answer: responds(202),
    arrived: 'handed over, not confirmed',
    isChat: true,
  },
  'Google Sheets': {
    guide: 'google-sheets',
    fields: at => ({
      'Address of the spreadsheet': `${at}/spreadsheets/d/an-id/edit#gid=0`,
      Sheet: 'Leads',
      'Key of the service account': accountAt(`${at}/token`),
    }),
    answer: spreadsheet().answer,
  },
  Salesforce: {
    guide: 'salesforce',
    heading: 'Set up Salesforce',
    fields: at => ({ 'URL of your Salesforce': at, 'Consumer key': 'a-key', 'Consumer secret': 'very-secret' }),
    answer: organization().answer,
  },
  'Salesforce Web-to-Lead': {
    guide: 'salesforce',
    heading: 'Set up Web-to-Lead',
    fields: at => ({ URL: `${at}/servlet/servlet.WebToLead`, 'Organization ID': '00D000000000001' }),
    answer: responds(200),
    arrived: 'handed over, not confirmed',
  },
  HubSpot: {
    guide: 'hubspot',
    fields: at => ({
      'Address of the API': at,
      'Hub ID': '12345',
      'Form ID': '319478e5-e5fd-4d39-9d13-fc1f90bf46da',
      'Access token': 'pat-na1-secret',
    }),
    answer: responds(200, `{"inlineMessage":"${'Thanks'.repeat(100)}"}`),
  },
  'HTTP request': {
    guide: 'http-requests',
    heading: 'Set one up',
    fields: at => ({ URL: `${at}/contacts/{lead}`, Headers: 'Authorization: Bearer abc' }),
    answer: responds(201, '{"id":"c-1"}'),
  },
}

const t = { after } as TestContext
const service = await startWithReceiver(t, { engine: 'sqlite' })
const { clock, settle } = service
const phone = await startPhone(t, service, service.admin)
const { page, press } = phone

let people = 0
const inquiry = () => service.postStudent(aStudent({ email: `person${++people}@mail.example` }))
const newest = () => page.locator('.table tbody tr').first()

for (const [kind, { guide, heading = 'Set it up', fields, answer, arrived = 'delivered', isChat }] of Object.entries(
  setUps,
)) {
  test(`${kind} is set up as docs/${guide}.md says, breaks, says so, and is mended`, async t => {
    let broken: Answer | undefined
    const receiver = await startReceiver(t, sent => (broken ?? answer)(sent))
    await phone.signIn()
    await phone.fromTheMenu('Destinations')
    await page.getByRole('link', { name: `Add ${kind}`, exact: true }).click()
    await page.getByRole('heading', { name: `Add a destination: ${kind}`, exact: true }).waitFor()
    await phone.look()
    await phone.fill({ Name: 'Records', ...fields(new URL(receiver.url).origin) })
    if (await page.getByRole('button', { name: 'Try it out' }).isVisible())
      await press('Try it out', 'Nothing was sent or saved')
    await press('Add the destination', /Records was added|not shown again/)
    if (kind === 'Webhook') await page.getByRole('link', { name: 'I have saved it' }).click()
    await press('Send a test', 'The test is on its way')
    await settle()
    await phone.reload()
    match(await newest().innerText(), new RegExp(`^test\\n[\\s\\S]*${arrived}`))
    await newest().locator('summary').click()
    await phone.look()

    await inquiry()
    await settle()
    broken = responds(401, 'no access')
    await inquiry()
    await settle()
    await phone.reload()
    match(await page.locator('#main .banner').innerText(), new RegExp(`It is failing: 1 attempt.*docs/${guide}.md`))
    match(await page.locator('.table').innerText(), /401, [\s\S]*waits until/)
    const heard = receiver.received.length
    broken = undefined
    clock.advance(HOUR)
    await settle()
    await phone.reload()
    ok(receiver.received.length > heard)
    doesNotMatch(await page.locator('.table').innerText(), /waits/)
    await press(/^Send it again/, 'The event is sent again.')
    await page.getByText('Send several again').click()
    await phone.fill({ 'Everything since': '2026-01-01T00:00' })
    await page.getByLabel('Only what was never delivered').uncheck()
    await press('Send them again', /events are sent again, in their order|The event is sent again/)
    await settle()
    await phone.open('/leads/1')
    if (isChat !== true) {
      await phone.open('/leads/1/destinations')
      await press('Hand over again', /is handed over to Records/)
      await settle()
    }
    phone.hasShown(stepsOf(guide, heading))
    await phone.fromTheMenu('Destinations')
    await page.getByRole('link', { name: 'Records' }).last().click()
    await press('Switch it off', 'Records is off, and gets no events.')
  })
}
