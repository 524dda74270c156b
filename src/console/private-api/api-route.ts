/** A route of the private API: how it is called and described, and what it gets from a request. */
import type { By } from '../../lead-actions/services.ts'
import type { ApiToken } from '../../store/operators/api-tokens.ts'
import type { AuditEntry } from '../../store/operators/audit-log.ts'
import type { Action, SignedIn } from '../frame/access.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import type { Scope } from './scopes.ts'

/** JSON Schema 2020-12, which OpenAPI 3.1 uses. */
export type Schema = Record<string, unknown>

export type ApiCall = {
  deps: ConsoleDeps
  token: ApiToken
  /** The operator for whose account the program acts. */
  operator: SignedIn
  /** Who acts: the token, by its name. */
  by: By
  /** The number in the path; 0 if there is none. */
  id: number
  query: Record<string, string>
  /** Checked against the `body` of the route, to the extent that `checkBody` does. */
  body: Record<string, unknown>
  /** Records that the program has read something. */
  audit(action: string, about?: { leadId?: number; detail?: string }): Promise<void>
}

export type ApiRoute = {
  method: 'GET' | 'POST' | 'DELETE'
  /** In OpenAPI's notation, below `API`: `/leads/{id}`. */
  path: string
  /** What the token must be allowed to do; undefined if every token may call it. */
  scope: Scope | undefined
  /** What the operator must be allowed to do. */
  action: Action
  /** The name of the operation, which generated clients use. */
  name: string
  summary: string
  description?: string
  query?: Record<string, { schema: Schema; description: string }>
  body?: Schema & { properties: Record<string, Schema>; required: readonly string[] }
  response: Schema
  /** Default: 200. */
  status?: 201
  /** The statuses in addition to the ones that every route has. */
  errors?: readonly (400 | 404 | 409 | 410)[]
  handle(call: ApiCall): Promise<object>
}

/** The entry in the audit log about something that a token has done. */
export const auditOf = (
  { by: { operator }, deps }: Pick<ApiCall, 'by' | 'deps'>,
  action: string,
  about: { leadId?: number | undefined; detail?: string | undefined } = {},
): AuditEntry => ({
  at: deps.clock.now(),
  operatorId: operator?.id ?? null,
  actor: operator?.name ?? '',
  network: operator?.network,
  action,
  ...about,
})

export const API = '/api/v1'
