/** Certificate authorities that the operator names, in addition to the ones that Node.js trusts anyway. */
import { readFileSync } from 'node:fs'

/** Trusts the certificates in a PEM file, in this thread's connections from now on, if the file can be read. */
export function trustAuthoritiesIn(file: string): void {
  try {
    const own = readFileSync(file, 'utf8')
    const tls = process.getBuiltinModule('node:tls')
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), own])
  } catch {
    // The configuration names the file and the problem.
  }
}
