/** Hashes of passwords: who is let in after the parameters have changed. */
import { equal, rejects } from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { hashPassword, verifyPassword } from '../../src/console/sign-in/passwords.ts'

const PASSWORD = 'correct horse battery'

/** A hash as another version of the service has made it, with other parameters. */
function olderHash(): string {
  const [nonce, [memory, passes, parallelism]] = [Buffer.alloc(16, 7), [1024, 3, 2]] as const
  const options = { message: PASSWORD, nonce, memory, passes, parallelism, tagLength: 24 }
  const [salt, hash] = [nonce, argon2Sync('argon2id', options)].map(bytes =>
    bytes.toString('base64').replace(/=+$/, ''),
  )
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${hash}`
}

test('a password is verified with the parameters that its hash was made with', async () => {
  equal(await verifyPassword(PASSWORD, olderHash()), true)
  equal(await verifyPassword('another one', olderHash()), false)
  equal(await verifyPassword(PASSWORD, await hashPassword(PASSWORD)), true)
})

test('no one is let in without a hash, and a broken one is a defect', async () => {
  equal(await verifyPassword(PASSWORD, null), false)
  await rejects(verifyPassword(PASSWORD, '$argon2id$v=19$$$'), /stored hash/)
})
