import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { kindOfTeamMail, stepOfTeam } from '../../src/store/outbox/mail-steps.ts'

test('the steps of the mails to a team are those of the tasks that are stored already', () => {
  for (const [mail, kind, step] of [
    ['unattended', 'student', 0],
    ['unattended', 'site', 1],
    ['digest', 'site', 0],
    ['digest', 'student', 1],
  ] as const)
    deepEqual([stepOfTeam(mail, kind), kindOfTeamMail(mail, step)], [step, kind])
})
