/** Asks the learning site over HTTP whether somebody has an account there. */

type Site = {
  url: string
  token: string | undefined
  /** For the whole exchange, headers and body, in milliseconds. */
  timeLimit: number
}

/** An answer has a few bytes; more is something else. */
const MOST_BYTES = 1024

/**
 * Asks `POST url` with `{"email": …}`, in the body because addresses of pages end up in logs, and
 * reads the answer: 200 `{"exists": true}` or `{"exists": false}`.
 *
 * Rejects on anything else, a redirect too, with a reason that quotes neither the address nor the
 * answer, which may repeat it.
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
    return await readAnswer(response)
  } catch (error) {
    throw new Error(reasonOf(error as Error, timeLimit))
  }
}

class NotAnAnswer extends Error {}

async function readAnswer({ status, body }: Response): Promise<boolean> {
  if (status !== 200) {
    // Unread, it would hold the connection.
    body?.cancel().catch(() => {})
    throw new NotAnAnswer(`it answered with status ${status}`)
  }
  const text = await readText(body)
  const exists = existsIn(text)
  if (exists === undefined) {
    throw new NotAnAnswer('its answer was not {"exists": true} or {"exists": false}')
  }
  return exists
}

async function readText(body: Response['body']): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    parts.push(part)
    size += part.length
    if (size > MOST_BYTES) throw new NotAnAnswer(`its answer was over ${MOST_BYTES} bytes long`)
  }
  return Buffer.concat(parts).toString()
}

function existsIn(text: string): boolean | undefined {
  try {
    const exists: unknown = JSON.parse(text)?.exists
    return typeof exists === 'boolean' ? exists : undefined
  } catch {
    return undefined
  }
}

function reasonOf(error: Error, timeLimit: number): string {
  if (error instanceof NotAnAnswer) return error.message
  if (error.name === 'TimeoutError') return `no whole answer within ${timeLimit} milliseconds`
  const { code, message } = (error.cause ?? {}) as { code?: string; message?: string }
  return `it could not be asked: ${code ?? message ?? 'its address or the token cannot be used'}`
}
