import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { aSite } from '../support/bodies.ts'
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
    match(out, /^id +quarantined +kind +reason +signals +name +email +phone +company +website +message\n/)
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
