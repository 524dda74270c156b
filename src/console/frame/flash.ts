/** What an action says on the next page: a sentence, and the button that undoes the action. */
import { parsedJson } from '../../platform/json.ts'
import { isSigned, signature } from '../../platform/signature.ts'
import { MINUTE } from '../../platform/time.ts'
import { sessionOf } from '../sign-in/session-cookie.ts'
import type { ConsoleContext } from './context.ts'
import { dropCookie, keepCookie, readCookie } from './host-cookie.ts'

export type Flash = {
  text: string
  undo?: { path: string; fields?: Record<string, string> }
  /** What a person can do next, as buttons of one form. Each button sends its value under `name`. */
  offer?: { words: string; path: string; name: string; choices: readonly { value: string; name: string }[] } | undefined
}

const NAME = 'flash'

/** Redirects to a page of the console (303), which says what happened. A script that acts in place gets the path. */
export function redirect(c: ConsoleContext, path: string, flash?: Flash): Response {
  if (flash !== undefined) {
    const text = JSON.stringify(flash)
    const signed = signature(c.get('frame').deps.secretKey, purposeOf(c, flash), text)
    keepCookie(c, NAME, `${signed}.${text}`, MINUTE)
  }
  if (c.req.header('x-part') === undefined) return c.redirect(path, 303)
  c.header('x-to', path)
  return c.body(null, 204)
}

/** The flash that the browser sends; its cookie is then deleted. Only one that we signed for this session counts. */
export function takeFlash(c: ConsoleContext): Flash | undefined {
  const cookie = readCookie(c, NAME)
  if (cookie === undefined) return undefined
  dropCookie(c, NAME)
  const end = cookie.indexOf('.')
  const [given, text] = [cookie.slice(0, end), cookie.slice(end + 1)]
  const flash = parsedJson(text) as Flash | undefined
  const isOurs = flash && isSigned(c.get('frame').deps.secretKey, purposeOf(c, flash), text, given)
  return isOurs ? flash : undefined
}

/** An undo or an offer takes one click, so each is bound to a session: no one can plant one in another's session. */
const purposeOf = (c: ConsoleContext, { undo, offer }: Flash): string =>
  undo === undefined && offer === undefined ? NAME : `${NAME} of session ${sessionOf(c)}`

/**
 * Whether a value is a path on this host, so that a redirect or form cannot lead elsewhere. It must be printable ASCII
 * without spaces, since a URL encodes everything else, and short enough for a header.
 */
export const isLocal = (path: unknown): path is string =>
  typeof path === 'string' &&
  /^\/[!-~]{0,4000}$/.test(path) &&
  URL.parse(path, 'http://console.invalid')?.host === 'console.invalid'
