/**
 * A whole run of tests shares databases to copy (see `templates.ts`) and one PostgreSQL server, which
 * tests find in TEST_DATABASE_URL. If that is already set, the tests use the server that it names,
 * which must be running.
 */
import { shareCompiledCode } from './compiled-code.ts'
import { postgresRows } from './postgres.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'
import { makeTemplates, type Templates } from './templates.ts'

let server: PostgresServer | undefined
let templates: Templates | undefined

export async function globalSetup(): Promise<void> {
  const shared = shareCompiledCode()
  const existing = process.env['TEST_DATABASE_URL']
  if (existing) await requireServer(existing)
  else server = await startPostgresServer()
  const url = server?.url ?? existing ?? ''
  process.env['TEST_DATABASE_URL'] = url
  templates = await makeTemplates(url)
  await shared
}

export async function globalTeardown(): Promise<void> {
  await templates?.remove()
  await server?.remove()
}

async function requireServer(url: string): Promise<void> {
  await postgresRows(url, 'select 1').catch(cause => {
    throw new Error('No PostgreSQL server responds at the URL in TEST_DATABASE_URL.', { cause })
  })
}
