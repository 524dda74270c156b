import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { MINUTE } from '../../src/platform/time.ts'
import { startApp, withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { sql } from '../support/engines.ts'
import { frontdeskIn, rowsOf } from './frontdesk.ts'

test('frontdesk quarantine', async t => {
  const service = await startApp(t)
  for (const company of ['One', 'Two', 'Three', '=HYPERLINK("x")']) {
    const message = 'Call me;=cmd|x, \u202eplease'
    await service.postSite(aSite({ company, website: 'https://x.example', message }))
  }
  await service.settle()
  const frontdesk = frontdeskIn(service.dataDir, { COLUMNS: '200' })
  const quarantine = (...args: string[]) => frontdesk('quarantine', ...args)
  const held = async () => (await service.app.store.listQuarantine({ state: 'held', limit: 9 })).length

  await t.test('list shows the quarantined submissions, newest first, and why', async () => {
    const { code, out } = await quarantine('list', '--limit', '2')
    equal(code, 0)
    match(out, /^id +since +kind +reason +signals +name +email +phone +company +website +message +why\n/)
    deepEqual(
      rowsOf(out).map(([id, , kind, reason]) => [id, kind, reason]),
      [
        ['4', 'site', 'honeypot'],
        ['3', 'site', 'honeypot'],
      ],
    )
    const [json, csv] = await Promise.all(['json', 'csv'].map(format => quarantine('list', '--format', format)))
    const entries = JSON.parse(json?.out ?? '')
    equal(entries.length, 4)
    match(entries[0].held, /^20\S+Z$/)
    match(csv?.out ?? '', /'=HYPERLINK/)
    // A spreadsheet that separates cells by semicolons would begin one there.
    match(csv?.out ?? '', /Call me;'=cmd/)
    // What changes the direction of text would show other words than there are.
    for (const text of [out, json?.out ?? '']) {
      equal(text.includes('\u202e'), false)
      match(text, /\\u202eplease/)
    }
    match(entries[0].message, /\u202eplease/)
  })

  await t.test('release makes leads of submissions, and the running service notifies the team', async () => {
    const { code, out } = await quarantine('release', '1', '2', '--by', 'maria')
    deepEqual([code, out], [0, 'Submission 1 released.\nSubmission 2 released.\n'])
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 10 })).length, 2)
    equal(service.sent.length, 2)
    equal(await held(), 2)
    equal((await service.app.store.readQuarantined(1))?.decidedBy, 'maria')
  })

  await t.test('dismiss marks submissions as dismissed', async () => {
    deepEqual(await quarantine('dismiss', '3'), { code: 0, out: 'Submission 3 dismissed.\n', err: '' })
    equal(await held(), 1)
    equal((await service.app.store.readQuarantined(3))?.decidedBy, 'command line')
    const { out } = await quarantine('list', '--state', 'dismissed', '--format', 'json')
    deepEqual(
      JSON.parse(out).map((entry: { id: number }) => entry.id),
      [3],
    )
  })

  await t.test('submissions that cannot be released or dismissed are named, and the others are changed', async () => {
    const [twice, mixed, word, none] = [
      await quarantine('release', '1'),
      await quarantine('dismiss', '3', '4', '99'),
      await quarantine('release', '4', 'x'),
      await quarantine('dismiss'),
    ]
    equal(twice.code, 1)
    match(twice.err, /Not quarantined, or already released or dismissed: 1\./)
    deepEqual([mixed.code, mixed.out], [1, 'Submission 4 dismissed.\n'])
    match(mixed.err, /dismissed: 3, 99\./)
    deepEqual([word.code, word.out], [1, ''])
    match(word.err, /"x" is not a valid id/)
    equal(none.code, 1)
    match(none.err, /missing required argument/)
    equal((await quarantine('list')).out, 'No submissions are quarantined.\n')
  })
})

/** An inquiry that cannot be filed, since its body was changed; `mend` repairs it. */
async function anUnfiled(t: TestContext) {
  const service = await startApp(t, { settings: withoutFollowUp })
  await service.postStudent(aStudent({ firstName: 'Ben', lastName: 'Okafor', email: 'ben@mail.example' }))
  const [row] = await sql(service.database, 'select body from submissions')
  const body = String(row?.['body'])
  const setBody = (to: string) => sql(service.database, `update submissions set body = '${to.replaceAll("'", "''")}'`)
  await setBody(body.slice(0, -5))
  for (let i = 0; i < 5; i++) {
    await service.settle()
    service.clock.advance(5 * MINUTE)
  }
  const frontdesk = frontdeskIn(service.dataDir, { COLUMNS: '200' })
  const quarantine = (...args: string[]) => frontdesk('quarantine', ...args)
  const listed = async (...args: string[]) =>
    JSON.parse((await quarantine('list', '--format', 'json', ...args)).out) as Record<string, string>[]
  return { ...service, quarantine, listed, mend: () => setBody(body) }
}

describe('a submission that cannot be filed', () => {
  test('is listed by frontdesk quarantine, with what was sent and why it fails', async t => {
    const { quarantine, listed } = await anUnfiled(t)
    const [one, ...others] = await listed()
    deepEqual([one?.['id'], one?.['reason'], others.length], [1, 'unfiled', 0])
    match(one?.['why'] ?? '', /The body of submission 1 is not JSON/)
    match(one?.['message'] ?? '', /"firstName":"Ben"/)
    match((await quarantine('list')).out, /^id +since +kind +reason .*\n1 .* unfiled /)
    equal((await listed('--kind', 'site')).length, 0)
    equal((await listed('--kind', 'student')).length, 1)
  })

  test('is filed by retry once what was wrong is mended', async t => {
    const { app, quarantine, mend, settle } = await anUnfiled(t)
    deepEqual(await quarantine('retry', '1'), { code: 0, out: 'Submission 1 is tried again.\n', err: '' })
    await settle()
    equal((await app.store.listLeads({ limit: 9 })).length, 0)
    await mend()
    await quarantine('retry', '1', '--by', 'maria')
    await settle()
    equal((await app.store.listLeads({ limit: 9 })).length, 1)
    const again = await quarantine('retry', '1', '99')
    equal(again.code, 1)
    match(again.err, /Filed, or being filed, or never accepted: 1, 99\./)
  })

  test('is dismissed with a reason, and listed as dismissed', async t => {
    const { app, quarantine, listed } = await anUnfiled(t)
    const without = await quarantine('dismiss', '1')
    equal(without.code, 1)
    match(
      without.err,
      /Submission 1 cannot be filed\. Say why it is dismissed: --why with one of by-hand, again, called, spam\./,
    )
    equal((await listed()).length, 1)
    equal((await quarantine('dismiss', '1', '--why', 'called', '--by', 'maria')).out, 'Submission 1 dismissed.\n')
    deepEqual(await listed(), [])
    const [dismissed] = await listed('--state', 'dismissed')
    deepEqual([dismissed?.['id'], dismissed?.['why']], [1, 'maria: called'])
    equal((await app.store.listUnfiled({ limit: 9 })).length, 0)
    equal((await quarantine('retry', '1')).code, 0, 'as in the console, it can be tried again after all')
  })
})
