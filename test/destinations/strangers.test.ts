/**
 * Whatever strangers write, it mentions no one, leads no one elsewhere and is not a formula: in chats, spreadsheets and
 * CSV.
 */
import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { aSite, aStudent } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { addOf, startWithReceiver } from './add-destination.ts'
import { accountAt, spreadsheet } from './stand-ins.ts'

/** How Slack and Teams write mentions and links. */
const MARKUP = '<!channel> <@U0123456> <https://x.example|win> [win](https://x.example) <at>everyone</at>'

/** What a spreadsheet calculates; it also does so after a tab or a new line. */
const FORMULAS = ['=1+1', '+1+1', '-1+1', '@SUM(1)', '\t=1+1', '\r=1+1']

/** All texts in a body that its reader may read mentions, links or Markdown in. */
function markedUp(body: unknown): string[] {
  if (Array.isArray(body)) return body.flatMap(markedUp)
  if (typeof body !== 'object' || body === null) return []
  const { type, text, url: _ours, ...others } = body as Record<string, unknown>
  const isPlain = type === 'plain_text' || type === 'TextRun'
  return [
    ...(typeof text === 'string' && !isPlain ? [text] : []),
    ...[text, ...Object.values(others)].flatMap(markedUp),
  ]
}

onEachEngine(engine => {
  for (const kind of ['slack', 'teams'])
    test(`no field that a stranger fills in is a mention or a link in ${kind}`, async t => {
      const { admin, url, received, postSite, postStudent, settle, clock } = await startWithReceiver(t, { engine })
      const fields = ['firstName', 'lastName', 'programs', 'company', 'state', 'email', 'phone', 'waitingSince']
      await addOf(kind, admin, { url, events: ['lead.created', 'submission.received'], fields })
      const short = MARKUP.slice(0, 50)
      const one = aStudent({ firstName: short, lastName: short, city: short, employer: MARKUP, message: MARKUP })
      equal((await postStudent(one)).status, 200)
      const site = { firstName: short, lastName: short, company: MARKUP, address: MARKUP, message: MARKUP }
      equal((await postSite(aSite(site, clock.now()))).status, 200)
      await settle()
      ok(received.length >= 2)
      ok(
        received.some(({ body }) => body.includes('<!channel>')),
        'what they wrote is there',
      )
      for (const { body } of received)
        for (const text of markedUp(JSON.parse(body))) doesNotMatch(text, /channel|U0123|win|everyone/)
    })

  test('no field that a stranger fills in is a formula in a spreadsheet or a CSV file', async t => {
    const { rows, answer } = spreadsheet()
    const service = await startWithReceiver(t, { engine, answer })
    const { admin, postStudent, settle } = service
    const { origin } = new URL(service.url)
    const fields = ['firstName', 'lastName', 'company', 'message', 'programs', 'campaign']
    const sheet = { url: `${origin}/spreadsheets/d/an-id/edit`, tab: 'Leads', account: accountAt(`${origin}/token`) }
    await addOf('sheets', admin, { ...sheet, events: 'lead.created', fields })
    for (const [n, formula] of FORMULAS.entries()) {
      const email = `p${n}@mail.example`
      const { status } = await postStudent(
        aStudent({
          email,
          firstName: formula.trim(),
          lastName: formula.trim(),
          employer: formula.trim(),
          message: formula,
        }),
      )
      equal(status, 200, JSON.stringify(formula))
    }
    await settle()
    // Written as RAW, which the stand-in insists on, they stay what they are.
    deepEqual(rows.map(row => row[6]).toSorted(), FORMULAS.map(formula => formula.trim()).toSorted())
    const { text } = await admin.get('/export/leads.csv')
    for (const cell of text.split(/[,\r\n]/)) doesNotMatch(cell, /^"?[=+@\t-](?!\d{4,})/, cell)
  })
})
