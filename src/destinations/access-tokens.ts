/**
 * Access tokens of OAuth 2.0 (RFC 6749). We ask for a new one with each event and never store it, so that our access
 * ends as soon as someone revokes it.
 */
import { parsedJson } from '../platform/json.ts'
import { AccessRefused } from './destination-kind.ts'
import type { Send } from './send-request.ts'

/** Tokens of Salesforce and Google have up to 2,048 bytes. */
const LARGEST = 20_000

/** Asks the token endpoint with the fields of a grant. Throws an AccessRefused if it does not grant a token. */
export async function accessToken(send: Send, url: string, grant: Record<string, string>): Promise<string> {
  const response = await send({
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams(grant).toString(),
    largest: LARGEST,
  })
  const token = response.status === 200 ? tokenIn(response.body) : undefined
  if (token === undefined) throw new AccessRefused(response)
  return token
}

function tokenIn(body: string): string | undefined {
  const token = (parsedJson(body) as { access_token?: unknown } | null | undefined)?.access_token
  return typeof token === 'string' && token !== '' ? token : undefined
}

/** The headers of a request with JSON and a token. */
export const jsonAs = (token: string) => ({ 'Content-Type': 'application/json', Authorization: `Bearer ${token}` })
