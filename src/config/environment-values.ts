/** Parses the values of environment variables. Each throws an Error whose message completes "NAME …". */
import { readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'
import { type EmailAddress, parseEmail } from '../leads/body/email.ts'

export function origin(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  const bare = url && url.pathname === '/' && !url.search && !url.hash && !url.username
  // The host of a URL may have other characters, but some documents could not quote them.
  const plain = /^(?:[\w.-]+|\[[\da-f:]+\])$/.test(url?.hostname ?? '')
  if (!bare || !plain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('must be a URL such as https://www.example.edu, without a path')
  }
  return url.origin
}

export function port(raw: string): number {
  const value = Number(raw)
  if (!/^\d{1,5}$/.test(raw) || value > 65535) throw new Error('must be a port number from 0 to 65535')
  return value
}

export function networks(raw: string): string[] {
  const entries = raw
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean)
  for (const entry of entries) {
    const valid = entry.includes('/') ? ipaddr.isValidCIDR(entry) : ipaddr.isValid(entry)
    if (!valid) throw new Error(`contains "${entry}", which is neither an IP address nor a network such as 10.0.0.0/8`)
  }
  return entries
}

export function database(raw: string): { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string } {
  const file = raw.startsWith('sqlite:') ? raw.slice('sqlite:'.length) : ''
  if (file) return { engine: 'sqlite', file }
  const url = serverUrl(raw, ['postgres:', 'postgresql:'])
  if (!url || url.pathname.length < 2) {
    const encoding = /^postgres/.test(raw) ? `. ${ENCODING}` : ''
    throw new Error(`must be sqlite:FILE or postgres://user:password@host:port/database${encoding}`)
  }
  return { engine: 'postgres', url: raw }
}

/** RFC 3986 section 2.1. In `.env`, a # that is not encoded begins a comment, and we see only what is before it. */
const ENCODING = 'In a user or password, write / as %2F, + as %2B, @ as %40, : as %3A, # as %23, ? as %3F, % as %25'

/**
 * The URL, if it has one of these protocols; undefined if it cannot be read. Also undefined if a character that should
 * be encoded has cut the password short: what looks like the host is then a part of the password.
 */
function serverUrl(raw: string, protocols: readonly string[]): URL | undefined {
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (!url || !protocols.includes(url.protocol)) return undefined
  const isCutShort = url.hash !== '' || url.pathname.includes('@')
  return isCutShort || !isEncoded(url.username + url.password) ? undefined : url
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

export function smtp(raw: string): string {
  const url = serverUrl(raw, ['smtp:', 'smtps:'])
  if (!url?.hostname || (url.username !== '' && url.password === '')) {
    throw new Error(
      `must be smtp://user:password@host:port, or smtp://host:port without a login; smtps:// begins with TLS. ${ENCODING}`,
    )
  }
  return raw
}

export function imap(raw: string): string {
  const url = serverUrl(raw, ['imap:', 'imaps:'])
  if (!url?.hostname || !url.username || !url.password) {
    throw new Error(`must be imap://user:password@host/INBOX or imaps://…. ${ENCODING}`)
  }
  return raw
}

/** Where files are sent. `folder` is empty or ends with a slash. */
export type SftpTarget = { user: string; host: string; port: number; folder: string }

/**
 * Where files are sent by SFTP. Rejects parts that need quotation marks for `sftp`, or could be taken for an option.
 * `/~/` is the home folder, as for curl.
 */
export function sftp(raw: string): SftpTarget {
  const found = /^sftp:\/\/(\w[\w.-]*)@(\w[\w.-]*)(?::(\d{1,5}))?(?:\/(~\/)?((?:\w[\w.-]*\/?)*))?$/.exec(raw)
  if (found === null)
    throw new Error('must be sftp://user@host/folder, without a password: a key of the service logs in')
  const [, user = '', host = '', digits = '22', home = '', path = ''] = found
  const folder = path === '' || path.endsWith('/') ? path : `${path}/`
  return { user, host, port: port(digits), folder: home === '' ? `/${folder}` : folder }
}

export const sftpUrl = ({ user, host, port, folder }: SftpTarget): string =>
  `sftp://${user}@${host}${port === 22 ? '' : `:${port}`}/${folder.startsWith('/') ? folder.slice(1) : `~/${folder}`}`

export function mailbox(raw: string): EmailAddress {
  const localhost = raw.match(/^[\w.+-]+@localhost$/)
  if (localhost) return raw as EmailAddress
  const parsed = parseEmail(raw)
  if (parsed === undefined) throw new Error('must be one email address')
  return parsed
}

export function secret(raw: string): string {
  if (raw.length < 32) throw new Error('must have at least 32 characters')
  return raw
}

export function level(raw: string) {
  if (!['debug', 'info', 'warn', 'error', 'silent'].includes(raw)) {
    throw new Error('must be debug, info, warn, error or silent')
  }
  return raw as 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

export function certificates(raw: string): string {
  try {
    if (readFileSync(raw, 'utf8').includes('-----BEGIN CERTIFICATE-----')) return raw
  } catch {
    throw new Error(`names ${raw}, which cannot be read`)
  }
  throw new Error(`names ${raw}, which holds no certificate in PEM form`)
}

export function asIs(raw: string): string {
  return raw
}
