/** Writing to a person: a message from a template or one's own words, a preview, and sending it now or later. */
import { randomUUID } from 'node:crypto'
import { html, raw } from 'hono/html'
import { createDateFormat } from '../../content/date-format.ts'
import {
  answeredBy,
  LONGEST_SUBJECT,
  LONGEST_TEXT,
  obstacleToWriting,
  readDraft,
  writeEmail,
} from '../../lead-actions/write-email.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { actorName } from '../../leads/lead/staff.ts'
import { isReplySubject, replySubject } from '../../mail/reply-subject.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { emailDocument, noEmailDocument } from '../frame/email-document.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, option } from '../frame/form-fields.ts'
import { hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import type { Fields } from './lead-button.ts'
import { readLeadFor } from './view.ts'

export const conversationRoutes: ConsoleRoute[] = [
  get('/leads/:id{[0-9]{1,15}}/write', 'write to people', beginWriting),
  post('/leads/:id{[0-9]{1,15}}/write', 'write to people', continueWriting),
  get('/leads/:id{[0-9]{1,15}}/preview', 'write to people', c =>
    noEmailDocument(c, 'Press Preview to see the email as its recipient will.'),
  ),
  post('/leads/:id{[0-9]{1,15}}/preview', 'write to people', previewEmail),
]

async function beginWriting(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  return writePage(c, deps, lead, { fields: {} })
}

async function continueWriting(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  const fields = await fieldsOf(c)
  if (fields['do'] === 'template') return writePage(c, deps, lead, { fields: fill(c, deps, lead, fields) })
  const draft = readDraft(deps, typedIn(fields))
  if ('problem' in draft) return writePage(c, deps, lead, { fields, problem: draft.problem })
  if (fields['do'] === 'send') return send(c, deps, lead, fields)
  return writePage(c, deps, lead, { fields })
}

async function previewEmail(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  const draft = readDraft(deps, typedIn(await fieldsOf(c)))
  if ('problem' in draft) return noEmailDocument(c, draft.problem)
  const answers = await answeredBy(deps, lead.id)
  const author = c.get('operator').actor
  const content = await deps.conversations.preview(lead, { ...draft, author, answers })
  return 'skip' in content ? noEmailDocument(c, `${capital(content.skip)}.`) : emailDocument(c, content)
}

/** What was typed. */
const typedIn = ({ subject = '', text = '', day, time }: Fields) => ({ subject, text, day, time })

function fill(c: ConsoleContext, { conversations, settings }: ConsoleDeps, lead: Lead, fields: Fields): Fields {
  const author = actorName(c.get('operator').actor, settings.admissions)
  const filled = conversations.templates.fill(fields['template'] ?? '', lead, author)
  if (filled === undefined) return fields
  // A reply keeps its subject: that holds the thread together.
  const subject = isReplySubject(fields['subject'] ?? '') ? fields['subject'] : filled.subject
  return { ...fields, subject, text: filled.text }
}

async function send(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, fields: Fields) {
  const { settings } = deps
  const sending = { ...typedIn(fields), reached: fields['reached'] === 'on', token: fields['once'] ?? '' }
  const written = await writeEmail(deps, lead, sending, byOperator(c))
  if (!('entry' in written)) return writePage(c, deps, lead, { fields })
  const when = written.scheduled ? `on ${createDateFormat(settings.school)(written.dueAt)}` : 'in ten seconds'
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
  const obstacle = await obstacleToWriting(deps, lead)
  const title = `Write to ${name}`
  if (obstacle !== undefined) {
    return page(
      c,
      { title, current: '/inbox' },
      html`<div class="banner"><p>You cannot write to ${name} from here: ${obstacle}.</p></div>
${fields['text'] ? html`<section class="panel"><h2>What you wrote</h2><blockquote>${fields['text']}</blockquote></section>` : ''}
<p>${
        lead.email === null
          ? html`Once you have it, <a href="/leads/${lead.id}/correct">add it to the lead</a>.`
          : 'Call them, or use your own mail program if they asked you to write.'
      }</p>${back}`,
    )
  }
  const known = await conversations.subject(lead.id)
  const reply = known === undefined ? undefined : replySubject(known)
  const subject = fields['subject'] ?? reply ?? `Your inquiry to ${settings.school.name}`
  const templates = conversations.templates.list(lead)
  return page(
    c,
    { title, current: '/inbox', status: problem === undefined ? 200 : 422 },
    html`${back}
${problem === undefined ? '' : html`<div class="banner" role="alert"><p>${problem}</p></div>`}
<form method="post" action="/leads/${lead.id}/write" class="panel write">
${hidden({ once: fields['once'] ?? randomUUID() })}
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
