/** The service with people who are signed in to its console. */
import { createHash, randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Role } from '../../src/leads/lead/roles.ts'
import type { Clock } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import { startApp, type TestApp, type TestOptions } from './app.ts'
import './cheap-passwords.ts'
import { readable, unescaped } from './forms.ts'

export type ConsoleResponse = { status: number; headers: Headers; text: string; path: string }

export type ConsoleClient = {
  /** Opens a page, and follows redirects. `path` of the response is where they ended. */
  get(path: string, headers?: Record<string, string>): Promise<ConsoleResponse>
  /** Sends a form as a browser does, and follows redirects, which show the flash. */
  post(
    path: string,
    fields?: Record<string, string> | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<ConsoleResponse>
  /** One request with these cookies, which does not follow redirects. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** The cookies by name, as the browser has them now. */
  cookies: Map<string, string>
  /** The id of the operator; 0 for a person who is not signed in. */
  operator: number
}

export type WithClients<App extends TestApp> = App & {
  /** A person with that role who is signed in; without a role, one who is not. */
  client(role?: Role, person?: { email?: string; name?: string }): Promise<ConsoleClient>
}

export type TestConsole = WithClients<TestApp>

/** Starts the service. Nothing needs a password: `client` writes the session into the database. */
export async function startConsole(t: TestContext, options: TestOptions = {}): Promise<TestConsole> {
  return withClients(await startApp(t, options))
}

export function withClients<App extends TestApp>(app: App): WithClients<App> {
  const place = { store: app.app.store, clock: app.clock, origin: app.origin.console }
  return {
    ...app,
    client: async (role, person) => (role === undefined ? clientAt(app.origin.console) : signIn(place, role, person)),
  }
}

let people = 0

/** A person with that role who is signed in to the console at a URL, over the database of a store. */
export async function signIn(
  { store, clock, origin }: { store: Store; clock: Clock; origin: string },
  role: Role,
  person: { email?: string; name?: string } = {},
): Promise<ConsoleClient> {
  const client = clientAt(origin)
  const { email = `${role}.${++people}@school.example`, name = `The ${role}` } = person
  const now = clock.now()
  const operator = await store.addOperator({ email, name, role, now })
  if (operator === undefined) throw new Error(`${email} is an operator already`)
  const signedIn = { ...client, operator }
  await signInAgain({ store, clock }, signedIn)
  return signedIn
}

/** The same person after a night, when the session has ended. */
export async function signInAgain(
  { store, clock }: { store: Store; clock: Clock },
  { operator, cookies }: ConsoleClient,
): Promise<void> {
  const token = randomBytes(32).toString('base64url')
  const tokenHash = createHash('sha256').update(token).digest('base64url')
  await store.addSession(operator, { tokenHash, network: '127.0.0.1', browser: 'a test', now: clock.now() })
  cookies.set('session', token)
}

/** What a browser sends for the first field of that name on a page. Throws if the page has none. */
export function fieldOn(page: string, name: string): string {
  const [, value] = new RegExp(`name="${name}" value="([^"]*)"`).exec(page) ?? []
  if (value === undefined) throw new Error(`no field ${name} on this page: ${readable(page)}`)
  return unescaped(value)
}

/** A browser at the console of another process, in which the same person is signed in. */
export const elsewhere = ({ cookies, operator }: ConsoleClient, origin: string): ConsoleClient => ({
  ...clientAt(origin, cookies),
  operator,
})

function clientAt(origin: string, cookies = new Map<string, string>()): ConsoleClient {
  const once = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`)
    if (jar.length > 0 && !headers.has('cookie')) headers.set('cookie', jar.join('; '))
    const response = await fetch(new URL(path, origin), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const following = async (path: string, init?: RequestInit): Promise<ConsoleResponse> => {
    const response = await once(path, init)
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.arrayBuffer()
      const { pathname, search } = new URL(location, origin)
      return following(`${pathname}${search}`)
    }
    return { status: response.status, headers: response.headers, text: await response.text(), path }
  }
  return {
    cookies,
    operator: 0,
    fetch: once,
    get: (path: string, headers: Record<string, string> = {}) => following(path, { headers }),
    post: (path: string, fields: Record<string, string> | URLSearchParams = {}, headers: Record<string, string> = {}) =>
      following(path, { method: 'POST', headers: { origin, ...headers }, body: new URLSearchParams(fields) }),
  }
}
