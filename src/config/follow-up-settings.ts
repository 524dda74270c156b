/** The settings of the follow-up: its steps, and when it is night. */
import type { Recipient } from '../follow-up/cadence.ts'
import { Group, setting } from './setting.ts'
import { stateCode, step, time } from './setting-shapes.ts'
import { under } from './setting-topics.ts'
import { listOf, recordOf, text } from './shape.ts'

const calls = under('calls')

export const followUpSettings = {
  student: setting(
    listOf(step, { least: 0 }),
    [
      remind('remind-counselor', '5 minutes', 'counselor', 'notifications/reminder.md'),
      remind('remind-backup', '15 minutes', 'backup', 'notifications/take-over.md'),
      remind('tell-manager', '60 minutes', 'manager', 'notifications/escalation.md'),
      write('day-1', '1 day', 'letters/day-1.md'),
      write('day-3', '3 days', 'letters/day-3.md'),
      write('day-7', '7 days', 'letters/day-7.md'),
      { name: 'no-reply', after: '14 days', clock: 'student', close: 'no reply' },
    ],
    calls('Follow-up of students', 'What happens after an inquiry, and when, until someone reaches the student.'),
  ),
  site: setting(
    listOf(step, { least: 0 }),
    [
      remind('remind-team', '1 day', 'team', 'notifications/site-reminder.md'),
      remind('remind-team-again', '3 days', 'team', 'notifications/site-reminder.md'),
    ],
    calls('Follow-up of sites', 'The same for sites: employers, partners and clinical sites.'),
  ),
  quietHours: new Group(calls('Night', 'In these hours, where the student lives, no follow-up email is sent.'), {
    from: setting(time, '20:00', 'From'),
    to: setting(time, '09:00', 'to'),
  }),
  zones: setting(
    recordOf(listOf(text(60)), stateCode),
    {},
    calls('Time zones of other states', 'Which time it is in states outside the United States.'),
  ),
}

function remind(name: string, after: string, to: Exclude<Recipient, 'student'>, message: string) {
  return { name, after, clock: 'school', to, message } as const
}

function write(name: string, after: string, message: string) {
  return { name, after, clock: 'student', to: 'student', message } as const
}
