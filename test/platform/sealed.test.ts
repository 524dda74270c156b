import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { seal, unseal } from '../../src/platform/sealed.ts'

test('what is sealed is never sealed with the same nonce twice, and is read with its own key and owner alone', () => {
  const by = { secretKey: 'a secret', purpose: 'test', owner: 'one' }
  const sealed = Array.from({ length: 600 }, () => seal(by, Buffer.from('words')))
  equal(new Set(sealed.map(one => one.subarray(0, 12).toString('hex'))).size, 600)
  deepEqual(new Set(sealed.map(one => String(unseal(by, one)))), new Set(['words']))
  for (const other of [{ secretKey: 'another' }, { purpose: 'other' }, { owner: 'two' }])
    equal(unseal({ ...by, ...other }, sealed[0] as Buffer), undefined)
})
