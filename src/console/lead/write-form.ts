/** The form of an email to a person: templates, fields, what colleagues write at the same time, the preview. */
import { randomUUID } from 'node:crypto'
import { html, raw } from 'hono/html'
import { LONGEST_SUBJECT, LONGEST_TEXT } from '../../lead-actions/write-email.ts'
import { fullName } from '../../leads/lead/lead.ts'
import { replySubject } from '../../mail/reply-subject.ts'
import type { WritePage } from '../../store/pages/write-page.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import { checkbox } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { fieldsWith, kept, keptLine, othersDrafts, ownDraft } from './drafts.ts'
import type { Fields } from './lead-button.ts'
import { attachmentField } from './write-attachments.ts'

/** `sent`: the fields of the form that was sent; empty when someone opens the page. `operatorId`: who writes. */
type Shown = { found: WritePage; sent: Fields; operatorId: number }

/**
 * Enter presses the first button, which must not be one that removes an attachment. The draft keeps the text, but the
 * browser must not: it would restore the text after it was sent, and the next Send would send it twice.
 */
export async function writeForm(deps: ConsoleDeps, { found, sent, operatorId }: Shown): Promise<Html> {
  const { lead, drafts, version } = found
  const name = fullName(lead)
  const path = `/leads/${lead.id}`
  const draftPath = `${path}/write/draft`
  const draft = ownDraft(drafts, operatorId, 'email')
  const fields = fieldsWith(sent, draft)
  const usual = await usualSubject(deps, lead.id)
  return html`<form method="post" action="${path}/write" enctype="multipart/form-data" autocomplete="off" ${kept(draftPath, draft)}>
<button name="do" value="send" hidden></button>
${hidden({ once: fields['once'] ?? randomUUID(), seen: version })}
<p class="hint">To ${lead.email}. It goes out in your name, in the same thread as their last email.</p>
<label for="subject">Subject</label><input id="subject" name="subject" value="${fields['subject'] ?? usual}" data-usual="${usual}" required maxlength="${LONGEST_SUBJECT}">
<label for="text">Message</label><textarea id="text" name="text" rows="12" required maxlength="${LONGEST_TEXT}">${fields['text'] ?? ''}</textarea>
${attachmentField(
  deps,
  found.uploads.filter(upload => upload.operatorId === operatorId),
)}
<details${fields['day'] ? raw(' open') : ''}><summary>Send later</summary><div class="inline later">
<div><label for="day">Day</label><input id="day" name="day" type="date" value="${fields['day'] ?? ''}"></div>
<div><label for="time">Time at the school</label><input id="time" name="time" type="time" value="${fields['time'] ?? ''}"></div></div></details>
${checkbox('reached', `This counts as having reached ${name}: reminders and follow-up emails stop once it is sent`, fields['reached'] === 'on')}
<div class="others" data-others>${othersDrafts(deps, { lead, drafts, operatorId, kind: 'email' })}</div>
<div class="actions"><button name="do" value="send">Send</button><button class="secondary" formaction="${path}/preview" formenctype="application/x-www-form-urlencoded" formtarget="preview">Preview</button></div>
${keptLine(deps, draftPath, draft)}
</form>`
}

/** The initial subject: in a conversation, that of a reply, so that mail programs keep the thread together. */
async function usualSubject({ conversations, settings }: ConsoleDeps, leadId: number): Promise<string> {
  const known = await conversations.subject(leadId)
  return known === undefined ? `Your inquiry to ${settings.school.name}` : replySubject(known)
}

/** Puts a saved reply into the form. The script inserts it at the cursor; without it, the page is loaded again. */
export function savedReplies({ conversations }: ConsoleDeps, { lead }: WritePage): Html | '' {
  const replies = conversations.templates.list(lead)
  if (replies.length === 0) return ''
  const buttons = replies.map(
    ({ id, name }) => html`<button class="secondary small" name="template" value="${id}">${name}</button>`,
  )
  return html`<form action="/leads/${lead.id}/write" data-fill="text"><div class="saved-replies" role="group" aria-labelledby="saved-replies"><p id="saved-replies">Saved replies</p>${buttons}</div></form>`
}

/** The script shows the frame with the first preview; without it, the preview opens in a window of its own. */
export const previewFrame = ({ lead }: WritePage): Html =>
  html`<template data-preview="preview"><section class="panel preview" aria-labelledby="preview"><h2 id="preview">Preview</h2>
<iframe name="preview" title="The email as ${fullName(lead)} will see it"></iframe></section></template>`
