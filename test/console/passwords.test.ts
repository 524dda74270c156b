/** Passwords: which can be chosen, and who is let in after the parameters of their hashes have changed. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { hashPassword, passwordProblem, verifyPassword } from '../../src/console/sign-in/passwords.ts'
import { usualHashCost } from '../support/cheap-passwords.ts'

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

const NAMES = ['Ana Ruiz', 'alex.ruiz@school.example', 'alex.ruiz', 'Lakeside School']
const problemWith = (password: string) => passwordProblem(password, NAMES)

for (const password of [
  'password1234',
  'passwordpassword',
  'qwertyuiop12',
  'iloveyou1234',
  'administrator',
  'letmein12345',
  'lakesideschool',
  'Lakeside-School1',
  'frontdesk1234',
  'anaruizanaruiz',
  'alex.ruiz1234',
  '197511231975',
  'aaaaaaaaaaaaaaaa',
]) {
  test(`a password that everyone tries cannot be chosen: ${password}`, async () => {
    match((await problemWith(password)) ?? '', /easy to guess/)
  })
}

test('a password of random words, in any language, or of random characters can be chosen', async () => {
  for (const password of [PASSWORD, 'una casa verde grande', 'kxq7vWp2mZ9t', '王小明喜欢吃苹果和香蕉的早餐']) {
    equal(await problemWith(password), undefined, password)
  }
})

test('a password has a length', async () => {
  match((await problemWith('xK9#mQ2$vL7')) ?? '', /at least 12/)
  match((await problemWith('xK9#mQ2$vL7 '.repeat(20))) ?? '', /at most 200/)
})

test('a hash costs what OWASP recommends for argon2id', () => {
  deepEqual(usualHashCost, { memory: 19 * 1024, passes: 2, parallelism: 1 })
})
