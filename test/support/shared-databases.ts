/**
 * The databases that the processes of a run share: a PostgreSQL server, and on each engine an installation to copy.
 * The process of `npm test` makes them when the first test asks for them, over a socket whose path is in
 * TEST_SHARED_DATABASES: a test that needs none does not wait for any.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { compileCode } from './compiled-code.ts'
import { fastFolder } from './folder.ts'

/** What a test can ask for. */
export type Shared = {
  /** A folder with the database of an installation on SQLite. */
  sqlite: string
  /** The URL of the server as its superuser, and what `create database … template` says to copy an installation. */
  postgres: { url: string; template: string }
}

type Answer<T> = { shared: T } | { error: string }

const asked: { [Name in keyof Shared]?: Promise<Shared[Name]> } = {}

/** In a test: undefined if its process was not started by `npm test`. */
export async function shared<Name extends keyof Shared>(name: Name): Promise<Shared[Name] | undefined> {
  const socket = process.env['TEST_SHARED_DATABASES']
  if (socket === undefined) return undefined
  const answer: Promise<Shared[Name]> = asked[name] ?? askFor(socket, name)
  Object.assign(asked, { [name]: answer })
  return answer
}

async function askFor<Name extends keyof Shared>(socket: string, name: Name): Promise<Shared[Name]> {
  const connection = createConnection(socket)
  connection.write(name)
  const answer = (await json(connection)) as Answer<Shared[Name]>
  if ('error' in answer) throw new Error(answer.error)
  return answer.shared
}

/** In the process of `npm test`: answers its tests until it is closed, which removes what has been made. */
export async function shareDatabases(): Promise<{ close(): Promise<void> }> {
  const folder = mkdtempSync(join(fastFolder(), 'frontdesk-shared-'))
  const removals: (() => Promise<void>)[] = []
  const made: { [Name in keyof Shared]?: Promise<Shared[Name]> } = {}
  const make = {
    sqlite: async () => (await import('./make-templates.ts')).sqliteTemplate(folder),
    postgres: async () => (await import('./make-templates.ts')).postgresTemplate(removals),
  }
  let compiled: Promise<void> | undefined
  const answer = async (name: keyof Shared): Promise<Answer<unknown>> => {
    try {
      // A test with a database is likely to load the service, too.
      compiled ??= compileCode()
      const whole: Promise<unknown> = made[name] ?? make[name]()
      Object.assign(made, { [name]: whole })
      return { shared: await whole }
    } catch (error) {
      return { error: String(error) }
    }
  }
  const server = createServer(socket => {
    // A test process that is killed while it waits.
    socket.on('error', () => {})
    socket.once('data', async name => socket.end(JSON.stringify(await answer(String(name) as keyof Shared))))
  })
  const path = join(folder, 'socket')
  await once(server.listen(path), 'listening')
  process.env['TEST_SHARED_DATABASES'] = path
  return {
    close: async () => {
      server.close()
      await Promise.allSettled([compiled, ...Object.values(made)])
      for (const remove of removals) await remove()
      rmSync(folder, { recursive: true })
    },
  }
}
