/** The settings of lateness: how long work may wait, and how far the clock may jump, before admins are notified. */
import { HOUR, MINUTE } from '../platform/time.ts'
import { setting } from './setting.ts'
import { under } from './setting-topics.ts'
import { integer } from './shape.ts'

const server = under('server')

const minutes = integer(1, (24 * HOUR) / MINUTE)

export const latenessSettings = {
  filingMinutes: setting(
    minutes,
    10,
    server(
      'Minutes until filing is late',
      'Filing takes moments. When an inquiry waits longer, every admin gets an email.',
    ),
  ),
  emailMinutes: setting(
    minutes,
    10,
    server(
      'Minutes until emails are late',
      'The same for emails. While no email can be sent, the browsers of admins notify them instead.',
    ),
  ),
  followUpMinutes: setting(
    minutes,
    30,
    server('Minutes until the follow-up is late', 'The same for reminders and follow-up emails that are due.'),
  ),
  otherMinutes: setting(
    minutes,
    60,
    server(
      'Minutes until other work is late',
      'The same for imports, virus scans, nightly exports, and events for destinations.',
    ),
  ),
  clockMinutes: setting(
    minutes,
    5,
    server(
      'Minutes that the clock may jump',
      'If it jumps further, every admin gets an email: reminders and emails may go out at the wrong time.',
    ),
  ),
}
