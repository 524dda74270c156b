import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailAddress } from '../../src/leads/body/email.ts'
import { createMessageIds } from '../../src/mail/message-id.ts'
import { everyKind, hasMessage } from '../../src/store/tables/task-kinds.ts'

const ids = createMessageIds('a secret', 'desk@school.example' as EmailAddress)

test('the Message-ID of every kind of message leads back to its task', () => {
  for (const kind of everyKind.filter(hasMessage)) {
    const id = ids.of({ kind, subject: 20261123, step: 12, created_at: 1 })
    deepEqual(ids.read(id), { kind, subject: 20261123, step: 12 })
  }
})

test('an id that no message of ours has leads nowhere', () => {
  const id = ids.of({ kind: 'notify', subject: 17, step: 0, created_at: 1 })
  for (const foreign of [
    id.replace('notify', 'file'),
    id.replace('notify', 'toString'),
    id.replace('desk', 'x').replace('school', 'other'),
    id.replace(/\.[0-9a-f]{24}@/, '.0@'),
    `x${id}`,
  ]) {
    equal(ids.read(foreign), undefined, foreign)
  }
})
