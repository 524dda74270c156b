/** Who is asking: the address of the client, and what its limits are counted by. */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

export type ClientAddress = (request: IncomingMessage) => string

/**
 * Makes the function that tells a request's client address. `X-Forwarded-For` is read from the
 * right, and only for as long as the hop that wrote an entry is one of the trusted networks: what
 * stands further left may have been written by anybody.
 */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = trustedProxies.map(network)
  const trusts = (address: string) =>
    ipaddr.isValid(address) && trusted.some(range => contains(range, ipaddr.process(address)))
  return request => {
    let address = request.socket.remoteAddress ?? ''
    if (trusted.length === 0) return address
    const hops = String(request.headers['x-forwarded-for'] ?? '').split(',')
    while (trusts(address)) {
      const hop = withoutPort(hops.pop()?.trim() ?? '')
      if (!hop) break
      address = hop
    }
    return address
  }
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`, as RFC 7239 section 6 has it. */
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
