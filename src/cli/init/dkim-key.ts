/** A key that signs emails, and what to publish for it in DNS (RFC 6376 section 3.6). */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'

/** An RSA key in PEM form, of 2048 bits as RFC 8301 section 3.2 recommends. */
export const newDkimKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey

export function dkimRecord(privateKey: string, selector: string, domain: string) {
  const key = createPublicKey(createPrivateKey(privateKey))
  const der = key.export({ type: 'spki', format: 'der' }).toString('base64')
  return { name: `${selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${der}` }
}

/** The record for people: to paste into the form of a DNS provider, or into a zone file. */
export function dkimInstructions({ name, value }: ReturnType<typeof dkimRecord>): string {
  // One string of a TXT record holds up to 255 bytes (RFC 1035 section 3.3).
  const strings = value.match(/.{1,255}/g) ?? []
  return `Publish this TXT record in DNS, so that receivers can verify the signature of your emails.

In the form of a DNS provider:
  Type:  TXT
  Name:  ${name}
  Value: ${value}

In a zone file:
  ${name}. 3600 IN TXT ( ${strings.map(text => `"${text}"`).join(' ')} )
`
}
