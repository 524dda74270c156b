/** Certificate authorities that the operator names, in addition to the ones that Node.js trusts anyway. */
import { readFileSync } from 'node:fs'

/**
 * Trusts the certificates in a PEM file, in every connection that this thread makes from now on. A file
 * that cannot be read changes nothing.
 */
export function trustAuthoritiesIn(file: string): void {
  try {
    const own = readFileSync(file, 'utf8')
    const tls = process.getBuiltinModule('node:tls')
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), own])
  } catch {
    // The configuration names the file and the problem.
  }
}
