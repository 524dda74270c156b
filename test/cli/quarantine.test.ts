import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { aSite } from '../support/bodies.ts'
import { frontdeskIn, rowsOf } from './frontdesk.ts'

test('frontdesk quarantine', async t => {
  const service = await startApp(t)
  for (const company of ['One', 'Two', 'Three', '=HYPERLINK("x")']) {
    await service.postSite(aSite({ company, website: 'https://x.example' }))
  }
  await service.settle()
  const frontdesk = frontdeskIn(service.dataDir)
  const quarantine = (...args: string[]) => frontdesk('quarantine', ...args)
  const held = async () =>
    (await service.app.store.listQuarantine({ state: 'held', limit: 9 })).length

  await t.test('list shows what is held, newest first, and why', async () => {
    const { code, out } = await quarantine('list', '--limit', '2')
    equal(code, 0)
    match(out, /^id +held +reason +signals +name +email +phone +company +website +message\n/)
    deepEqual(
      rowsOf(out).map(([id, , reason]) => [id, reason]),
      [
        ['4', 'honeypot'],
        ['3', 'honeypot'],
      ],
    )
    const [json, csv] = await Promise.all(
      ['json', 'csv'].map(format => quarantine('list', '--format', format)),
    )
    equal(JSON.parse(json?.out ?? '').length, 4)
    match(csv?.out ?? '', /'=HYPERLINK/)
  })

  await t.test('release lets submissions in, and the running service tells the team', async () => {
    const { code, out } = await quarantine('release', '1', '2')
    deepEqual([code, out], [0, '1 released.\n2 released.\n'])
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 10 })).length, 2)
    equal(service.sent.length, 2)
    equal(await held(), 2)
  })

  await t.test('dismiss marks the rest', async () => {
    deepEqual(await quarantine('dismiss', '3'), { code: 0, out: '3 dismissed.\n', err: '' })
    equal(await held(), 1)
    const { out } = await quarantine('list', '--state', 'dismissed', '--format', 'json')
    deepEqual(
      JSON.parse(out).map((entry: { id: number }) => entry.id),
      [3],
    )
  })

  await t.test('what was decided on or never held is named, and the others are done', async () => {
    const [twice, mixed, word, none] = [
      await quarantine('release', '1'),
      await quarantine('dismiss', '3', '4', '99'),
      await quarantine('release', '4', 'x'),
      await quarantine('dismiss'),
    ]
    equal(twice.code, 1)
    match(twice.err, /Not in quarantine, or decided on before: 1\./)
    deepEqual([mixed.code, mixed.out], [1, '4 dismissed.\n'])
    match(mixed.err, /before: 3, 99\./)
    deepEqual([word.code, word.out], [1, ''])
    match(word.err, /"x" is no id/)
    equal(none.code, 1)
    match(none.err, /missing required argument/)
    equal((await quarantine('list')).out, 'Nothing is held.\n')
  })
})
