/** Leads as rows, in the inbox and other lists. */
import { html, raw } from 'hono/html'
import { capital } from '../../leads/body/tidy-text.ts'
import type { SignedIn } from '../frame/access.ts'
import type { Html } from '../frame/layout.ts'
import type { RowWords } from '../lead/list-row-words.ts'

type Offered = {
  /** Whether the operator may work on leads: then rows have buttons that act immediately. */
  work: boolean
  /** Whether several rows can be selected. Default: as `work` says. */
  pick?: boolean
  /** Which of `rowColumns` to show. */
  columns: ReadonlySet<string>
}

/** What operators can choose to see of each lead. */
export const rowColumns = {
  program: 'Program',
  campus: 'Campus',
  city: 'City',
  source: 'Source',
  counselor: 'Counselor',
  stage: 'Stage',
  tags: 'Tags',
  activity: 'Last activity',
  wrote: 'Wrote in',
}

const USUAL: readonly (keyof typeof rowColumns)[] = ['city', 'counselor', 'tags', 'activity']

/** The columns that an operator has chosen; if none, the usual ones. */
export const columnsOf = ({ listColumns }: Pick<SignedIn, 'listColumns'>): ReadonlySet<string> =>
  new Set(listColumns ?? USUAL)

export const leadList = (rows: readonly RowWords[], { work, pick = work, columns }: Offered): Html =>
  html`<ul class="leads" aria-label="Leads" data-leads>${rows.map(row => leadItem(row, { work, pick, columns }))}</ul>`

function leadItem(row: RowWords, { work, pick, columns }: Required<Offered>): Html {
  const { id, name, waiting } = row
  return html`<li class="lead${waiting?.late ? ' late' : ''}" id="lead-${id}" data-lead="${id}">
${pick ? html`<label class="pick"><input type="checkbox" name="lead" value="${id}" aria-label="Select ${name}"></label>` : ''}
<div class="lead-who"><a class="lead-link" dir="auto" href="/leads/${id}">${name}</a><span class="lead-from" dir="auto">${fromOf(row, columns)}</span>${row.call === null ? '' : html`<span class="lead-from whole">${row.call}</span>`}</div>
${whatOf(row, columns)}
<div class="lead-wait">${
    waiting === null
      ? html`<span class="stage">${row.stage}</span>`
      : html`${waitOf(waiting)}${columns.has('stage') ? html`<span class="stage">${row.stage}</span>` : ''}`
  }</div>
${nextOf(row, columns)}
${work ? html`<div class="lead-do">${rowButtons(row)}</div>` : ''}
</li>`
}

/** Where they live or work. For students, it is left out if the operator has not chosen that column. */
export const fromOf = ({ kind, from }: RowWords, columns: ReadonlySet<string>): string =>
  columns.has('city') || kind === 'Site' ? from : ''

/** What they want, what happened last, and what else the operator wants to see of them. */
export function whatOf(row: RowWords, columns: ReadonlySet<string>): Html {
  const tagged = { ...row, labels: columns.has('tags') ? row.labels : [] }
  return html`<div class="lead-what"><p dir="auto">${row.what || html`<span class="quiet">No message</span>`}</p>${columns.has('activity') && row.last !== null ? html`<p class="last" dir="auto">${row.last}</p>` : ''}${factsOf(row, columns)}${leadTags(tagged, { withKind: true })}</div>`
}

/** How long they have been waiting, and until when someone should answer or call. */
export const waitOf = ({ time, target }: NonNullable<RowWords['waiting']>): Html =>
  html`<span class="wait">${waitingClock}<span class="hidden">Waiting </span>${time}</span><span class="target">${target}</span>`

/** Who has them, and what happens next automatically. */
export const nextOf = ({ counselor, next }: RowWords, columns: ReadonlySet<string>): Html =>
  html`<div class="lead-next">${columns.has('counselor') ? html`<span class="${counselor === null ? 'unassigned' : 'counselor'}">${counselor ?? 'Unassigned'}</span>` : ''}<span class="next">${next === null ? '' : `${next.what}${next.at === '' ? '' : `, ${next.at}`}`}</span></div>`

/** The other chosen columns, in one line. */
function factsOf({ programs, campus, source, wrote }: RowWords, columns: ReadonlySet<string>): Html | '' {
  const facts = [
    ...(columns.has('program') ? programs : []),
    ...(columns.has('campus') && campus !== null ? [campus] : []),
    ...(columns.has('source') && source !== '' ? [source] : []),
    ...(columns.has('wrote') ? [`wrote in ${wrote}`] : []),
  ]
  return facts.length === 0 ? '' : html`<p class="facts" dir="auto">${capital(facts.join(' · '))}</p>`
}

export const waitingClock = raw(
  '<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d="M10 17a7 7 0 100-14 7 7 0 000 14zM10 6v4.2l2.6 1.6"/></svg>',
)

/** The tags that distinguish leads at a glance, never by color alone, without the kind if all are of one kind. */
export function leadTags(
  { kind, stage, isNew, warmth, language, wroteBack, broken, callback, inquiries, labels }: RowWords,
  { withKind }: { withKind: boolean },
): Html {
  return html`<span class="tags">${withKind ? html`<span class="tag">${kind}</span>` : ''}${
    warmth === null ? '' : html`<span class="tag ${warmth.toLowerCase()}">${warmth}</span>`
  }${language === null ? '' : html`<span class="tag">${language}</span>`}${
    wroteBack
      ? html`${withKind && !isNew ? html`<span class="tag">${stage}</span>` : ''}<span class="tag strong">Wrote back</span>`
      : ''
  }${broken.map(one => html`<span class="tag wrong">${one}</span>`)}${callback?.overdue ? html`<span class="tag strong">Callback overdue</span>` : ''}${
    inquiries > 1 ? html`<span class="tag">${inquiries} inquiries</span>` : ''
  }${labels.map(label => html`<span class="tag label" dir="auto">${label}</span>`)}</span>`
}

function rowButtons({ id, name, waiting, wroteBack, callback }: RowWords): Html {
  if (waiting === null && !callback?.overdue) return html``
  return html`<button class="secondary small" name="do" value="reached:${id}" data-key="c" aria-label="Reached ${name}">Reached</button>
<button class="secondary small" name="do" value="no answer:${id}" data-key="x" aria-label="No answer from ${name}">No answer</button>${
    wroteBack
      ? html`
<button class="secondary small" name="do" value="no answer needed:${id}" aria-label="No answer needed by ${name}">No answer needed</button>`
      : ''
  }`
}
