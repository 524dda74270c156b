/** The secret that signs the links in emails: it lives in the database, on both engines. */
import { equal, match, rejects } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { StartError } from '../src/config/config-error.ts'
import { startApp, type TestApp, type TestOptions } from './support/app.ts'
import { aStudent } from './support/bodies.ts'
import { onEachEngine, sql } from './support/engines.ts'

/** The unsubscribe link in the receipt of a student, on the host of a running service. */
function unsubscribeLink({ sent }: TestApp, { origin }: TestApp): string {
  const receipt = sent.find(({ unsubscribe }) => unsubscribe !== undefined)
  const { pathname, search } = new URL(receipt?.unsubscribe ?? '')
  return `${origin.learn}${pathname}${search}`
}

async function startWithReceipt(t: TestContext, options: TestOptions): Promise<TestApp> {
  const app = await startApp(t, options)
  equal((await app.postStudent(aStudent())).status, 200)
  await app.settle()
  return app
}

onEachEngine(engine => {
  describe(`the secret on ${engine}`, () => {
    test('stays the same, so that a link from before a restart still works', async t => {
      const first = await startWithReceipt(t, { engine, first: true })
      await first.close()
      const second = await startApp(t, first)
      equal((await second.request(unsubscribeLink(first, second))).status, 200)
    })

    test('must not be missing once email has been sent, unless SECRET_KEY names another', async t => {
      const first = await startWithReceipt(t, { engine })
      await first.close()
      await sql(first.database, `delete from secrets where name = 'links'`)
      const { dataDir, database } = first
      await rejects(startApp(t, { dataDir, database, first: true }), (error: Error) => {
        match(error.message, /has sent email, but the secret that signed the links in it is missing/)
        return error instanceof StartError
      })
      await startApp(t, { dataDir, database, env: { SECRET_KEY: 'k'.repeat(32) } })
    })
  })
})
