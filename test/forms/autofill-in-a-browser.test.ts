/** Chromium fills in a form for someone: their fields, and never the one that only programs fill in. */
import { deepEqual, equal } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { TRAP } from '../../src/forms/render-form.ts'
import { startWholeBrowser } from '../support/browser.ts'
import { newEmail, press, thanks } from './filled-in.ts'
import { startForms } from './site.ts'

const service = await startForms({ after } as TestContext, {})
const browser = await startWholeBrowser({ after })

const address = {
  NAME_FIRST: 'Ana',
  NAME_LAST: 'Ruiz',
  PHONE_HOME_WHOLE_NUMBER: '+15125550100',
  COMPANY_NAME: 'Hill Country Clinic',
  ADDRESS_HOME_STREET_ADDRESS: '1 Main Street',
  ADDRESS_HOME_CITY: 'Austin',
  ADDRESS_HOME_STATE: 'TX',
  ADDRESS_HOME_ZIP: '78701',
  ADDRESS_HOME_COUNTRY: 'US',
}

/** Does what someone does who chooses the address that Chromium offers below a field. */
async function autofill(page: Page, email: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Autofill.enable')
  const { root } = await session.send('DOM.getDocument')
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#email' })
  const { node } = await session.send('DOM.describeNode', { nodeId })
  const filled = new Promise(resolve => session.once('Autofill.addressFormFilled', resolve))
  const fields = Object.entries({ ...address, EMAIL_ADDRESS: email }).map(([name, value]) => ({ name, value }))
  await session.send('Autofill.trigger', { fieldId: node.backendNodeId, address: { fields } })
  await filled
}

/** What people could see in the form, and the trap. */
const valuesOn = async (page: Page): Promise<Record<string, string>> => {
  const fields = await page
    .locator('form :is(input[type=text], input[type=email], input[type=tel], select, textarea)')
    .all()
  const values = fields.map(async field => [await field.getAttribute('name'), await field.inputValue()])
  return Object.fromEntries(await Promise.all(values))
}

const person = { firstName: 'Ana', lastName: 'Ruiz', phone: '15125550100' }
const expected = {
  student: { ...person, city: 'Austin', state: 'TX', message: '' },
  site: { ...person, company: 'Hill Country Clinic', address: '1 Main Street', message: '' },
}

for (const kind of ['student', 'site'] as const) {
  test(`the ${kind} form gets the address that Chromium knows, leaves the trap empty, and is received`, async t => {
    const page = await browser.newPage()
    t.after(() => page.close())
    await page.goto(
      kind === 'student' ? `${service.learn}/forms/student-interest` : `${service.base}/forms/site-interest`,
    )
    const email = newEmail()
    await autofill(page, email)
    deepEqual(await valuesOn(page), { ...expected[kind], email, [TRAP]: '' })
    await press(page)
    await thanks(page)
    const { trap } = await service.onlySubmissionOf(email)
    equal(trap, undefined)
  })
}
