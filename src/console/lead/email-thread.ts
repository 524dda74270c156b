/** What the school and a person wrote to each other, newest first, beside the email that someone is writing. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { wholeInquiries } from '../../leads/lead/whole-inquiries.ts'
import { timelineWords } from '../../leads/words/timeline-words.ts'
import type { WritePage } from '../../store/pages/write-page.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import type { Html } from '../frame/layout.ts'
import { attachmentList } from './attachments.ts'
import { withQuotesFolded } from './quoted-text.ts'

type Item = {
  id: number
  at: number
  whose: 'theirs' | 'ours'
  what: string
  by: string | null
  text: string
  files: Html | ''
}

export function thread({ settings, clock }: ConsoleDeps, found: WritePage): Html {
  const moment = createShortDateFormat(settings.school)
  const now = clock.now()
  const [newest, ...earlier] = itemsOf(settings, found).map(
    ({ at, whose, what, by, text, files }) =>
      html`<li class="entry ${whose}"><p class="entry-head"><span class="entry-what">${capital(what)}</span>${
        by === null ? '' : html` <span class="quiet">by ${by}</span>`
      } <time class="quiet">${capital(moment(at, now))}</time></p><blockquote dir="auto">${withQuotesFolded(text)}</blockquote>${files}</li>`,
  )
  if (newest === undefined) return html``
  return html`<section class="panel thread" aria-labelledby="thread"><h2 id="thread">So far</h2>
<ol class="timeline">${newest}</ol>
${earlier.length === 0 ? '' : html`<details><summary>Earlier (${earlier.length})</summary><ol class="timeline">${earlier}</ol></details>`}
</section>`
}

const itemsOf = ({ admissions }: ConsoleDeps['settings'], { lead, submissions, emails }: WritePage): Item[] =>
  [
    ...wholeInquiries(submissions, one => one.submission).map(({ entry, submission }) => ({
      id: entry,
      at: submission.receivedAt,
      whose: 'theirs' as const,
      what: submission.form?.entered === undefined ? 'wrote in' : 'entered by hand',
      by: submission.form?.entered?.name ?? null,
      text: submission.body.message || 'No message.',
      files: '' as const,
    })),
    ...emails.map(entry => ({
      id: entry.id,
      at: entry.at,
      whose: entry.kind === 'reply' ? ('theirs' as const) : ('ours' as const),
      ...timelineWords(entry, admissions),
      files: attachmentList(lead.id, entry),
    })),
  ].toSorted((one, other) => other.id - one.id)
