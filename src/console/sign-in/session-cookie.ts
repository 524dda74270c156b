/** The cookie of a session: a random token; the database has only its hash. */
import { createHash, randomBytes } from 'node:crypto'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { SECOND } from '../../platform/time.ts'
import { SESSION_LIFETIME } from '../../store/operators/sessions.ts'
import type { ConsoleContext } from '../frame/context.ts'

/** The hash of the token that the browser has sent; undefined without one. */
export function sessionOf(c: ConsoleContext): string | undefined {
  const token = getCookie(c, cookieOf(c).name)
  return token ? hashOf(token) : undefined
}

/** Begins a session with a new token; the one that the browser had ends. */
export async function beginSession(c: ConsoleContext, operatorId: number): Promise<void> {
  const { store, clock, networkOf } = c.get('frame').deps
  const token = randomBytes(32).toString('base64url')
  await leaveSession(c, operatorId)
  await store.addSession(operatorId, {
    tokenHash: hashOf(token),
    network: networkOf(c.env.incoming),
    browser: browserName(c.req.header('user-agent') ?? ''),
    now: clock.now(),
  })
  const { name, options } = cookieOf(c)
  setCookie(c, name, token, { ...options, maxAge: SESSION_LIFETIME / SECOND })
}

/** Ends the session of this browser, if it is the operator's. */
export async function leaveSession(c: ConsoleContext, operatorId: number): Promise<void> {
  const tokenHash = sessionOf(c)
  const { name, options } = cookieOf(c)
  deleteCookie(c, name, options)
  if (tokenHash !== undefined) await c.get('frame').deps.store.endSession(operatorId, tokenHash)
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

/**
 * Over https, browsers keep a `__Host-` cookie from every other host and from http. Over http, which
 * only makes sense on this machine, not every browser accepts one.
 */
function cookieOf(c: ConsoleContext) {
  const secure = c.get('frame').deps.config.consoleUrl.startsWith('https:')
  const options = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const
  return { name: secure ? '__Host-session' : 'session', options }
}

/** `Firefox on Windows`: enough to tell one's own sessions apart. */
export function browserName(userAgent: string): string {
  const find = (names: [RegExp, string][]) => names.find(([sign]) => sign.test(userAgent))?.[1]
  const browser = find([
    [/\bEdg/, 'Edge'],
    [/\bFirefox\//, 'Firefox'],
    [/\bChrome\/|\bCriOS\//, 'Chrome'],
    [/\bSafari\//, 'Safari'],
  ])
  const system = find([
    [/\biPhone|\biPad/, 'iOS'],
    [/\bAndroid/, 'Android'],
    [/\bWindows/, 'Windows'],
    [/\bMac OS X/, 'macOS'],
    [/\bLinux/, 'Linux'],
  ])
  if (browser === undefined) return 'a browser'
  return system === undefined ? browser : `${browser} on ${system}`
}
