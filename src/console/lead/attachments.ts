/** The attachments of emails: in the timeline of a lead, and as downloads, which no browser shows as a page. */
import { html } from 'hono/html'
import { attachmentInWords, sizeInWords } from '../../leads/attachments/attachment.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { attachmentContent } from '../../store/attachments/attachment-content.ts'
import { audit } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { downloadFile } from '../frame/download.ts'
import { ConsoleError, doesNotExist } from '../frame/error-pages.ts'
import type { Html } from '../frame/layout.ts'
import { get, idIn } from '../frame/routes.ts'
import { readLeadFor } from './view.ts'

export const attachmentRoutes: ConsoleRoute[] = [
  get('/leads/:id{[0-9]{1,15}}/attachments/:attachment{[0-9]{1,15}}', 'see leads', downloadAttachment),
]

async function downloadAttachment(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'see')
  const attachment = await deps.store.readAttachment(idIn(c, 'attachment'))
  const { state, size } = attachment ?? {}
  if (attachment?.leadId === lead.id && state === 'unchecked')
    throw new ConsoleError(409, 'This attachment is being checked for viruses. Try again in a minute.')
  if (attachment?.leadId !== lead.id || state !== 'stored' || typeof size !== 'number')
    throw doesNotExist('attachment', 'It may have been erased, or it was never stored.')
  await audit(c, 'downloaded an attachment of', { leadId: lead.id })
  return downloadFile(c, { ...attachment, size }, attachmentContent(deps.store, attachment))
}

/** The attachments of an email in the timeline, with links to those that can be downloaded. */
export function attachmentList(leadId: number, { attachments = [], kind }: TimelineEntry): Html | '' {
  if (attachments.length === 0) return ''
  const stays = kind === 'message' ? '' : '. It is still in the mailbox.'
  return html`<ul class="attachments">${attachments.map(one =>
    one.state === 'stored'
      ? html`<li><a href="/leads/${leadId}/attachments/${one.id}" download>${one.name}</a> <span class="quiet">${sizeInWords(one.size ?? 0)}</span></li>`
      : html`<li class="quiet">${attachmentInWords(one)}${one.state === 'unchecked' ? '' : stays}</li>`,
  )}</ul>`
}
