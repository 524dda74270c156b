/** Which files are images that every mail program and phone can show. */
import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { imageNameOf } from '../../src/platform/image-file.ts'

const base64 = (text: string) => Buffer.from(text, 'base64')

const whole = {
  png: base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='),
  gif: base64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  webp: base64('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA='),
  jpg: Buffer.from(
    'ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffda0008010100003f0037ffd9',
    'hex',
  ),
}

/** Where each has its height or width, and a number of 60,000 there. */
const large = { png: [16, '0000ea60'], gif: [6, '60ea'], webp: [26, '603f'], jpg: [25, 'ea60'] } as const

test('a logo is an image that is whole, and no larger than a phone can show', () => {
  for (const [type, bytes] of Object.entries(whole)) {
    match(imageNameOf(bytes) ?? '', new RegExp(`^[0-9a-f]{40}\\.${type}$`), type)
    for (const length of [0, 10, 20, bytes.length - 3])
      equal(imageNameOf(bytes.subarray(0, length)), undefined, `${length} bytes of a ${type}`)
    const [at, size] = large[type as keyof typeof large]
    const huge = Buffer.from(bytes)
    huge.set(Buffer.from(size, 'hex'), at)
    equal(imageNameOf(huge), undefined, `a ${type} that is too large`)
  }
})
