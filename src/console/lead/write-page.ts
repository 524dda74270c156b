/** Writing to a person: a message from a template or in your own words, a preview, and sending it now or later. */
import { html } from 'hono/html'
import { createDateFormat } from '../../content/date-format.ts'
import { answeredBy, obstacleToWriting, readDraft, writeEmail } from '../../lead-actions/write-email.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { actorName } from '../../leads/lead/staff.ts'
import { timelineWords } from '../../leads/words/timeline-words.ts'
import type { WritePage } from '../../store/pages/write-page.ts'
import { mayWork } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { emailDocument, noEmailDocument } from '../frame/email-document.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { ownDraft } from './drafts.ts'
import { thread } from './email-thread.ts'
import type { Fields } from './lead-button.ts'
import { noLead, readLeadFor } from './view.ts'
import { attachedNames, discardUploads, LARGEST_FORM, storeUploads, withAttachments } from './write-attachments.ts'
import { previewFrame, savedReplies, writeForm } from './write-form.ts'

export const conversationRoutes: ConsoleRoute[] = [
  get('/leads/:id{[0-9]{1,15}}/write', 'write to people', beginWriting),
  post('/leads/:id{[0-9]{1,15}}/write', 'write to people', send, { largestBody: LARGEST_FORM }),
  post('/leads/:id{[0-9]{1,15}}/preview', 'write to people', previewEmail),
]

async function beginWriting(c: ConsoleContext, deps: ConsoleDeps) {
  const found = await readWritePage(c, deps)
  const filled = await fill(c, deps, found.lead)
  if (c.req.header('x-part') === 'template') return c.json(filled ?? {})
  if (filled === undefined) return writePage(c, deps, { found })
  const typed = ownDraft(found.drafts, c.get('operator').id, 'email')?.fields ?? {}
  const text = [typed['text'], filled.text].filter(Boolean).join('\n\n')
  return writePage(c, deps, { found, sent: { ...filled, ...typed, text } })
}

/** Reads what the page shows, for a lead that the operator may work on. */
async function readWritePage(c: ConsoleContext, { store }: ConsoleDeps): Promise<WritePage> {
  const found = await store.readWritePage(idIn(c))
  if (found === undefined || !mayWork(c.get('operator'), found.lead)) throw noLead()
  return found
}

/** The template that the URL names, filled in for a lead; undefined if it names none. */
async function fill(c: ConsoleContext, { conversations, settings }: ConsoleDeps, lead: Lead) {
  const author = actorName(c.get('operator').actor, settings.admissions)
  const filled = conversations.templates.fill(c.req.query('template') ?? '', lead, author)
  // A reply keeps its subject, so that mail programs keep the thread together.
  const isReply = filled !== undefined && (await conversations.subject(lead.id)) !== undefined
  return isReply ? { text: filled.text } : filled
}

async function send(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  const { settings } = deps
  const sent = await fieldsOf(c)
  const problem = await storeUploads(c, deps, lead.id)
  if (problem !== undefined || sent['do']?.startsWith('remove ')) {
    const found = await readWritePage(c, deps)
    return writePage(c, deps, { found, sent, trouble: problem === undefined ? undefined : html`<p>${problem}</p>` })
  }
  const seen = numberOf(sent['seen'])
  const sending = { ...typedIn(c, sent), reached: sent['reached'] === 'on', token: sent['once'] ?? '' }
  const written = await writeEmail(deps, lead, sending, { ...byOperator(c, seen), endsDraft: 'email' })
  if (!('entry' in written)) {
    const found = await readWritePage(c, deps)
    if (written.outcome === 'invalid')
      return writePage(c, deps, { found, sent, trouble: html`<p>${written.problem}</p>` })
    const trouble = written.outcome === 'stale' ? newsSince(c, deps, found, seen ?? 0) : undefined
    return writePage(c, deps, { found, sent, trouble })
  }
  // If the form was sent twice, its files were uploaded twice.
  if (written.outcome === 'before') await discardUploads(c, deps, lead.id)
  const { attachments = [] } = (await deps.store.readEntry(written.entry)) ?? {}
  const when = written.scheduled ? `on ${createDateFormat(settings.school)(written.dueAt)}` : 'in ten seconds'
  const waiting = written.lead.unansweredSince === null ? '' : ' Until then, they still wait for an answer.'
  return redirect(c, `/leads/${lead.id}`, {
    text: `Your email to ${fullName(lead)} goes out ${when}${withAttachments(attachments)}.${waiting}`,
    undo: { path: `/leads/${lead.id}/undo`, fields: { entry: String(written.entry) } },
  })
}

async function previewEmail(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  const draft = readDraft(deps, typedIn(c, await fieldsOf(c)))
  if ('problem' in draft) return noEmailDocument(c, draft.problem)
  const answers = await answeredBy(deps, lead.id)
  const author = c.get('operator').actor
  const content = await deps.conversations.preview(lead, { ...draft, author, answers, attachments: [] })
  if ('skip' in content) return noEmailDocument(c, `${capital(content.skip)}.`)
  return emailDocument(c, content, { attached: await attachedNames(c, deps, lead.id) })
}

/** The text that was typed, with the author's signature. */
function typedIn(c: ConsoleContext, { subject = '', text = '', day, time }: Fields) {
  const { signature } = c.get('operator')
  return { subject, text, signature, day, time }
}

/** What the person or colleagues have written since the author opened the page, to know before sending. */
function newsSince(c: ConsoleContext, { settings }: ConsoleDeps, { lead, emails }: WritePage, seen: number): Html {
  const { actor } = c.get('operator')
  const news = emails.filter(entry => entry.id > seen && entry.actor !== actor)
  const items = news.map(entry => {
    const { what, by, text } = timelineWords(entry, settings.admissions)
    return html`<li>${by === null ? capital(what) : `${by}: ${what}`}<blockquote dir="auto">${text}</blockquote></li>`
  })
  return html`<p><strong>Your email is not sent yet: since you opened this page, ${
    news.some(({ kind }) => kind === 'message')
      ? `a colleague has written to ${fullName(lead)}`
      : `${fullName(lead)} has written`
  }.</strong> If yours still fits, press Send again.</p><ul>${items}</ul>`
}

type Shown = { found: WritePage; sent?: Fields; trouble?: Html | undefined }

async function writePage(c: ConsoleContext, deps: ConsoleDeps, { found, sent = {}, trouble }: Shown) {
  const { lead } = found
  const name = fullName(lead)
  const title = `Write to ${name}`
  const back = html`<p class="back"><a href="/leads/${lead.id}">Back to ${name}</a></p>`
  const operatorId = c.get('operator').id
  const obstacle = await obstacleToWriting(deps, lead)
  if (obstacle !== undefined) {
    const text = sent['text'] ?? ownDraft(found.drafts, operatorId, 'email')?.fields['text']
    return page(
      c,
      { title, current: '/inbox' },
      html`<div class="banner"><p>You cannot write to ${name} from here: ${obstacle}.</p></div>
${text ? html`<section class="panel"><h2>What you wrote</h2><blockquote>${text}</blockquote></section>` : ''}
<p>${
        lead.email === null
          ? html`Once you have it, <a href="/leads/${lead.id}/correct">add it to the lead</a>.`
          : 'Call them, or use your own mail program if they asked you to write.'
      }</p>${back}`,
    )
  }
  return page(
    c,
    { title, current: '/inbox', width: 'wide', status: trouble === undefined ? 200 : 422 },
    html`${back}
${trouble === undefined ? '' : html`<div class="banner" role="alert">${trouble}</div>`}
<div class="write-columns">
${thread(deps, found)}
<section class="panel write">
${savedReplies(deps, found)}
${await writeForm(deps, { found, sent, operatorId })}
</section>
${previewFrame(found)}
</div>`,
  )
}
