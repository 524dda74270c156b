/** The people who work in the console of the demo, and the links that sign in as each of them. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { App } from '../src/app.ts'
import { hashPassword } from '../src/console/sign-in/passwords.ts'
import type { Role } from '../src/leads/lead/roles.ts'

/** For all of them: the demo listens on this machine only, and everything in it is invented. */
const PASSWORD = 'purple teacup walks home'

const people: readonly { role: Role; name: string; email: string; path: string }[] = [
  { role: 'admin', name: 'Maria Lopez', email: 'maria@school.example', path: '/' },
  { role: 'manager', name: 'Dana Kim', email: 'dana@school.example', path: '/manager' },
  { role: 'counselor', name: 'Priya Nair', email: 'priya@school.example', path: '/counselor' },
  { role: 'viewer', name: 'Vic Lane', email: 'vic@school.example', path: '/viewer' },
]

/** By the path of their link, the session of each. */
export type Sessions = ReadonlyMap<string, string>

/** Adds everyone to a database without operators, each with the password and a session. */
export async function signEveryoneIn({ store }: App): Promise<Sessions> {
  const now = store.clock.now()
  const password = await hashPassword(PASSWORD)
  const sessions = new Map<string, string>()
  for (const { path, ...person } of people) {
    const operator = await store.addOperator({ ...person, now })
    if (operator === undefined) throw new Error('The new database has an operator already')
    await store.setPassword(operator, { password, now })
    const token = randomBytes(32).toString('base64url')
    const tokenHash = createHash('sha256').update(token).digest('base64url')
    await store.addSession(operator, { tokenHash, network: '127.0.0.1', browser: 'the demo', now })
    sessions.set(path, token)
  }
  return sessions
}

/** Cookies belong to a host, whatever its port: this server hands out the sessions, and goes on to the console. */
export const openDoor = (sessions: Sessions, consoleUrl: string): Server =>
  createServer(({ url = '/' }, response) => {
    const token = sessions.get(url)
    response.writeHead(token === undefined ? 404 : 303, {
      ...(token !== undefined && { 'Set-Cookie': `session=${token}; Path=/; HttpOnly; SameSite=Lax` }),
      ...(token !== undefined && { Location: `${consoleUrl}/${url === '/' ? 'inbox' : 'today'}` }),
    })
    response.end()
  })

/** The links, one a line, and how to sign in by hand. */
export function linksInWords(doorUrl: string): string {
  const lines = people.map(({ role, name, path }) => `  ${`${doorUrl}${path}`.padEnd(36)}${name}, ${role}`)
  return `${lines.join('\n')}

The sign-in page takes their addresses, such as ${people[1]?.email}, and the password: ${PASSWORD}`
}
