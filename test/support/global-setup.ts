/**
 * What a whole run of tests shares: databases to copy (see `templates.ts`), and one PostgreSQL server,
 * which tests find in TEST_DATABASE_URL. Where that is set already, the server it names is used
 * instead, and must answer.
 */
import { fileURLToPath } from 'node:url'
import { postgresRows } from './postgres.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'
import { makeTemplates, type Templates } from './templates.ts'

let server: PostgresServer | undefined
let templates: Templates | undefined

export async function globalSetup(): Promise<void> {
  // Each file is a process of its own, and most start several threads: what one has compiled serves all.
  process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
    new URL('../../node_modules/.cache/frontdesk-tests', import.meta.url),
  )
  const given = process.env['TEST_DATABASE_URL']
  if (given) await requireServer(given)
  else server = await startPostgresServer()
  const url = server?.url ?? given ?? ''
  process.env['TEST_DATABASE_URL'] = url
  templates = await makeTemplates(url)
}

export async function globalTeardown(): Promise<void> {
  await templates?.remove()
  await server?.remove()
}

async function requireServer(url: string): Promise<void> {
  await postgresRows(url, 'select 1').catch(cause => {
    throw new Error('No PostgreSQL server answers at the address in TEST_DATABASE_URL.', { cause })
  })
}
