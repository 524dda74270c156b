import { equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { freeName, slug } from '../../src/platform/free-name.ts'

test('a name is made of the words of a title, without accents', () => {
  equal(slug('  Cómo inscribirse: ¡hoy!', 40), 'como-inscribirse-hoy')
  equal(slug('José Ñandú', 30), 'jose-nandu')
  equal(slug('evening classes', 8), 'evening')
  equal(slug('日本語', 30), '')
})

test('every name is short enough and has words of a to z and digits with one hyphen between', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, most) => {
      const name = slug(text, most)
      ok(name.length <= most)
      match(name, /^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/)
    }),
  )
})

test('a name that is taken gets the first number that is free', () => {
  equal(freeName('maria', ['mario']), 'maria')
  equal(freeName('maria', ['maria', 'maria-2', 'maria-4']), 'maria-3')
})
