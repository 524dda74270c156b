import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { postgresRows, testDatabase } from '../support/postgres.ts'
import { startPostgresServer } from '../support/postgres-server.ts'

async function startServer(t: TestContext, durable = false) {
  const server = await startPostgresServer({ durable, flags: ['-c', 'max_connections=10'] })
  t.after(() => server.remove())
  await postgresRows(server.url, 'create table t (n bigint)')
  await postgresRows(server.url, 'insert into t values ($1)', [7])
  return server
}

test('a test server responds, and keeps its data and URL when it restarts', async t => {
  const server = await startServer(t)
  const { url } = server
  await server.restart()
  assert.equal(server.url, url)
  assert.deepEqual(await postgresRows(url, 'select n from t'), [{ n: 7 }])
  assert.deepEqual(await postgresRows(url, 'show max_connections'), [{ max_connections: '10' }])
})

test('a frozen test server responds on no connection, old or new, until it is thawed', async t => {
  const server = await startServer(t)
  const client = new pg.Client(server.url)
  await client.connect()
  await server.freeze()
  let responses = 0
  const queries = [client.query('select 1'), postgresRows(server.url, 'select 1')].map(query =>
    query.then(() => responses++),
  )
  await wait(300)
  assert.equal(responses, 0)
  server.thaw()
  await Promise.all(queries)
  await client.end()
})

test('a test server that has crashed recovers everything that was committed', async t => {
  const server = await startServer(t, true)
  for (const crash of [() => server.stop({ immediately: true }), () => server.kill()]) {
    const logged = server.log().length
    await crash()
    await assert.rejects(postgresRows(server.url, 'select 1'))
    await server.start()
    assert.match(server.log().slice(logged), /automatic recovery in progress/)
    assert.deepEqual(await postgresRows(server.url, 'select n from t'), [{ n: 7 }])
  }
})

test('each test database starts empty and is removed after its test', async t => {
  let first = ''
  await t.test('uses one', async t => {
    first = await testDatabase(t)
    const second = await testDatabase(t)
    await postgresRows(first, 'create table t (n int)')
    assert.deepEqual(await postgresRows(second, "select to_regclass('t') as t"), [{ t: null }])
  })
  await assert.rejects(postgresRows(first, 'select 1'), /does not exist/)
})
