/**
 * Requests to URLs that someone has typed, without a way into our own network (server-side request forgery): only
 * public addresses, https and port 443, unless the settings name the network. The check applies to the address that a
 * request actually connects to, at each request, so no one can point a name elsewhere after the check.
 */
import { type LookupAddress, lookup } from 'node:dns'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { readAddress } from '../platform/networks.ts'

/** The limit for a whole exchange, in milliseconds. */
export const TIMEOUT = 15_000

/** How much is read of a response that is only shown, in bytes. */
export const LARGEST_SHOWN = 1024

export type OutgoingRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string
  /** How much of the response is read, in bytes, if the next request needs it. Default: LARGEST_SHOWN. */
  largest?: number
}

export type Send = (request: OutgoingRequest) => Promise<Received>

export type Received = { status: number; headers: IncomingMessage['headers']; body: string }

/** Why we do not send a request there. */
export class ForbiddenUrl extends Error {
  override name = 'ForbiddenUrl'
}

/**
 * A function that sends requests. It never follows a redirect. It rejects if the address is not allowed, or once 15
 * seconds have passed since the function was made: all requests for one event share that time.
 */
export function guardedSender(networks: readonly string[]): Send {
  const signal = AbortSignal.timeout(TIMEOUT)
  return request => sendGuarded(request, { networks, signal })
}

async function sendGuarded(
  { method, url, headers, body, largest }: OutgoingRequest,
  { networks, signal }: { networks: readonly string[]; signal: AbortSignal },
): Promise<Received> {
  const target = checkedUrl(url, networks)
  const { request } = process.getBuiltinModule(target.protocol === 'https:' ? 'node:https' : 'node:http')
  const options: RequestOptions = {
    method,
    // A connection is used only once: an open one could lead to an address that is no longer allowed.
    agent: false,
    lookup: guardedLookup(target, networks),
    signal,
    headers: { 'User-Agent': 'Frontdesk', ...headers, 'Content-Length': Buffer.byteLength(body) },
  }
  const sent = request(target, options)
  sent.end(body)
  const response = await responseTo(sent)
  const { statusCode: status = 0, headers: received } = response
  // A receiver that says that it has the event must not get it again, even if reading the text that is only shown
  // fails.
  const mayBreakOff = largest === undefined && status >= 200 && status < 300
  return { status, headers: received, body: await beginningOf(response, largest ?? LARGEST_SHOWN, mayBreakOff) }
}

/** Rejects if the connection ends without a response. If the protocol is switched (101), Node.js reports no error. */
function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) =>
    request
      .once('response', resolve)
      .on('error', reject)
      .once('close', () => reject(new Error('the connection ended without a response'))),
  )
}

async function beginningOf(response: IncomingMessage, largest: number, mayBreakOff: boolean): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= largest) break
    }
  } catch (error) {
    if (!mayBreakOff) throw error
  }
  response.destroy()
  // PostgreSQL cannot store a NUL in a text.
  return Buffer.concat(chunks).subarray(0, largest).toString('utf8').replaceAll('\0', '')
}

/**
 * Checks a URL before its name is looked up. Throws a ForbiddenUrl that says what is wrong. The URL parser has
 * already brought decimal, octal and hexadecimal addresses into one form.
 */
export function checkedUrl(url: string, networks: readonly string[]): URL {
  const target = URL.parse(url)
  if (target === null || !['https:', 'http:'].includes(target.protocol))
    throw new ForbiddenUrl('the URL must begin with https://')
  if (target.username !== '' || target.password !== '')
    throw new ForbiddenUrl('the URL must not contain a user name or password')
  // Node.js calls our lookup only for names, so an address in the URL is checked here.
  const literal = readAddress(target.hostname.replace(/^\[|\]$/g, ''))
  if (literal !== undefined) checkAddress(literal.toString(), target, networks)
  // No public service is reached that way, whatever the name resolves to.
  else if (!isPublicService(target) && networks.length === 0) throw new ForbiddenUrl(NOT_PUBLIC)
  return target
}

const isPublicService = ({ protocol, port }: URL) => protocol === 'https:' && port === ''

/** Looks up a name as usual, and fails unless all of its addresses are allowed. */
const guardedLookup =
  (target: URL, networks: readonly string[]): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[] = []) => {
      const refused = error ?? refusalOf(addresses, target, networks)
      const [first] = addresses
      if (refused !== undefined || first === undefined)
        return callback(refused ?? new ForbiddenUrl('the name has no address'), '', 0)
      if (options.all) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })

function refusalOf(addresses: readonly LookupAddress[], target: URL, networks: readonly string[]) {
  try {
    for (const { address } of addresses) checkAddress(address, target, networks)
    return undefined
  } catch (error) {
    return error as ForbiddenUrl
  }
}

/** Throws a ForbiddenUrl unless a request for this URL may connect to the address. */
export function checkAddress(address: string, target: URL, networks: readonly string[]): void {
  const parsed = readAddress(address)
  if (parsed === undefined) throw new ForbiddenUrl('the name does not lead to an address')
  if (networks.some(network => isIn(parsed, network))) return
  // Ranges of IPv6 that contain an IPv4 address are not `unicast` either, except for the oldest one, such as
  // ::127.0.0.1.
  if (parsed.range() !== 'unicast' || !isAssigned(parsed))
    throw new ForbiddenUrl('the URL leads to a private address, and DESTINATION_NETWORKS does not allow it')
  if (!isPublicService(target)) throw new ForbiddenUrl(NOT_PUBLIC)
}

/** For IPv6, only 2000::/3 is assigned to the public (RFC 4291, section 2.4). */
const isAssigned = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.kind() === 'ipv4' || isIn(address, '2000::/3')

const NOT_PUBLIC = 'the URL must begin with https:// and name no port, unless DESTINATION_NETWORKS allows its address'

function isIn(parsed: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [range, bits] = network.includes('/') ? ipaddr.parseCIDR(network) : single(ipaddr.process(network))
  return range.kind() === parsed.kind() && parsed.match(range, bits)
}

const single = (address: ipaddr.IPv4 | ipaddr.IPv6): [ipaddr.IPv4 | ipaddr.IPv6, number] => [
  address,
  address.kind() === 'ipv4' ? 32 : 128,
]
