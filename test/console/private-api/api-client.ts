/** A program of the school that uses the private API of a service under test. */
import { equal, ok } from 'node:assert/strict'
import { everyScope } from '../../../src/console/private-api/scopes.ts'
import type { Role } from '../../../src/leads/lead/roles.ts'
import type { ConsoleClient, TestConsole } from '../../support/console.ts'

export type ApiResponse = { status: number; headers: Headers; body: Record<string, unknown> }

export type ApiClient = {
  token: string
  get(path: string): Promise<ApiResponse>
  post(path: string, body: unknown): Promise<ApiResponse>
  fetch(path: string, init?: RequestInit): Promise<ApiResponse>
}

type TokenForm = { name?: string; actsFor?: number; scopes?: readonly string[]; days?: string }

export const tokenForm = (admin: ConsoleClient, { name = 'Records', actsFor, scopes, days = '365' }: TokenForm = {}) =>
  new URLSearchParams([
    ['name', name],
    ['actsFor', String(actsFor ?? admin.operator)],
    ['days', days],
    ...(scopes ?? everyScope).map(scope => ['scopes', scope] as [string, string]),
  ])

/** Has an admin make a token in the console; returns it. */
export async function makeToken(admin: ConsoleClient, form: TokenForm = {}): Promise<string> {
  const { status, text } = await admin.post('/tokens', tokenForm(admin, form))
  equal(status, 200)
  const [token] = /frontdesk_[\w-]{43}/.exec(text) ?? []
  ok(token)
  return token
}

export function apiClient({ origin }: Pick<TestConsole, 'origin'>, token: string): ApiClient {
  const send = async (path: string, init: RequestInit = {}): Promise<ApiResponse> => {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
    const response = await fetch(`${origin.console}/api/v1${path}`, { ...init, headers })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
  }
  return {
    token,
    fetch: send,
    get: path => send(path),
    post: (path, body) =>
      send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }
}

/** A program that acts for a new person with this role, with a token that an admin made. */
export async function programOf(
  service: TestConsole,
  admin: ConsoleClient,
  role: Role,
  { person, ...form }: TokenForm & { person?: { email?: string; name?: string } } = {},
): Promise<ApiClient> {
  const { operator } = await service.client(role, person)
  return apiClient(service, await makeToken(admin, { ...form, actsFor: operator }))
}

/** The ids of the leads in a response. */
export const idsIn = ({ body }: ApiResponse): number[] =>
  (body['leads'] as { id: number }[]).map(({ id }) => id).toSorted((one, other) => one - other)

export const detailOf = ({ body }: ApiResponse): string => String(body['detail'])
