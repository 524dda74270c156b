/** The networks that client addresses belong to. */
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The network of a client address, for counting: an IPv4 address as a whole; an IPv6 address by its first `bits` bits;
 * an IPv4 address mapped into IPv6 as that IPv4 address. Texts that are not addresses are one network together.
 */
export const networkAround = (address: string, bits: 48 | 56 | 64): string => networkAt(readAddress(address), bits)

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The address in a text; undefined if it is not one. It takes longer than anything else that is done with it. */
export function readAddress(text: string): Address | undefined {
  if (isIPv4(text)) return new ipaddr.IPv4(text.split('.').map(Number))
  try {
    return ipaddr.process(text)
  } catch {
    return undefined
  }
}

/** Does the same with an address that was already read. */
export function networkAt(parsed: Address | undefined, bits: 48 | 56 | 64): string {
  if (parsed === undefined) return 'unreadable'
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, Math.ceil(bits / 16))
  if (bits === 56) parts[3] = (parts[3] ?? 0) & 0xff00
  return `${parts.map(part => part.toString(16)).join(':')}::/${bits}`
}
