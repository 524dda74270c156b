/** Who is asking: the address that limits are counted by. */
import ipaddr from 'ipaddr.js'

const UNLIMITED = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal'])

/**
 * What an address is limited as: an IPv4 address whole, an IPv6 address as its /64 (one household or
 * host has all of it), an IPv4 address mapped into IPv6 as itself. Undefined for a loopback or
 * private address, which is never limited: it is a proxy that nobody configured, or a test.
 */
export function limitKey(address: string): string | undefined {
  if (address === '127.0.0.1') return undefined
  if (!ipaddr.isValid(address)) return 'unreadable'
  const parsed = ipaddr.process(address)
  if (UNLIMITED.has(parsed.range())) return undefined
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4)
  return `${network.map(part => part.toString(16)).join(':')}::/64`
}
