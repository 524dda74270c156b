/**
 * The private API: how the school's programs read and change leads, on the host of the console. Each request brings a
 * token that an admin made. It acts for the token's operator, and uses the same lead actions as the console.
 */
import { Hono } from 'hono'
import { readJson } from '../../http/body.ts'
import { errors, toHttpError } from '../../http/errors.ts'
import { countIn, limitsOf, policyOf } from '../../http/rate-limits.ts'
import type { ApiToken } from '../../store/operators/api-tokens.ts'
import { may, signedIn } from '../frame/access.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleEnv } from '../frame/context.ts'
import { apiErrors, PROBLEM_JSON, problemOf } from './api-errors.ts'
import { type ApiCall, type ApiRoute, auditOf } from './api-route.ts'
import { changingRoutes } from './change-leads.ts'
import { hookRoutes } from './hooks.ts'
import { readingRoutes } from './read-leads.ts'
import { checkBody } from './request-body.ts'
import { tokenHashIn } from './token.ts'
import { tokenRoute } from './token-route.ts'

export const apiRoutes: ApiRoute[] = [tokenRoute, ...readingRoutes, ...changingRoutes, ...hookRoutes]

/** How many requests one token may make. */
export const tokenLimits = limitsOf(600, 20_000)

const PREFIX = 'token-'
const POLICY = policyOf({ prefix: PREFIX, own: tokenLimits })

export function privateApi(): Hono<ConsoleEnv> {
  const api = new Hono<ConsoleEnv>()
  const paths = Map.groupBy(apiRoutes, ({ path }) => path)
  for (const [path, routes] of paths) {
    const pattern = path.replace('{id}', ':id{[0-9]{1,15}}')
    api.all(pattern, c => answer(c, deps => respond(c, deps, routes)))
  }
  api.all('*', c =>
    answer(c, async deps => {
      await authenticate(c, deps)
      throw errors.notFound()
    }),
  )
  return api
}

type Answer = { body: object; status: 200 | 201 }

/** Whatever goes wrong becomes a problem in the same format. */
async function answer(c: ConsoleContext, handle: (deps: ConsoleDeps) => Promise<Answer>): Promise<Response> {
  const { deps } = c.get('frame')
  try {
    const { body, status } = await handle(deps)
    return c.json(body, status)
  } catch (failure) {
    const error = toHttpError(failure, deps.log)
    for (const [name, value] of Object.entries(error.headers)) c.header(name, String(value))
    return c.json(problemOf(error), error.status as 400, { 'Content-Type': PROBLEM_JSON })
  }
}

async function respond(c: ConsoleContext, deps: ConsoleDeps, routes: readonly ApiRoute[]): Promise<Answer> {
  const caller = await authenticate(c, deps)
  const { operator, token } = caller
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
  const route = routes.find(one => one.method === method)
  if (route === undefined)
    throw apiErrors.methodNotAllowed(
      method,
      routes.map(one => one.method),
    )
  const { scope, action } = route
  if (scope !== undefined && !token.scopes.includes(scope)) throw apiErrors.scopeMissing(scope)
  if (!may(operator, action)) throw apiErrors.roleMissing(operator.role)
  const query = queryOf(c, route)
  const body = route.body === undefined ? {} : checkBody(await readJson(c.env.incoming), route.body)
  const by = { actor: caller.actor, operator: { id: operator.id, name: caller.actor, network: caller.network } }
  const call: ApiCall = {
    deps,
    token,
    operator,
    by,
    id: Number(c.req.param('id') ?? 0),
    query,
    body,
    audit: (action, about) => deps.store.recordAudit(auditOf(call, action, about)),
  }
  return { body: await route.handle(call), status: route.status ?? 200 }
}

/**
 * Finds out which token came with a request, and counts the request. Cookies are ignored: a browser sends them even
 * with requests that another site causes.
 */
async function authenticate(c: ConsoleContext, deps: ConsoleDeps) {
  const { store, clock, settings, events, networkOf } = deps
  const authorization = c.req.header('authorization')
  if (authorization === undefined) throw apiErrors.noToken()
  const hash = tokenHashIn(authorization)
  const found = hash === undefined ? undefined : await store.readApiToken(hash, clock.now())
  if (found === undefined) {
    events.count('rejectedTokens')
    throw apiErrors.invalidToken()
  }
  const { token, operator } = found
  await countRequest(c, deps, token)
  const actor = `${token.name} (token)`
  return { token, operator: signedIn(operator, settings), actor, network: networkOf(c.env.incoming) }
}

async function countRequest(c: ConsoleContext, deps: ConsoleDeps, { id }: ApiToken): Promise<void> {
  const { states, wait } = await countIn(deps, { key: String(id), prefix: PREFIX, limits: tokenLimits })
  c.header('RateLimit-Policy', POLICY)
  c.header('RateLimit', states.join(', '))
  if (wait === 0) return
  deps.events.count('rateLimited')
  throw errors.tooManyWithToken(tokenLimits, wait)
}

/** The query. Throws if it has a parameter that the route does not know, or the same one twice. */
function queryOf(c: ConsoleContext, { query: known = {} }: ApiRoute): Record<string, string> {
  const asked = c.req.queries()
  for (const [name, values] of Object.entries(asked)) {
    if (!Object.hasOwn(known, name)) throw apiErrors.invalid(`${name} is not a parameter here`)
    if (values.length > 1) throw apiErrors.invalid(`${name} must be in the URL only once`)
    // PostgreSQL cannot store a NUL in a text.
    if (values[0]?.includes('\0')) throw apiErrors.invalid(`${name} must not contain a NUL character`)
  }
  return Object.fromEntries(Object.entries(asked).map(([name, [value = '']]) => [name, value]))
}
