/** The description of the private API (OpenAPI 3.1), made from its routes. */
import type { ConsoleDeps } from '../frame/context.ts'
import { PROBLEM_JSON, problemSchema } from './api-errors.ts'
import { API, type ApiRoute } from './api-route.ts'
import { apiRoutes, tokenLimits } from './private-api.ts'
import { leadSchema } from './read-leads.ts'

export function openApiOfPrivateApi({ settings, config }: Pick<ConsoleDeps, 'settings' | 'config'>): object {
  const { burst, day } = tokenLimits
  return {
    openapi: '3.1.0',
    info: {
      title: `Private API: ${settings.school.name}`,
      version: '1.0.0',
      summary: 'For the school’s own programs, such as a student information system.',
      description: `Each request needs a token that an admin of the school has made. It acts for a person at the school and may do what they may do, within its scopes. One token allows at most ${burst.points} requests in 10 minutes and ${day.points} in a day.`,
    },
    servers: [{ url: `${config.consoleUrl}${API}` }],
    security: [{ token: [] }],
    tags: [{ name: TAG, description: 'Read and change leads, and get notified about them.' }],
    paths: Object.fromEntries(
      [...Map.groupBy(apiRoutes, ({ path }) => path)].map(([path, routes]) => [
        path,
        Object.fromEntries(routes.map(route => [route.method.toLowerCase(), operationOf(route)])),
      ]),
    ),
    components: {
      schemas: { Lead: leadSchema, Problem: problemSchema },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token from the page Tokens of the console.' },
      },
    },
  }
}

const TAG = 'Leads'

const operationOf = (route: ApiRoute): object => {
  const { name, summary, description, scope, body, response, status, errors = [] } = route
  const needs = scope === undefined ? 'Any token may do this.' : `The token needs the scope ${scope}.`
  return {
    operationId: name,
    tags: [TAG],
    summary,
    description: [description, needs].filter(Boolean).join('\n\n'),
    parameters: parametersOf(route),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      [status ?? 200]: { description: 'Done.', content: { 'application/json': { schema: response } } },
      ...Object.fromEntries(
        [...errors, ...(body ? inBodies : []), ...everywhere].map(status => [status, problem(status)]),
      ),
    },
  }
}

const inBodies = [413, 415] as const
const everywhere = [401, 403, 429, 500, 503] as const

const meanings: Record<(typeof inBodies)[number] | (typeof everywhere)[number] | 400 | 404 | 409 | 410, string> = {
  400: 'The request is not valid.',
  401: 'The token is missing or not valid.',
  403: 'The token lacks the scope, or the person that it acts for may not do this.',
  404: 'The token does not reach anything with this number.',
  409: 'Something is not as the request expects it. Nothing changed.',
  410: 'The cursor counts changes that no longer exist. Start again without one.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  429: 'Too many requests came with this token. Retry-After says when to continue.',
  500: 'A defect in the program.',
  503: 'The service is busy, or its database is unavailable. Retry-After says when to try again.',
}

const problem = (status: keyof typeof meanings): object => ({
  description: meanings[status],
  content: { [PROBLEM_JSON]: { schema: { $ref: '#/components/schemas/Problem' } } },
})

const parametersOf = ({ path, query = {} }: ApiRoute): object[] => [
  ...(path.includes('{id}')
    ? [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The number of the lead or the subscription.',
          schema: { type: 'integer' },
        },
      ]
    : []),
  ...Object.entries(query).map(([name, { schema, description }]) => ({ name, in: 'query', description, schema })),
]
