/** DKIM (RFC 6376): the key, and the header fields that the signature covers. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { DKIMOptions } from 'nodemailer'
import type { Settings } from '../../config/settings.ts'

/** Every field that readers see or mail programs act on; nodemailer's own list lacks the last two. */
const SIGNED_FIELDS = [
  'From',
  'Reply-To',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  // Mail programs offer to unsubscribe only if the signature covers both (RFC 8058 section 4).
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Auto-Submitted',
].join(':')

/**
 * Reads the private key and checks it now: with a key that it cannot use, nodemailer would leave
 * messages unsigned without an error.
 *
 * Throws an Error that names the setting.
 */
export function readDkim(dkim: NonNullable<Settings['mail']['dkim']>): DKIMOptions {
  const privateKey = read(dkim.privateKeyFile)
  if (parseKey(privateKey)?.asymmetricKeyType !== 'rsa') {
    throw new Error('mail.dkim.privateKeyFile must hold an RSA private key in PEM form')
  }
  return { domainName: dkim.domain, keySelector: dkim.selector, privateKey, headerFieldNames: SIGNED_FIELDS }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`mail.dkim.privateKeyFile cannot be read: ${(error as Error).message}`)
  }
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
