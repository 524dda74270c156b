/** The IP address of the client, even behind proxies, and the client whose connections are limited. */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { limitKey } from './rate-limits.ts'

export type ClientAddress = (request: IncomingMessage) => string

/**
 * Makes the function that finds the client address of a request. It reads `X-Forwarded-For` from the right, as long as
 * the hop that wrote an entry is in one of the trusted networks: anyone may have written the entries further left.
 */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusts = isIn(trustedProxies)
  return request => {
    let address = request.socket.remoteAddress ?? ''
    if (trustedProxies.length === 0) return address
    const hops = String(request.headers['x-forwarded-for'] ?? '').split(',')
    while (trusts(address)) {
      const hop = withoutPort(hops.pop()?.trim() ?? '')
      if (!hop) break
      address = hop
    }
    return address
  }
}

/**
 * Makes the function that names the client behind the address of a connection. An address in `shared`, like any private
 * one, has no name, because it carries the connections of many clients.
 */
export function connectedClient(shared: readonly string[]): (address: string) => string | undefined {
  const isShared = isIn(shared)
  return address => (isShared(address) ? undefined : limitKey(address))
}

/** Makes the function that says whether an address is one of these, or is in one of these networks. */
export function isIn(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map(network)
  return address =>
    ranges.length > 0 && ipaddr.isValid(address) && ranges.some(range => contains(range, ipaddr.process(address)))
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`, as RFC 7239 section 6 allows. */
const withoutPort = (hop: string): string =>
  hop.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')

type Network = ReturnType<typeof ipaddr.parseCIDR>

function network(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

const contains = (range: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  range[0].kind() === address.kind() && address.match(range as never)
