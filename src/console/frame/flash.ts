/** What an action says on the page that follows it: a sentence, and the way to undo it. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { ConsoleContext } from './context.ts'

export type Flash = { text: string; undo?: { path: string; fields?: Record<string, string> } }

const NAME = 'flash'

/** Redirects to a page of the console (303), which says what happened. */
export function redirect(c: ConsoleContext, path: string, flash?: Flash): Response {
  if (flash !== undefined) {
    setCookie(c, NAME, JSON.stringify(flash), {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      secure: c.get('frame').deps.config.consoleUrl.startsWith('https:'),
      maxAge: 60,
    })
  }
  return c.redirect(path, 303)
}

/** The flash that the browser brings, which it then forgets. */
export function takeFlash(c: ConsoleContext): Flash | undefined {
  const cookie = getCookie(c, NAME)
  if (cookie === undefined) return undefined
  deleteCookie(c, NAME, { path: '/' })
  try {
    const { text, undo } = JSON.parse(cookie)
    if (typeof text !== 'string') return undefined
    return isLocal(undo?.path) ? { text, undo } : { text }
  } catch {
    return undefined
  }
}

/**
 * Whether a value is a path on this host, so that a redirect or form cannot lead elsewhere. As a URL has it:
 * printable ASCII without spaces, since everything else is encoded, and short enough for a header.
 */
export const isLocal = (path: unknown): path is string =>
  typeof path === 'string' &&
  /^\/[!-~]{0,4000}$/.test(path) &&
  URL.parse(path, 'http://console.invalid')?.host === 'console.invalid'
