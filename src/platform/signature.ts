/** Signatures of what others keep for us, such as cookies: what we read again is what we wrote. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA-256 (RFC 2104), base64url. What is signed for one purpose is not valid for another. */
export const signature = (secretKey: string, purpose: string, text: string): string =>
  createHmac('sha256', secretKey).update(`${purpose}\n${text}`).digest('base64url')

/** Whether a signature is that of this text, in constant time. */
export function isSigned(secretKey: string, purpose: string, text: string, given: string): boolean {
  const [expected, bytes] = [Buffer.from(signature(secretKey, purpose, text)), Buffer.from(given)]
  return expected.length === bytes.length && timingSafeEqual(expected, bytes)
}
