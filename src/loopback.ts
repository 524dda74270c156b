/** Which hosts are this very machine, to which a connection needs no encryption. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether a host name, as a URL has it, is this machine (RFC 6761 section 6.3 for the names). */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return ipaddr.process(host).range() === 'loopback'
  return /^(?:.*\.)?localhost$/i.test(host)
}
