/** Exporting everything about a person, as one file. */

import { audit } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { download } from '../frame/download.ts'
import { get } from '../frame/routes.ts'
import { personOf } from './privacy-person-page.ts'

export const personExportRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  get('/privacy/people/:id{[0-9]{1,15}}/export.zip', 'export people', c => exportFile(c, deps)),
]

async function exportFile(c: ConsoleContext, deps: ConsoleDeps) {
  const { store, settings, addressSecret, conversations, clock, calendar } = deps
  const person = await personOf(c, deps)
  const [lead] = person.leads
  await audit(c, lead === undefined ? 'exported a person without a lead' : 'exported everything of', {
    ...(lead && { leadId: lead.id }),
  })
  // Only an export needs this module.
  const { exportPerson } = await import('../../mail/person-export.ts')
  const source = { store, settings, addressSecret, messageOf: conversations.messageOf }
  const now = clock.now()
  // Without the person's name, since the file stays in a folder of downloads.
  const name = `person-${person.id}-${calendar.today(now)}`
  return download(c, { name, format: 'zip' }, exportPerson(source, person.email, now))
}
