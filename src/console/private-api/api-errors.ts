/** The errors of the private API, in addition to the errors in `http/errors.ts`, and their format (RFC 9457). */
import { HttpError } from '../../http/errors.ts'
import { STATUS_CODES } from '../../platform/node-http.ts'
import type { Scope } from './scopes.ts'

/** The challenge has no `error` if the request has no token (RFC 6750, section 3). */
const challenge = (more = '') => ({ 'WWW-Authenticate': `Bearer realm="Frontdesk"${more}` })

export const apiErrors = {
  invalid: (sentence: string) => new HttpError(400, sentence),
  noToken: () =>
    new HttpError(
      401,
      'This API needs a token. Send it in the header Authorization: Bearer, on every request; a cookie does not count. An admin can make one in the console, under Tokens.',
      challenge(),
    ),
  invalidToken: () =>
    new HttpError(
      401,
      'This token is not valid: it is unknown, was revoked or has expired, or the person that it acts for is disabled. An admin can make another in the console, under Tokens.',
      challenge(', error="invalid_token"'),
    ),
  scopeMissing: (scope: Scope) =>
    new HttpError(
      403,
      `This token lacks the scope ${scope}. An admin can make one that has it in the console, under Tokens.`,
      challenge(`, error="insufficient_scope", scope="${scope}"`),
    ),
  roleMissing: (role: string) =>
    new HttpError(403, `This token acts for someone whose role, ${role}, does not allow this.`),
  noLead: () =>
    new HttpError(
      404,
      'This lead does not exist. It may have been erased, or belong to someone whose leads this token does not reach.',
    ),
  restored: () =>
    new HttpError(
      410,
      'The school has restored a backup, and this cursor counts changes that no longer exist. Send a request without a cursor to get a new one, and read the leads again.',
    ),
  noHook: () => new HttpError(404, 'This token has no subscription with this number. It may have ended.'),
  tooManyHooks: (sentence: string) => new HttpError(409, sentence),
  methodNotAllowed: (method: string, allowed: readonly string[]) =>
    new HttpError(405, `${method} is not supported here. Send ${allowed.join(' or ')}.`, { Allow: allowed.join(', ') }),
  otherStage: (stage: string) =>
    new HttpError(409, `Nothing changed: the stage of the lead is ${stage}, which is not in from.`),
  otherLead: () =>
    new HttpError(
      409,
      'Nothing changed: the person has another open lead of this kind. Change that one, or have the two merged in the console.',
    ),
}

export const PROBLEM_JSON = 'application/problem+json'

/** What a client reads about an error. */
export const problemOf = ({ status, message }: HttpError) => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail: message,
})

export const problemSchema = {
  type: 'object',
  description: 'What went wrong, and what to do about it (RFC 9457).',
  properties: {
    type: { type: 'string', const: 'about:blank' },
    title: { type: 'string', description: 'the name of the status' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'a sentence for people' },
  },
  required: ['type', 'title', 'status', 'detail'],
}
