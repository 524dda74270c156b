/**
 * One PostgreSQL server for a whole run of tests, which find its address in TEST_DATABASE_URL. Where
 * that is set already, the server it names is used instead, and must answer.
 */
import { fileURLToPath } from 'node:url'
import { postgresRows } from './postgres.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

let server: PostgresServer | undefined

export async function globalSetup(): Promise<void> {
  // Each file is a process of its own, and most start several threads: what one has compiled serves all.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
    new URL('../../node_modules/.cache/frontdesk-tests', import.meta.url),
  )
  const given = process.env['TEST_DATABASE_URL']
  if (given) return assertAnswers(given)
  server = await startPostgresServer()
  process.env['TEST_DATABASE_URL'] = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.remove()
}

async function assertAnswers(url: string): Promise<void> {
  await postgresRows(url, 'select 1').catch(cause => {
    throw new Error('No PostgreSQL server answers at the address in TEST_DATABASE_URL.', { cause })
  })
}
