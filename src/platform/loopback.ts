/** Which hosts are this machine itself; a connection to it needs no encryption. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether a host name, as it is in a URL, or an IP address is this machine (RFC 6761 section 6.3 for the names). */
export function isLoopback(hostname: string): boolean {
  // The usual case, on the path of each request behind a local proxy.
  if (hostname === '127.0.0.1') return true
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return ipaddr.process(host).range() === 'loopback'
  return /^(?:.*\.)?localhost$/i.test(host)
}
