/**
 * The entries of the audit log in sentences. The log itself contains no words that anyone typed: it stores the number
 * of a list or a tag, and the current name is looked up when the log is shown.
 */
import { html } from 'hono/html'
import { parts } from '../../config/edited-parts.ts'
import type { Settings } from '../../config/settings.ts'
import { dateInWords } from '../../content/date-format.ts'
import type { Label } from '../../leads/lead/labels.ts'
import { reasonName, stageName } from '../../leads/lead/stages.ts'
import type { ListedAudit } from '../../store/operators/audit-log.ts'
import type { Store } from '../../store/store.ts'
import type { Html } from '../frame/layout.ts'
import type { EditedPage } from '../versions/edited-page.ts'
import { editedPages } from '../versions/edited-pages.ts'

type School = Settings['school']

/** The current names of lists and labels; a deleted one has none. */
export type AuditNames = { lists: Map<number, string>; labels: Map<number, Label> }

/** Looks up the names of the lists and labels that these entries mention. */
export async function readAuditNames(
  store: Pick<Store, 'readImport' | 'findLabel'>,
  entries: readonly ListedAudit[],
): Promise<AuditNames> {
  const numbers = (pattern: RegExp) => [
    ...new Set(entries.flatMap(({ detail = '' }) => Number(pattern.exec(detail)?.[1]) || [])),
  ]
  const named = async <T>(ids: number[], read: (id: number) => Promise<T | undefined>) => {
    const found = await Promise.all(ids.map(async id => [id, await read(id)] as const))
    return new Map(found.flatMap(([id, one]) => (one === undefined ? [] : [[id, one] as const])))
  }
  return {
    lists: await named(numbers(LIST), async id => (await store.readImport(id))?.fileName),
    labels: await named(numbers(LABEL), id => store.findLabel(id)),
  }
}

const LIST = /^list (\d+)/
const LABEL = /(?:^tag|label) (\d+)$/

export type AuditWords = { what: Html; more: string }

/** An entry in words: a sentence without its subject, and a line in small print below it. */
export function entryInWords(entry: ListedAudit, names: AuditNames, school: School): AuditWords {
  const { action, leadId, detail = '' } = entry
  const lead = leadId === undefined ? html`a lead` : leadLink(leadId)
  const said =
    action === 'changed' ? changeInWords(detail, lead, names) : sentences[action]?.({ detail, lead, leadId, names })
  if (said === undefined)
    return { what: leadId === undefined ? html`${action}` : html`${action} ${lead}`, more: withDays(detail, school) }
  return 'what' in said ? { ...said, more: withDays(said.more, school) } : { what: said, more: '' }
}

const leadLink = (id: number | string): Html => html`<a href="/leads/${id}">lead ${id}</a>`

/** Days as people write them. */
const withDays = (text: string, school: School): string =>
  text.replace(/\b\d{4}-\d\d-\d\d\b/g, day => (Number.isNaN(Date.parse(day)) ? day : dateInWords(day, school)))

function listLink(detail: string, { lists }: AuditNames): Html {
  const id = Number(LIST.exec(detail)?.[1])
  const name = lists.get(id)
  return name === undefined ? html`list ${id}` : html`<a href="/import/${id}">the list “${name}”</a>`
}

function labelName(detail: string, { labels }: AuditNames): string {
  const id = Number(LABEL.exec(detail)?.[1])
  const label = labels.get(id)
  if (label === undefined) return `tag ${id}`
  return `${label.kind === 'tag' ? 'the tag' : 'the program'} “${label.name}”`
}

type Told = { detail: string; lead: Html; leadId: number | undefined; names: AuditNames }

const sentences: Record<string, (told: Told) => Html | AuditWords | undefined> = {
  'uploaded a list': ({ detail, names }) => html`uploaded ${listLink(detail, names)}`,
  'had a list checked': ({ detail, names }) => html`checked ${listLink(detail, names)}`,
  // A discarded list has no page to link to.
  'discarded a list': ({ detail }) => html`discarded ${detail}`,
  'undid an import': ({ detail, names }) => html`undid the import of ${listLink(detail, names)}`,
  'exported the rejected rows of a list': ({ detail, names }) =>
    html`exported the rejected rows of ${listLink(detail, names)}`,
  'imported a status list': ({ detail, names }) => ({
    what: html`imported ${listLink(detail, names)}, which moves leads`,
    more: detail.replace(/^list \d+: /, ''),
  }),
  'imported leads': ({ detail, names }) => ({
    what: html`imported ${listLink(detail, names)}`,
    more: detail.replace(/^list \d+: /, ''),
  }),
  'opened an email': ({ detail, lead, leadId }) => ({
    what: leadId === undefined ? html`opened an email` : html`opened an email about ${lead}`,
    more: detail,
  }),
  'renamed a tag': ({ detail, names }) => html`renamed ${labelName(detail, names)}`,
  'deleted a tag': ({ detail, names }) => html`deleted ${labelName(detail, names)}`,
  merged: ({ detail, lead }) => html`merged ${leadIn(detail)} into ${lead}`,
  unmerged: ({ detail, lead }) => html`unmerged ${leadIn(detail)} from ${lead}`,
  'handed over all leads of someone': ({ detail }) => {
    const [, name, open] = /^(.*): (\d+)$/.exec(detail) ?? []
    if (name === undefined) return undefined
    return open === '1' ? html`handed over the lead of ${name}` : html`handed over all ${open} leads of ${name}`
  },
  'undid a hand-over': ({ detail }) => html`undid the hand-over of the leads of ${detail}`,
  'erased a person': ({ detail, leadId }) => ({
    what: leadId === undefined ? html`erased a person` : html`erased the person of lead ${leadId}`,
    more: detail,
  }),
  'chose their notifications': ({ detail }) => html`chose ${ways[detail.replace('email: ', '')] ?? detail}`,
  ...Object.fromEntries(editedPages.flatMap(ofEdited)),
}

/** What someone did to something that is edited in the console. */
function ofEdited({ part, path }: Pick<EditedPage, 'part' | 'path'>): [string, (told: Told) => AuditWords][] {
  const { name } = parts[part]
  const link = html`<a href="${path}">${name}</a>`
  return [
    [`edited ${name}`, ({ detail }) => ({ what: html`edited ${link}`, more: detail })],
    [
      `went back to an earlier version of ${name}`,
      ({ detail }) => ({ what: html`went back to an earlier version of ${link}`, more: detail }),
    ],
  ]
}

const ways: Record<string, string> = {
  'at once': 'an email at once',
  daily: 'one email a day',
  browser: 'notifications in the browser',
}

const leadIn = (detail: string): Html => leadLink(detail.replace(/^lead /, ''))

/** What someone did to a lead: the name of an action on its page, or what `auditDetailOf` records. */
function changeInWords(detail: string, lead: Html, names: AuditNames): Html | undefined {
  const [, did, number] = /^(added|removed) label (\d+)$/.exec(detail) ?? []
  if (number !== undefined) return html`${did} ${labelName(detail, names)} ${did === 'added' ? 'to' : 'from'} ${lead}`
  const [, how, to = ''] = /^(moved|closed): (.+)$/.exec(detail) ?? []
  if (how === 'moved') return html`moved ${lead} to ${stageName(to)}`
  if (how === 'closed') return html`closed ${lead} (${reasonName(to)})`
  return changes[detail]?.(lead)
}

const changes: Record<string, (lead: Html) => Html> = {
  reached: lead => html`recorded that ${lead} was reached`,
  'no answer': lead => html`recorded no answer for ${lead}`,
  voicemail: lead => html`recorded a voicemail for ${lead}`,
  busy: lead => html`recorded a busy line for ${lead}`,
  'wrong number': lead => html`recorded a wrong number for ${lead}`,
  'note for the counselor': lead => html`left a note on ${lead} for its counselor`,
  note: lead => html`added a note to ${lead}`,
  assign: lead => html`assigned ${lead}`,
  stage: lead => html`moved ${lead} to another stage`,
  close: lead => html`closed ${lead}`,
  pause: lead => html`paused the follow-up of ${lead}`,
  resume: lead => html`resumed the follow-up of ${lead}`,
  callback: lead => html`promised a callback to ${lead}`,
  'callback ended': lead => html`ended a callback to ${lead}`,
  'withdraw consent': lead => html`recorded for ${lead} that they do not agree to calls and texts anymore`,
  skip: lead => html`skipped a step of ${lead}`,
  tag: lead => html`tagged ${lead}`,
  'add program': lead => html`added a program to ${lead}`,
  'remove label': lead => html`removed a tag or program from ${lead}`,
}
