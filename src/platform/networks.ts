/** The networks that client addresses belong to. */
import ipaddr from 'ipaddr.js'

/**
 * The network of a client address that counts as one: an IPv4 address as a whole, an IPv6 address by its
 * first `bits` bits, an IPv4 address mapped into IPv6 as itself. Whatever is not an address is one network.
 */
export function networkAround(address: string, bits: 48 | 56 | 64): string {
  if (!ipaddr.isValid(address)) return 'unreadable'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, Math.ceil(bits / 16))
  if (bits === 56) parts[3] = (parts[3] ?? 0) & 0xff00
  return `${parts.map(part => part.toString(16)).join(':')}::/${bits}`
}
