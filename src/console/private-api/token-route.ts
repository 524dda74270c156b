/** The route of the private API that says what a token is and may do. Programs use it to test their token. */
import { exactMoment } from '../../platform/time.ts'
import type { ApiRoute } from './api-route.ts'
import { everyScope } from './scopes.ts'

const text = { type: 'string' }

export const tokenRoute: ApiRoute = {
  method: 'GET',
  path: '/token',
  scope: undefined,
  action: 'use own account',
  name: 'readToken',
  summary: 'Read what the token may do',
  response: {
    type: 'object',
    properties: {
      name: text,
      actsFor: { type: 'string', description: 'the person whose rights limit it' },
      role: { type: 'string', description: 'the role of that person' },
      scopes: { type: 'array', items: { enum: everyScope } },
      expiresAt: { type: ['string', 'null'], format: 'date-time' },
    },
    required: ['name', 'actsFor', 'role', 'scopes', 'expiresAt'],
  },
  handle: async ({ token, operator }) => ({
    name: token.name,
    actsFor: operator.name,
    role: operator.role,
    scopes: token.scopes,
    expiresAt: token.expiresAt === null ? null : exactMoment(token.expiresAt),
  }),
}
