/** The lanes of the worker and what is done in each: what waits in one never waits for another. */
import type { Mailer } from '../mail/mailer.ts'
import type { MessageIds } from '../mail/message-id.ts'
import { createAddressees } from './addressees.ts'
import { createFiling, type FilingParts } from './filing.ts'
import type { LaneWork } from './lane.ts'
import { createMailing, type MailParts } from './mailing.ts'
import { createSend } from './sending.ts'
import { createStepping } from './stepping.ts'

type Parts = FilingParts &
  Omit<MailParts, 'addressees' | 'send'> & { mailer: Mailer; identity: MessageIds }

export function createLanes(parts: Parts): LaneWork[] {
  const mail = { ...parts, addressees: createAddressees(parts), send: createSend(parts) }
  return [
    { name: 'filing', slots: 1, tasksPerJob: 20, run: createFiling(parts) },
    { name: 'mail', slots: 5, tasksPerJob: 1, run: createMailing(mail) },
    { name: 'follow-up', slots: 3, tasksPerJob: 1, run: createStepping(mail) },
    // Thousands of letters may be due when the quiet hours end: nothing else waits for them.
    { name: 'letters', slots: 3, tasksPerJob: 1, run: createStepping(mail) },
  ]
}
