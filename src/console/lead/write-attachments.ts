/**
 * The attachments of an email that someone writes. They are uploaded with the form, and stored until it is sent: if the
 * form is shown again, on this device or another, it still has them.
 */
import { html } from 'hono/html'
import { roomForAttachments } from '../../lead-actions/attachment-room.ts'
import { storeAttachment } from '../../lead-actions/store-attachment.ts'
import { type Attachment, sizeInWords, whyNotStored } from '../../leads/attachments/attachment.ts'
import { OUTBOUND_LIMITS } from '../../leads/attachments/attachment-limits.ts'
import { safeFileName } from '../../leads/attachments/file-name.ts'
import { acceptedExtensions } from '../../leads/attachments/file-types.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { formOf, numberOf } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'

/**
 * In bytes. The limit is higher than the limit for sending, so that someone who attaches too much learns how much it is
 * and does not lose what they typed.
 */
export const LARGEST_FORM = 30_000_000

const { email: MOST, files: MOST_FILES } = OUTBOUND_LIMITS

/**
 * Stores the files of a form that the operator has sent for a lead, and discards the ones that they remove. Returns
 * what is wrong with the files, in sentences; undefined if they are fine.
 */
export async function storeUploads(c: ConsoleContext, deps: ConsoleDeps, leadId: number): Promise<string | undefined> {
  const form = await formOf(c)
  const { id: operatorId } = c.get('operator')
  const uploads = await deps.store.listUploads(leadId, operatorId)
  const removed = numberOf(/^remove (\d+)$/.exec(String(form.get('do') ?? ''))?.[1])
  await deps.store.discardAttachments(uploads.flatMap(({ id }) => (id === removed ? id : [])))
  const files = form.getAll('files').filter(file => file instanceof File && file.name !== '') as File[]
  if (files.length === 0) return undefined
  const kept = uploads.filter(({ id }) => id !== removed)
  const tooMuch = await limitProblem(deps, leadId, [...kept, ...files])
  if (tooMuch !== undefined) return tooMuch
  const problems: string[] = []
  for (const file of files) {
    const name = safeFileName(file.name)
    const stored = await storeAttachment(deps, {
      leadId,
      name,
      content: file.stream(),
      most: MOST,
      tooMuch: 'too large',
      operatorId,
    })
    if (typeof stored === 'string') problems.push(`${name} is not attached: ${whyNotStored(stored)}.`)
  }
  return problems.length === 0 ? undefined : problems.join(' ')
}

/** Discards the files that the operator has uploaded for a lead and not sent. */
export async function discardUploads(c: ConsoleContext, { store }: ConsoleDeps, leadId: number): Promise<void> {
  const uploads = await store.listUploads(leadId, c.get('operator').id)
  await store.discardAttachments(uploads.map(({ id }) => id))
}

/** Says that there are too many files, or that they are too large; then none of them is stored. */
async function limitProblem(
  deps: ConsoleDeps,
  leadId: number,
  files: readonly { size: number | null }[],
): Promise<string | undefined> {
  if (files.length > MOST_FILES)
    return `An email can have at most ${MOST_FILES} attachments, and these are ${files.length}. Nothing is attached yet: choose fewer.`
  const bytes = files.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (bytes > MOST)
    return `The attachments have ${sizeInWords(bytes)} together, and the limit is ${sizeInWords(MOST)}. What you have just chosen is not attached: choose less, or write two emails.`
  const { left } = await roomForAttachments(deps, leadId)
  return bytes > left ? 'There is no room for attachments. Ask the person who runs Frontdesk.' : undefined
}

/** The field for files, below the files that are already attached, each with a button that removes it. */
export function attachmentField({ settings }: ConsoleDeps, uploads: readonly Attachment[]): Html | '' {
  if (settings.attachments.gigabytes === 0) return ''
  return html`<label for="files">Attachments</label>
<p class="hint" id="files-hint">PDF, pictures, text or Office files, up to ${sizeInWords(MOST)} together.</p>
${
  uploads.length === 0
    ? ''
    : html`<ul class="attachments">${uploads.map(
        ({ id, name, size }) =>
          html`<li>${name} <span class="quiet">${sizeInWords(size ?? 0)}</span> <button class="plain small" name="do" value="remove ${id}" formnovalidate aria-label="Remove ${name}">Remove</button></li>`,
      )}</ul>`
}
<input id="files" name="files" type="file" multiple accept="${acceptedExtensions.join()}" data-most="${MOST}" aria-describedby="files-hint">`
}

/** Such as `, with forms.pdf and map.png`; empty if nothing is attached. */
export function withAttachments(attachments: readonly Attachment[]): string {
  const names = attachments.map(({ name }) => name)
  return names.length === 0 ? '' : `, with ${new Intl.ListFormat('en-US').format(names)}`
}

/** The names of all files that will be attached: already attached, or chosen in the form. */
export async function attachedNames(c: ConsoleContext, { store }: ConsoleDeps, leadId: number): Promise<string[]> {
  const chosen = (await formOf(c)).getAll('files').map(file => (typeof file === 'string' ? file : file.name))
  const uploads = await store.listUploads(leadId, c.get('operator').id)
  return [...uploads.map(({ name }) => name), ...chosen.map(safeFileName)].filter(name => name !== '')
}
