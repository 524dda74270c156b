/** Asks the learning site over HTTP whether a person has an account there. */
import { parsedJson } from '../platform/json.ts'

type Site = {
  url: string
  token: string | undefined
  /** For the whole exchange, headers and body, in milliseconds. */
  timeLimit: number
}

/** A valid response has a few bytes. */
const MOST_BYTES = 1024

/**
 * Sends `{"email": …}` to `POST url`, in the body because URLs end up in logs. The response must be 200
 * with `{"exists": true}` or `{"exists": false}`.
 *
 * Rejects on anything else, including a redirect. The reason quotes neither the address nor the
 * response, which may repeat the address.
 */
export async function askLearningSite(site: Site, email: string): Promise<boolean> {
  const { url, token, timeLimit } = site
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ email }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeLimit),
    })
    return await readResponse(response)
  } catch (error) {
    throw new Error(reasonOf(error as Error, timeLimit))
  }
}

class UnexpectedResponse extends Error {}

async function readResponse({ status, body }: Response): Promise<boolean> {
  if (status !== 200) {
    // An unread body would keep the connection busy.
    body?.cancel().catch(() => {})
    throw new UnexpectedResponse(`it responded with status ${status}`)
  }
  const text = await readText(body)
  const exists = existsIn(text)
  if (exists === undefined) {
    throw new UnexpectedResponse('its response was not {"exists": true} or {"exists": false}')
  }
  return exists
}

async function readText(body: Response['body']): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    parts.push(part)
    size += part.length
    if (size > MOST_BYTES) throw new UnexpectedResponse(`its response was over ${MOST_BYTES} bytes long`)
  }
  return Buffer.concat(parts).toString()
}

function existsIn(text: string): boolean | undefined {
  const exists = (parsedJson(text) as { exists?: unknown } | null | undefined)?.exists
  return typeof exists === 'boolean' ? exists : undefined
}

function reasonOf(error: Error, timeLimit: number): string {
  if (error instanceof UnexpectedResponse) return error.message
  if (error.name === 'TimeoutError') return `no complete response within ${timeLimit} ms`
  const { code, message } = (error.cause ?? {}) as { code?: string; message?: string }
  return `it could not be reached: ${code ?? message ?? 'its URL or the token is not valid'}`
}
