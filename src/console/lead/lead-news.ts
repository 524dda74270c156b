/** What others did to a lead since the person who looks at it opened its page. */
import { html } from 'hono/html'
import type { TimelineEntry, TimelineKind } from '../../leads/lead/timeline-entries.ts'
import { timelineWords } from '../../leads/words/timeline-words.ts'
import { MINUTE } from '../../platform/time.ts'
import type { Html } from '../frame/layout.ts'
import type { LeadOnPage } from './view.ts'

/** Entries that happen automatically, or do not matter to someone who is about to call. */
const QUIET: readonly TimelineKind[] = ['email', 'fresh-link', 'labeled', 'unlabeled', 'skipped']

const MOST = 3

/** The news since the entry `seen`; undefined if there are none. */
export function leadNews(view: LeadOnPage, { seen, actor }: { seen: number; actor: string }): Html | undefined {
  const news = view.found.timeline
    .filter(({ id, kind, actor: by }) => id > seen && by !== actor && !QUIET.includes(kind))
    .slice(0, MOST)
  if (news.length === 0) return undefined
  return html`<ul>${news.map(entry => html`<li>${inWords(entry, view)}</li>`)}</ul><button class="plain">Close</button>`
}

function inWords(entry: TimelineEntry, { details, deps, moment, now }: LeadOnPage): string {
  const { what, by } = timelineWords(entry, deps.settings.admissions)
  const isRecent = now - entry.at < 2 * MINUTE
  if (by !== null) return `${by} has ${isRecent ? 'just recorded' : `recorded, ${moment(entry.at)}`}: ${what}.`
  const when = isRecent ? 'just now' : moment(entry.at)
  return `${details.name}, ${when}: ${what}.`
}
