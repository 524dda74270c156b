/** Signatures on data that others keep for us, such as links, forms and cookies: they prove that we wrote it. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** How many bytes a signature has. Links and forms have fewer, since people see them: 16, which are 128 bits. */
const WHOLE = 32

/** HMAC-SHA-256 (RFC 2104) in base64url, cut to so many bytes. A signature for one purpose is not valid for another. */
export function signature(secretKey: string, purpose: string, text: string, bytes = WHOLE): string {
  const hmac = createHmac('sha256', secretKey).update(`${purpose}\n${text}`)
  // As text, since Node.js allocates memory of its own for each Buffer that it returns here. Forms need one each.
  return Buffer.from(hmac.digest('latin1'), 'latin1').toString('base64url', 0, bytes)
}

/** Whether `given` is the signature of this text, with this many bytes. Compares in constant time. */
export function isSigned(secretKey: string, purpose: string, text: string, given: string, bytes = WHOLE): boolean {
  const [expected, its] = [Buffer.from(signature(secretKey, purpose, text, bytes)), Buffer.from(given)]
  return expected.length === its.length && timingSafeEqual(expected, its)
}
