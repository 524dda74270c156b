/** What a link in a letter does after the database was set back, in the whole service. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { aStudent } from '../../support/bodies.ts'
import { onEachEngine, sql } from '../../support/engines.ts'

onEachEngine(engine => {
  describe('a link in a letter', () => {
    test('acts on the lead that it was made for', async t => {
      const desk = await startApp(t, { engine })
      await desk.postStudent(aStudent())
      await desk.settle()
      for (const action of ['u', 'n']) {
        const url = linkIn(desk, action)
        equal((await desk.request(url, { method: 'POST' })).status, 200)
      }
      deepEqual(await wishesOf(desk), ['unsubscribed', 'not-me'])
    })

    test('does nothing to another that has its number since the database was set back', async t => {
      const desk = await startApp(t, { engine })
      await desk.postStudent(aStudent())
      await desk.settle()
      await sql(desk.database, 'update leads set created_at = created_at + 1')
      for (const [action, done] of [
        ['u', /unsubscribed/i],
        ['n', /thank you/i],
      ] as const) {
        const { status, text } = await desk.request(linkIn(desk, action), { method: 'POST' })
        equal(status, 200)
        match(text, done)
      }
      deepEqual(await wishesOf(desk), [])
      deepEqual(await sql(desk.database, 'select reason from suppressions'), [])
    })
  })
})

/** Where the link of the receipt leads; u unsubscribes, n says "not me". */
function linkIn({ sent, origin }: TestApp, action: string): string {
  const texts = sent.map(({ text }) => text).join('\n')
  const [, path = ''] = new RegExp(`(/mail/${action}[\\w.-]+)`).exec(texts) ?? []
  return origin.learn + path
}

const wishesOf = async ({ app }: TestApp) =>
  ((await app.store.readLead(1))?.timeline ?? [])
    .map(({ kind }) => kind)
    .filter(kind => kind === 'unsubscribed' || kind === 'not-me')
