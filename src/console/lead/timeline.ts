/** The timeline of a lead: everything that happened, newest first, with the state of each email. */
import { html, raw } from 'hono/html'
import { otherLeadIn } from '../../leads/lead/timeline-details.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { canTakeBack } from '../../leads/lead/undo-window.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { stateOf } from '../mail/mail-state.ts'
import { attachmentList } from './attachments.ts'
import { withQuotesFolded } from './quoted-text.ts'
import { ENTRIES, type LeadOnPage } from './view.ts'

export function timelineOf(view: LeadOnPage): Html {
  const { found } = view
  const { timeline, lead, entryCount } = found
  const oldest = timeline.at(-1)
  const more = oldest !== undefined && timeline.length < entryCount && timeline.length >= ENTRIES
  return html`<section class="panel" data-part="timeline" aria-labelledby="timeline"><h2 id="timeline">Timeline</h2>
${unsent(view)}
<ol class="timeline">${timeline.map((entry, index) => entryItem(view, entry, index))}</ol>
${more ? html`<p class="more"><a href="/leads/${lead.id}?entries=${oldest.id}#timeline">Earlier entries</a></p>` : ''}
</section>`
}

/** Emails that are queued or have failed, and do not have an entry yet. */
function unsent({ found, details, now, moment }: LeadOnPage): Html {
  const waiting = found.mails.filter(
    ({ kind, state }) => kind !== 'step' && kind !== 'message' && (state === 'due' || state === 'dead'),
  )
  if (waiting.length === 0) return html``
  return html`<ul class="unsent">${waiting.map(
    task =>
      html`<li${isFailing(task) ? raw(' class="bad"') : ''}>${whatOf(task, details.name)}: ${stateOf(task, now, moment)}</li>`,
  )}</ul>`
}

/** Whether an attempt to send the task has failed. A task that only waits until it is due does not need attention. */
const isFailing = ({ state, note }: Task): boolean => state === 'dead' || note !== null

const whatOf = ({ kind }: Task, name: string): string => {
  if (kind === 'receipt') return `Receipt to ${name}`
  if (kind === 'account') return `Account notice to ${name}`
  return kind === 'notify' ? 'Notification to the staff' : 'Email to the staff'
}

function entryItem(view: LeadOnPage, entry: TimelineEntry, index: number): Html {
  const words = view.details.timeline[index]
  if (words === undefined) return html``
  const task = taskOf(view.found.mails, entry)
  return html`<li class="entry ${kindOf(entry)}${entry.undoneAt === null ? '' : ' undone'}" id="entry-${entry.id}">
<p class="entry-head"><span class="entry-what">${words.what}</span>${
    words.by === null ? '' : html` <span class="quiet">by ${words.by}</span>`
  }${
    entry.mergedFrom === undefined ? '' : html` <span class="quiet">as lead ${entry.mergedFrom}</span>`
  } <time class="quiet" title="${words.full}">${words.at}</time></p>${words.notes.map(
    note => html`<p class="delivery">${note}</p>`,
  )}${
    words.text === null ? '' : html`<blockquote dir="auto">${withQuotesFolded(words.text)}</blockquote>`
  }${attachmentList(view.found.lead.id, entry)}${task === undefined ? '' : delivery(view, entry, task)}${undoOf(view, entry, task)}${unmergeForm(view, entry)}${otherLead(view, entry)}</li>`
}

/** The distinction that should be visible at a glance: what they wrote, what we wrote, a note, or something else. */
function kindOf({ kind }: TimelineEntry): string {
  if (kind === 'reply' || kind === 'submission') return 'theirs'
  if (kind === 'message' || kind === 'copy') return 'ours'
  return kind === 'note' ? 'note' : 'event'
}

/** The task that has sent, or will send, the email of this entry. */
function taskOf(mails: readonly Task[], { id, kind, detail, submissionId }: TimelineEntry) {
  if (kind === 'message') return mails.find(one => one.kind === 'message' && one.subject === id)
  if (kind !== 'email' || submissionId === null) return undefined
  return mails.find(one => one.kind === detail && one.subject === submissionId)
}

function delivery({ found, work, now, moment }: LeadOnPage, entry: TimelineEntry, task: Task): Html {
  // A follow-up email has an entry only after it was sent, so the only news about it can be that it came back.
  if (entry.kind === 'email' && task.state === 'done') return html``
  const words = stateOf(task, now, moment)
  const bad = task.state === 'dead' || task.state === 'skipped' || task.note !== null
  const cancel =
    work && entry.kind === 'message' && task.state === 'due'
      ? html` <form method="post" action="/leads/${found.lead.id}/undo" class="here">${hidden({ entry: entry.id })}<button class="plain small">Cancel</button></form>`
      : ''
  return html`<p class="delivery${bad ? ' bad' : ''}">${words}${cancel}</p>`
}

/** The latest merge can be undone at any time. */
function unmergeForm({ found, work }: LeadOnPage, entry: TimelineEntry): Html {
  const latest = found.merged.findLast(({ into }) => into === found.lead.id)
  if (!work || latest?.entry !== entry.id) return html``
  return html`<form method="post" action="/leads/${found.lead.id}/unmerge" class="here">${hidden({ lead: latest.lead.id })}<button class="plain small">Unmerge</button></form>`
}

/** The entry about an unmerge links to the other lead, unless the two were merged again. */
function otherLead({ found }: LeadOnPage, { kind, detail }: TimelineEntry): Html {
  const other = kind === 'unmerged' ? otherLeadIn(detail) : undefined
  if (other === undefined || found.merged.some(({ lead }) => lead.id === other.id)) return html``
  return html`<p class="quiet">Each has its own history and follow-up again. <a href="/leads/${other.id}">Open lead ${other.id}</a></p>`
}

function undoOf({ found, work, now }: LeadOnPage, entry: TimelineEntry, task: Task | undefined): Html {
  if (!work || entry.undoneAt !== null || task !== undefined) return html``
  if (entry.id !== found.undoable?.id && !canTakeBack(entry, now)) return html``
  return html`<form method="post" action="/leads/${found.lead.id}/undo" class="here">${hidden({ entry: entry.id })}<button class="plain small" data-key="z">Undo</button></form>`
}
