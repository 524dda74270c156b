/** Writing to a person: a message from a template or one's own words, a preview, and sending it now or later. */
import { randomUUID } from 'node:crypto'
import { html, raw } from 'hono/html'
import { createDateFormat } from '../../content/date-format.ts'
import { callMoment } from '../../follow-up/call-moment.ts'
import { isBlank, textProblem, tidy } from '../../leads/body/text.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { actorName } from '../../leads/lead/staff.ts'
import { SECOND } from '../../platform/time.ts'
import { audit } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { emailDocument, noEmailDocument } from '../frame/email-document.ts'
import { fieldsOf, option } from '../frame/fields.ts'
import { redirect } from '../frame/flash.ts'
import { page } from '../frame/layout.ts'
import type { Fields } from './lead-action.ts'
import { readLeadFor } from './view.ts'

export const conversationRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  {
    method: 'GET',
    path: '/leads/:id{[0-9]{1,15}}/write',
    action: 'write to people',
    handle: async c => {
      const { lead } = await readLeadFor(c, deps, 'work')
      return writePage(c, deps, lead, { fields: {} })
    },
  },
  {
    method: 'POST',
    path: '/leads/:id{[0-9]{1,15}}/write',
    action: 'write to people',
    handle: async c => {
      const { lead } = await readLeadFor(c, deps, 'work')
      const fields = await fieldsOf(c)
      if (fields['do'] === 'template') return writePage(c, deps, lead, { fields: fill(c, deps, lead, fields) })
      const draft = readDraft(deps, fields)
      if ('problem' in draft) return writePage(c, deps, lead, { fields, problem: draft.problem })
      if (fields['do'] === 'send') return send(c, deps, lead, fields, draft)
      return writePage(c, deps, lead, { fields })
    },
  },
  {
    method: 'GET',
    path: '/leads/:id{[0-9]{1,15}}/preview',
    action: 'write to people',
    handle: c => noEmailDocument(c, 'Press Preview to see the email as its recipient will.'),
  },
  {
    method: 'POST',
    path: '/leads/:id{[0-9]{1,15}}/preview',
    action: 'write to people',
    handle: async c => {
      const { lead } = await readLeadFor(c, deps, 'work')
      const draft = readDraft(deps, await fieldsOf(c))
      if ('problem' in draft) return noEmailDocument(c, draft.problem)
      const { answers } = await deps.conversations.thread(lead.id)
      const author = c.get('operator').actor
      return emailDocument(c, await deps.conversations.preview(lead, { ...draft, author, answers }))
    },
  },
]

/** Until then, sending can be undone. */
const UNDO_SENDING = 10 * SECOND

const LONGEST_TEXT = 10_000
const LONGEST_SUBJECT = 120

type ReadDraft = { subject: string; text: string; dueAt: number; scheduled: boolean }

/** What was typed, or a sentence about what is wrong with it. */
function readDraft({ clock, calendar, settings }: ConsoleDeps, fields: Fields): ReadDraft | { problem: string } {
  const [subject, text] = [tidy(fields['subject'] ?? ''), tidy(fields['text'] ?? '')]
  if (isBlank(subject)) return { problem: 'The subject must not be empty.' }
  if (isBlank(text)) return { problem: 'The message must not be empty.' }
  const wrong = textProblem(subject, 'one')
  if (wrong !== undefined) return { problem: `The subject ${wrong}.` }
  const wrongText = textProblem(text, 'many')
  if (wrongText !== undefined) return { problem: `The message ${wrongText}.` }
  if (subject.length > LONGEST_SUBJECT)
    return { problem: `The subject must have at most ${LONGEST_SUBJECT} characters.` }
  if (text.length > LONGEST_TEXT) return { problem: `The message must have at most ${LONGEST_TEXT} characters.` }
  const now = clock.now()
  if (!fields['day']) return { subject, text, dueAt: now + UNDO_SENDING, scheduled: false }
  const at = { day: fields['day'], time: fields['time'] ?? '' }
  const dueAt = callMoment(at, { hours: calendar.school, timeZone: settings.school.timeZone, now })
  return typeof dueAt === 'string' ? { problem: dueAt } : { subject, text, dueAt, scheduled: true }
}

function fill(c: ConsoleContext, { conversations, settings }: ConsoleDeps, lead: Lead, fields: Fields): Fields {
  const author = actorName(c.get('operator').actor, settings.admissions)
  const filled = conversations.templates.fill(fields['template'] ?? '', lead, author)
  if (filled === undefined) return fields
  // A reply keeps its subject: that holds the thread together.
  const subject = fields['subject']?.startsWith('Re:') ? fields['subject'] : filled.subject
  return { ...fields, subject, text: filled.text }
}

async function send(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, fields: Fields, draft: ReadDraft) {
  const { store, conversations, settings, clock, changed } = deps
  const obstacle = await conversations.obstacle(lead)
  if (obstacle !== undefined) return writePage(c, deps, lead, { fields })
  const { answers } = await conversations.thread(lead.id)
  const { subject, text, dueAt, scheduled } = draft
  const written = await store.writeMessage(lead.id, {
    subject,
    text,
    answers,
    dueAt,
    reached: fields['reached'] === 'on',
    token: fields['token'] ?? '',
    actor: c.get('operator').actor,
    now: clock.now(),
  })
  if (!('entry' in written)) return writePage(c, deps, lead, { fields })
  changed()
  await audit(c, 'wrote to the person of', { leadId: lead.id })
  const when = scheduled ? `on ${createDateFormat(settings.school)(dueAt)}` : 'in ten seconds'
  return redirect(c, `/leads/${lead.id}`, {
    text: `Your email to ${fullName(lead)} goes out ${when}.`,
    undo: { path: `/leads/${lead.id}/undo`, fields: { entry: String(written.entry) } },
  })
}

type Shown = { fields: Fields; problem?: string }

async function writePage(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, { fields, problem }: Shown) {
  const { conversations, settings } = deps
  const name = fullName(lead)
  const back = html`<p class="back"><a href="/leads/${lead.id}">Back to ${name}</a></p>`
  const obstacle = await conversations.obstacle(lead)
  const title = `Write to ${name}`
  if (obstacle !== undefined) {
    return page(
      c,
      { title, current: '/inbox' },
      html`<div class="banner"><p>You cannot write to ${name} from here: ${obstacle}.</p></div>
${fields['text'] ? html`<section class="panel"><h2>What you wrote</h2><blockquote>${fields['text']}</blockquote></section>` : ''}
<p>Call them, or use your own mail program if they asked you to write.</p>${back}`,
    )
  }
  const { subject: known } = await conversations.thread(lead.id)
  const reply = known === undefined ? undefined : `Re: ${known.replace(/^(?:re|aw|sv)\s*:\s*/i, '')}`
  const subject = fields['subject'] ?? reply ?? `Your inquiry to ${settings.school.name}`
  const templates = conversations.templates.list(lead)
  return page(
    c,
    { title, current: '/inbox', status: problem === undefined ? 200 : 422 },
    html`${back}
${problem === undefined ? '' : html`<div class="banner" role="alert"><p>${problem}</p></div>`}
<form method="post" action="/leads/${lead.id}/write" class="panel write">
<input type="hidden" name="token" value="${fields['token'] ?? randomUUID()}">
${
  templates.length === 0
    ? ''
    : html`<label for="template">Template</label><div class="inline templates"><select id="template" name="template">${templates.map(
        ({ id, name }) => option(id, name, id === fields['template']),
      )}</select><button class="secondary" name="do" value="template" formnovalidate>Fill in</button></div>`
}
<p class="hint">To ${lead.email}. It goes out in your name and stands in the same thread as their last email.</p>
<label for="subject">Subject</label><input id="subject" name="subject" value="${subject}" required maxlength="${LONGEST_SUBJECT}">
<label for="text">Message</label><textarea id="text" name="text" rows="12" required maxlength="${LONGEST_TEXT}">${fields['text'] ?? ''}</textarea>
<details${fields['day'] ? raw(' open') : ''}><summary>Send later</summary><div class="inline later">
<div><label for="day">Day</label><input id="day" name="day" type="date" value="${fields['day'] ?? ''}"></div>
<div><label for="time">Time at the school</label><input id="time" name="time" type="time" value="${fields['time'] ?? ''}"></div></div></details>
<p class="check"><input type="checkbox" id="reached" name="reached"${fields['reached'] === 'on' ? raw(' checked') : ''}><label for="reached">This counts as having reached ${name}: reminders and follow-up emails stop once it is sent</label></p>
<div class="actions"><button name="do" value="send">Send</button><button class="secondary" formaction="/leads/${lead.id}/preview" formtarget="preview">Preview</button></div>
</form>
<section class="panel preview" aria-labelledby="preview"><h2 id="preview">Preview</h2>
<iframe name="preview" src="/leads/${lead.id}/preview" title="The email as ${name} will see it"></iframe></section>`,
  )
}
