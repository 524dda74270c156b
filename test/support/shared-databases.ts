/**
 * The databases that the processes of a run share: a PostgreSQL server, and on each engine an installation to copy.
 * The process of `npm test` makes them when the first test asks for them (`share-databases.ts`), over a socket whose path
 * is in TEST_SHARED_DATABASES: a test that needs none does not wait for any.
 */
import { createConnection } from 'node:net'
import { json } from 'node:stream/consumers'

/** What a test can ask for. */
export type Shared = {
  /** A folder with the database of an installation on SQLite. */
  sqlite: string
  /** The URL of the server as its superuser, and what `create database … template` says to copy an installation. */
  postgres: { url: string; template: string }
}

/** What comes back over the socket. */
export type Answer<T> = { shared: T } | { error: string }

const asked: { [Name in keyof Shared]?: Promise<Shared[Name]> } = {}

/** Undefined if its process was not started by `npm test`. */
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
