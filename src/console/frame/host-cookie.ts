/** The cookies of the console: no script reads them, and no other host can set them. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { SECOND } from '../../platform/time.ts'
import type { ConsoleContext } from './context.ts'

/** The value that the browser has sent under a name; undefined if there is none. */
export const readCookie = (c: ConsoleContext, name: string): string | undefined => getCookie(c, nameOf(c, name))

/** Makes the browser store a value for some time, in milliseconds. */
export function keepCookie(c: ConsoleContext, name: string, value: string, lifetime: number): void {
  setCookie(c, nameOf(c, name), value, { ...optionsOf(c), maxAge: lifetime / SECOND })
}

export function dropCookie(c: ConsoleContext, name: string): void {
  deleteCookie(c, nameOf(c, name), optionsOf(c))
}

/**
 * Over https, browsers protect a `__Host-` cookie from every other host and from http. Over http, which is only for
 * this machine, some browsers do not accept such a cookie.
 */
const nameOf = (c: ConsoleContext, name: string): string => (isSecure(c) ? `__Host-${name}` : name)

const optionsOf = (c: ConsoleContext) => ({ path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure(c) }) as const

const isSecure = (c: ConsoleContext): boolean => c.get('frame').deps.config.consoleUrl.startsWith('https:')
