/** What staff read of a form: where people came from, and whether they agreed to calls and texts. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { frontdeskIn } from '../cli/frontdesk.ts'
import { withoutFollowUp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { aForm, CONSENT_TEXT } from '../support/form-details.ts'
import { readable } from '../support/forms.ts'
import { anArrival } from '../support/store.ts'

const ASKED = Date.parse('2026-11-21T20:00:00Z')

async function aService(t: TestContext) {
  const service = await startConsole(t, { settings: withoutFollowUp })
  const { store } = service.app
  const client = await service.client('admin')
  return {
    ...service,
    store,
    client,
    send: async (form: string | null, email = 'ana@mail.example') => {
      const { idempotencyKey: _, ...body } = aStudent({ email })
      const receivedAt = service.clock.now()
      await store.accept(anArrival({ email, form, receivedAt, body: JSON.stringify(body) }))
      store.announce()
      await service.settle()
      return service.sent.findLast(({ to }) => to.address.startsWith('admissions'))
    },
    leads: async (path: string) =>
      [...(await client.get(path)).text.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => Number(id)),
  }
}

const campaign = { source: 'facebook', medium: 'paid', campaign: 'spring-2027' }
const agreed = aForm({ campaign, consent: { given: true, at: ASKED } })

describe('where a person came from, and what they said about calls and texts', () => {
  test('is in the notification in a few words, and with its wording on the page behind its link, in the console and in exports', async t => {
    const { send, client, request, origin } = await aService(t)
    const mail = await send(agreed)
    const record = [
      "Agreed to calls and texts from the school's systems",
      'Asked about 512-555-0199 on Saturday, November 21, 2026 at 3:00 PM EST, at a page that calls itself https://www.school.example/welding',
      CONSENT_TEXT,
      'https://www.school.example/privacy',
    ]
    const came = ['facebook, paid', 'spring-2027']
    const link = /http[^\s>]+\/act\/[^\s>]+/.exec(mail?.text.split('Open the lead')[1] ?? '')?.[0] ?? ''
    const behind = await request(origin.console + new URL(link).pathname)
    const lead = (await client.get('/leads/1')).text
    for (const text of [readable(behind.text), readable(lead)])
      for (const part of [...record, ...came]) ok(oneLine(text).includes(part), `${part} in ${text}`)
    for (const part of ['may call and text', ...came]) ok(oneLine(mail?.text ?? '').includes(part), part)
    ok(!oneLine(mail?.text ?? '').includes(CONSENT_TEXT))
    const csv = (await client.get('/export/leads.csv')).text.split('\n')
    for (const part of ['facebook', 'spring-2027', 'agreed', '2026-11-21T20:00:00Z']) ok(csv[1]?.includes(part), part)
  })

  test('shows the latest answer for the lead, and each answer with its inquiry', async t => {
    const { send, client } = await aService(t)
    await send(agreed)
    const again = await send(aForm({ consent: { given: false, at: ASKED + 1000 } }))
    match(again?.text ?? '', /no consent: call by hand, do not text/)
    // A later inquiry that did not ask reports what counts.
    const third = await send(aForm())
    match(third?.text ?? '', /no consent: call by hand, do not text/)
    const lead = readable((await client.get('/leads/1')).text)
    equal(lead.match(/Did not agree to calls/g)?.length, 1, 'the sentence is there once')
    equal(lead.match(/Calls and texts Did not agree/g)?.length, 1)
    equal(lead.match(/Calls and texts Agreed/g)?.length, 1)
    equal(lead.match(/Calls and texts Not asked/g)?.length, 1)
  })

  test('records that someone took it back, undoes that, and believes a later form again', async t => {
    const { send, client, leads, clock } = await aService(t)
    await send(agreed)
    clock.advance(1000)
    const after = await client.post('/leads/1', { do: 'withdraw consent' })
    const shown = readable(after.text)
    match(shown, /Took back the agreement to calls and texts from the school's systems: call by hand, do not text/)
    match(shown, /The admin/)
    doesNotMatch(after.text, /value="withdraw consent"/)
    deepEqual([await leads('/inbox?consent=withdrawn'), await leads('/inbox?consent=given')], [[1], []])
    const entry = fieldOn(after.text, 'entry')
    const undone = await client.post('/leads/1/undo', { entry })
    match(undone.text, /value="withdraw consent"/)
    deepEqual([await leads('/inbox?consent=withdrawn'), await leads('/inbox?consent=given')], [[], [1]])
    await client.post('/leads/1', { do: 'withdraw consent' })
    await send(aForm({ consent: { given: true, at: clock.now() + 1000 } }))
    deepEqual(await leads('/inbox?consent=given'), [1])
  })

  test('keeps the refusal that someone sent before the staff undo having recorded one', async t => {
    const { send, client, leads, clock } = await aService(t)
    await send(agreed)
    clock.advance(1000)
    const after = await client.post('/leads/1', { do: 'withdraw consent' })
    clock.advance(1000)
    await send(aForm({ consent: { given: false, at: clock.now() } }))
    await client.post('/leads/1/undo', { entry: fieldOn(after.text, 'entry') })
    deepEqual([await leads('/inbox?consent=given'), await leads('/inbox?consent=refused')], [[], [1]])
  })

  test('says nothing about an inquiry of an operation', async t => {
    const { send, client } = await aService(t)
    const mail = await send(null)
    doesNotMatch(mail?.text ?? '', /Calls and texts|Came from|Campaign/)
    doesNotMatch(readable((await client.get('/leads/1')).text), /Calls and texts|[Cc]ame from|asked about calls/)
  })

  test('filters the inbox by URL, in words that can be left out, and in saved views', async t => {
    const { send, client, leads } = await aService(t)
    await send(agreed)
    await send(aForm({ referrer: 'https://jobs.example/', consent: { given: false, at: ASKED } }), 'ben@mail.example')
    await send(null, 'cleo@mail.example')
    deepEqual(await leads('/inbox?campaign=Spring%202027'), [1])
    deepEqual(await leads('/inbox?from=jobs.example'), [2])
    deepEqual(await leads('/inbox?consent=given'), [1])
    deepEqual(await leads('/inbox?consent=refused'), [2])
    deepEqual(await leads('/inbox?consent=not+asked'), [3])
    deepEqual(await leads('/inbox?consent=nonsense'), [3, 2, 1])
    const { text } = await client.get('/inbox?from=facebook&consent=given&campaign=spring-2027')
    for (const chip of ['came from facebook', 'calls and texts: agreed', 'campaign: spring-2027'])
      ok(text.includes(`>${chip}<`), chip)
    match(text, /<option value="spring-2027">/)
    const saved = await client.post('/inbox/views', { name: 'Ads', filter: 'from=facebook&consent=given' })
    equal(saved.path, '/inbox?from=facebook&consent=given')
  })

  test('is in the commands, as text, as data and as filters', async t => {
    const { send, dataDir } = await aService(t)
    await send(agreed)
    await send(aForm({ referrer: 'https://jobs.example/', consent: { given: false, at: ASKED } }), 'ben@mail.example')
    await send(null, 'cleo@mail.example')
    const frontdesk = frontdeskIn(dataDir, { COLUMNS: '200' })
    const text = oneLine((await frontdesk('leads', 'show', '1')).out)
    for (const part of [
      'Came from: facebook, spring-2027',
      "Calls, texts: Agreed to calls and texts from the school's systems (",
      'Page: https://www.school.example/welding',
      CONSENT_TEXT,
    ])
      ok(text.includes(part), `${part} in ${text}`)
    const shown = JSON.parse((await frontdesk('leads', 'show', '1', '--format', 'json')).out)
    equal(shown.submissions[0].form.consent.text, CONSENT_TEXT)
    equal(shown.submissions[0].form.consent.at, '2026-11-21T20:00:00Z')
    for (const [filter, ids] of [
      [['--campaign', 'Spring 2027'], [1]],
      [['--came-from', 'jobs.example'], [2]],
      [['--consent', 'refused'], [2]],
      [['--consent', 'not-asked'], [3]],
      [['--consent', 'given', '--search', 'ben@mail.example'], []],
      [['--consent', 'refused', '--search', 'ben@mail.example'], [2]],
      [['--consent', 'given', '--search', 'okafor'], [1]],
    ] as const) {
      const { out } = await frontdesk('leads', 'list', ...filter, '--format', 'json')
      deepEqual(
        JSON.parse(out).map(({ id }: { id: number }) => id),
        ids,
        filter.join(' '),
      )
    }
    const [row] = JSON.parse((await frontdesk('leads', 'list', '--consent', 'given', '--format', 'json')).out)
    deepEqual([row.campaign, row.cameFrom, row.consent], ['spring-2027', 'facebook', 'given'])
  })

  test('shows whatever a stranger put there as it is, wherever staff read it', async t => {
    const { send, client, sent } = await aService(t)
    const evil = '=cmd|calc {{ person.email }} <img src=x onerror=alert(1)> [x](https://evil.example)'
    await send(
      aForm({ page: 'https://evil.example/%3Cscript%3E/{{school}}', campaign: { source: evil, campaign: evil } }),
    )
    for (const { text, html, subject } of sent) {
      doesNotMatch(html, /<img src=x|href="https:\/\/evil/)
      doesNotMatch(subject, /cmd/)
      if (text.includes('cmd')) ok(oneLine(text).includes(evil))
    }
    const inbox = `/inbox?campaign=${encodeURIComponent(evil)}&from=${encodeURIComponent(evil)}`
    for (const path of ['/leads/1', inbox]) {
      const page = await client.get(path)
      doesNotMatch(page.text, /<img src=x|href="https:\/\/evil/)
      match(page.text, /&lt;img src=x/)
    }
    const cells = (await client.get('/export/leads.csv')).text.split('\n')[1] ?? ''
    doesNotMatch(cells, /(^|,)"?=cmd/)
    match(cells, /'=cmd/)
  })

  test('shows in quarantine, with what stood in the hidden field', async t => {
    const { send, client } = await aService(t)
    await send(aForm({ trap: 'https://cheap.example', campaign }))
    const { text } = await client.get('/quarantine')
    for (const part of ['https://cheap.example', 'spring-2027', 'https://www.school.example/welding'])
      ok(text.includes(part), part)
  })
})

const oneLine = (text: string) => text.replace(/\s+/g, ' ')
