import { equal, ok, throws } from 'node:assert/strict'
import { createHash, createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { createMailer } from '../../src/mail/transport/mailer.ts'
import { startSmtp } from '../support/smtp.ts'
import { aConfig, aFolder, aMessage, aSettings } from './fixtures.ts'

function mailerWithKey(t: TestContext, pem: string, smtpUrl: string) {
  const privateKeyFile = join(aFolder(t), 'dkim.pem')
  writeFileSync(privateKeyFile, pem)
  const dkim = { domain: 'school.example', selector: 'frontdesk', privateKeyFile }
  const mailer = createMailer(aConfig({ smtpUrl, settings: aSettings({ mail: { dkim } }) }))
  t.after(() => mailer.close())
  return mailer
}

describe('DKIM', () => {
  test('signs everything that readers see and that machines act on', async t => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const smtp = await startSmtp(t)
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const text = 'Grüße,  mit  Leerzeichen \n\n.\nund Punkt\n\n\n'
    const unsubscribe = `https://learn.school.example/mail/${'u12.'.repeat(40)}`
    await mailerWithKey(t, pem, smtp.url).send(aMessage({ subject: 'Ünïcode', text, unsubscribe }))

    const raw = smtp.messages[0]?.raw ?? ''
    const tags = verify(raw, publicKey)
    equal(tags.get('d'), 'school.example')
    equal(tags.get('s'), 'frontdesk')
    const signed = tags.get('h')?.split(':') ?? []
    const names = ['from', 'to', 'subject', 'date', 'message-id', 'auto-submitted']
    for (const name of [...names, 'list-unsubscribe', 'list-unsubscribe-post']) {
      ok(signed.includes(name), `${name} is signed`)
    }
    throws(() => verify(raw.replace('auto-generated', 'no'), publicKey), /signature/)
    throws(() => verify(raw.replace('Punkt', 'punkt'), publicKey), /body/)
  })

  test('rejects a key that cannot sign when the mailer is created', t => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    for (const wrong of [pem, 'no key', '']) {
      throws(
        () => mailerWithKey(t, wrong, 'smtp://127.0.0.1:1'),
        /mail\.dkim\.privateKeyFile must hold an RSA private key/,
      )
    }
  })
})

/** Verifies a signature with relaxed/relaxed canonicalization (RFC 6376 section 6.1). Throws if it is wrong. */
function verify(raw: string, key: KeyObject): Map<string, string> {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw.slice(0, end).split(/\r\n(?![ \t])/)
  const signature = headers.find(line => /^dkim-signature:/i.test(line)) ?? ''
  const tags = new Map(
    signature
      .slice(signature.indexOf(':') + 1)
      .replace(/\s+/g, '')
      .split(';')
      .map(tag => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
  )
  const body = raw
    .slice(end + 4)
    .replace(/[ \t]+/g, ' ')
    .replace(/ \r\n/g, '\r\n')
  const hash = createHash('sha256')
    .update(`${body.replace(/(\r\n)+$/, '')}\r\n`)
    .digest('base64')
  if (hash !== tags.get('bh')) throw new Error('the body hash is wrong')

  const find = (name: string) => headers.findLast(line => line.toLowerCase().startsWith(`${name}:`))
  const covered = (tags.get('h') ?? '').split(':').map(name => `${relaxed(find(name) ?? '')}\r\n`)
  const own = relaxed(signature).replace(/(;\s*b=)[^;]*$/, '$1')
  const verifier = createVerify('sha256').update(covered.join('') + own)
  if (!verifier.verify(key, tags.get('b') ?? '', 'base64')) throw new Error('the signature is wrong')
  return tags
}

function relaxed(line: string): string {
  const colon = line.indexOf(':')
  const value = line
    .slice(colon + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()
  return `${line.slice(0, colon).toLowerCase().trim()}:${value}`
}
