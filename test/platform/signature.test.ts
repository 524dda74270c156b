/** Signatures are HMAC-SHA-256, as Node.js and everyone else computes it. */
import { equal } from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSigned, signature } from '../../src/platform/signature.ts'

const byNode = (key: string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

test('a signature is the HMAC-SHA-256 of purpose and text, whatever the length of the key', () => {
  const key = fc.string({ unit: 'grapheme', maxLength: 150 })
  fc.assert(
    fc.property(key, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (secret, purpose, text) => {
      const whole = byNode(secret, `${purpose}\n${text}`)
      equal(signature(secret, purpose, text), whole.toString('base64url'))
      equal(signature(secret, purpose, text, 16), whole.subarray(0, 16).toString('base64url'))
    }),
  )
  for (const length of [63, 64, 65]) {
    const secret = 'k'.repeat(length)
    equal(signature(secret, 'p', 't'), byNode(secret, 'p\nt').toString('base64url'))
  }
})

test('a text is signed only with its own key, purpose, length and letters', () => {
  const given = signature('secret', 'link', 'lead 1')
  equal(isSigned('secret', 'link', 'lead 1', given), true)
  equal(isSigned('Secret', 'link', 'lead 1', given), false)
  equal(isSigned('secret', 'form', 'lead 1', given), false)
  equal(isSigned('secret', 'link', 'lead 2', given), false)
  equal(isSigned('secret', 'link', 'lead 1', given.slice(0, 22), 16), false)
  equal(isSigned('secret', 'link', 'lead 1', ''), false)
})
