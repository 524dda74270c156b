/** The filters of the inbox: as they are in the URL, as the store needs them, and in words. */
import { formsOf } from '../../config/school-forms.ts'
import type { Settings } from '../../config/settings.ts'
import { dateInWords } from '../../content/date-format.ts'
import { titleOfNamed } from '../../content/form-titles.ts'
import type { Calendar } from '../../follow-up/calendar.ts'
import { type ConsentState, consentInShort } from '../../leads/body/consent.ts'
import { isLanguageTag, languageName } from '../../leads/body/languages.ts'
import { stateCode, statesWith } from '../../leads/body/states.ts'
import type { Label } from '../../leads/lead/labels.ts'
import { ownerName, TEAM } from '../../leads/lead/staff.ts'
import { allStages, stageInWords } from '../../leads/lead/stages.ts'
import { parseWords } from '../../leads/words/search-words.ts'
import { addDays, isDay } from '../../platform/time.ts'
import type { InboxFilter, Position } from '../../store/lists/filter.ts'
import { type SignedIn, visibleLeads } from '../frame/access.ts'

/** What the query of a URL may contain. Everything is optional, and invalid values are left out. */
export type FilterFields = {
  q: string
  kind: '' | 'site' | 'student'
  /** A stage, `open`, `any`, or nothing: a search then finds leads in all stages, and a list shows open ones. */
  stage: string
  /** The id of a counselor, `manager`, `team`, or `me`. */
  who: string
  /** People who no one has reached yet, who no one has even tried to reach, or who wrote back and wait. */
  waiting: '' | keyof typeof waitingInWords
  /** Imported people for which nothing has happened since the import. Without this filter, only a search lists them. */
  imported: '' | '1'
  /** Only leads that count in the figures of *Insight*. */
  counted: '' | '1'
  state: string
  source: string
  language: string
  campaign: string
  /** The name of a form of the school. */
  form: string
  /** The program of the lead, by its name; `program` finds everyone who is interested in a program. */
  mainProgram: string
  campus: string
  /** One of the school's own questions and an answer: `Which shift?: Evening`. */
  answer: string
  /** Where they came from: a source or a site. */
  from: string
  consent: '' | ConsentState | 'not asked'
  /** Ids of labels. */
  tag: string
  program: string
  /** Days, yyyy-mm-dd; both are included. */
  since: string
  until: string
  /** Empty for the order that the operator chose last. */
  sort: '' | SortOrder
}

/** The orders that operators can choose. */
export const sortOrders = { newest: 'Newest', longest: 'Longest waiting', active: 'Last activity', hottest: 'Hottest' }

export type SortOrder = keyof typeof sortOrders

export const NO_FILTER: FilterFields = {
  q: '',
  kind: '',
  stage: '',
  who: '',
  waiting: '',
  imported: '',
  counted: '',
  state: '',
  source: '',
  campaign: '',
  form: '',
  mainProgram: '',
  campus: '',
  answer: '',
  from: '',
  consent: '',
  language: '',
  tag: '',
  program: '',
  since: '',
  until: '',
  sort: '',
}

const LONGEST = 200

export function readFields(query: Record<string, string | undefined>): FilterFields {
  const text = (name: string) => (query[name] ?? '').trim().slice(0, LONGEST)
  const day = (name: string) => (isDay(text(name)) ? text(name) : '')
  const id = (name: string) => (/^\d{1,15}$/.test(text(name)) ? text(name) : '')
  const kind = text('kind')
  const stage = text('stage')
  const consent = text('consent')
  const waiting = text('waiting')
  const sort = text('sort')
  return {
    q: parseWords(text('q')) === undefined ? '' : text('q'),
    kind: kind === 'site' || kind === 'student' ? kind : '',
    stage: [...allStages, 'open', 'any'].includes(stage) ? stage : '',
    who: text('who'),
    waiting: isWaiting(waiting) ? waiting : '',
    imported: text('imported') === '1' ? '1' : '',
    counted: text('counted') === '1' ? '1' : '',
    state: text('state').toUpperCase(),
    source: text('source'),
    campaign: text('campaign'),
    form: text('form'),
    mainProgram: text('mainProgram'),
    campus: text('campus'),
    answer: text('answer'),
    language: isLanguageTag(text('language')) ? text('language') : '',
    from: text('from'),
    consent: isConsent(consent) ? consent : '',
    tag: id('tag'),
    program: id('program'),
    since: day('since'),
    until: day('until'),
    sort: isSortOrder(sort) ? sort : '',
  }
}

const isWaiting = (text: string): text is keyof typeof waitingInWords => Object.hasOwn(waitingInWords, text)

const isConsent = (text: string): text is keyof typeof consentInShort => Object.hasOwn(consentInShort, text)

export const isSortOrder = (text: string): text is SortOrder => Object.hasOwn(sortOrders, text)

/** The query of a URL, with the question mark; empty if no filter is set. */
export function queryOf(fields: Partial<FilterFields>, more: Record<string, string> = {}): string {
  const said = Object.entries({ ...fields, ...more }).filter(([, value]) => value !== '')
  return said.length === 0 ? '' : `?${new URLSearchParams(said)}`
}

type Context = { operator: SignedIn; settings: Settings; calendar: Calendar }

/** The filter for the store, limited to what the operator may see. */
export function filterOf(fields: FilterFields, { operator, settings, calendar }: Context): InboxFilter {
  const visible = visibleLeads(operator)
  const { q, kind, state, source, campaign, form, mainProgram, campus, answer, from, consent, language, since, until } =
    fields
  const labels = [fields.tag, fields.program].filter(id => id !== '').map(Number)
  return {
    ...(kind !== '' && { kind }),
    stage: stageOf(fields),
    owner: ownerOf(fields.who, operator),
    ...(visible && { visibleTo: visible.owner }),
    waiting: fields.waiting === '1',
    untried: fields.waiting === 'untried',
    unanswered: fields.waiting === 'unanswered',
    ...(fields.imported === '1' ? { imported: true } : !looksForMore(fields) && { imported: false }),
    counted: fields.counted === '1',
    ...(state !== '' && { state: stateCode(state, statesWith(settings.studentInterest.states)) ?? state }),
    ...(source !== '' && { source }),
    ...(campaign !== '' && { campaign }),
    ...(form !== '' && { form }),
    ...(mainProgram !== '' && { program: mainProgram }),
    ...(campus !== '' && { campus }),
    ...(answer !== '' && { answer }),
    ...(from !== '' && { cameFrom: from }),
    ...(language !== '' && { language }),
    ...(labels.length > 0 && { labels }),
    ...(consent !== '' && { consent: consent === 'not asked' ? null : consent }),
    ...(since !== '' && { since: calendar.startOf(since) }),
    ...(until !== '' && { until: calendar.startOf(addDays(until, 1)) }),
    words: parseWords(q),
  }
}

/** Whether the filter has conditions other than who to call or answer now. */
function looksForMore(fields: FilterFields): boolean {
  const { stage } = fields
  const usual = { kind: '', stage: '', who: '', waiting: '', imported: '', sort: '' } as const
  return stage === 'any' || stage === 'closed' || queryOf({ ...fields, ...usual }) !== ''
}

function stageOf({ stage, q, waiting, imported }: FilterFields): string | undefined {
  if (imported !== '') return 'new'
  if (stage === 'any' || waiting !== '') return undefined
  if (stage !== '') return stage
  return q === '' ? 'open' : undefined
}

/** An operator who is not a counselor has no leads, so this id finds none: ids never contain a space. */
function ownerOf(who: string, { counselor }: SignedIn): string | null | undefined {
  if (who === '') return undefined
  if (who === TEAM) return null
  return who === 'me' ? (counselor ?? 'no one') : who
}

/** The order of a list: from the URL, otherwise the operator's last choice. Closed leads have only one order. */
export function orderOf(fields: FilterFields, { listOrder }: Pick<SignedIn, 'listOrder'>): SortOrder {
  const { waiting, stage, sort } = fields
  if (!hasOrders(fields)) return waiting === 'unanswered' ? 'longest' : 'newest'
  if (sort !== '') return sort
  if (listOrder !== null && isSortOrder(listOrder)) return listOrder
  return waiting !== '' || stage === 'new' ? 'longest' : 'newest'
}

/** Whether the list has orders to choose from. A search has its own order. */
export const hasOrders = (fields: FilterFields): boolean =>
  fields.waiting !== 'unanswered' &&
  fields.q === '' &&
  fields.stage !== 'closed' &&
  (fields.stage !== 'any' || fields.waiting !== '')

/** A position as the URL has it. */
export const positionText = ({ at, id, part = 0 }: Position): string =>
  part === 0 ? `${at}-${id}` : `${at}-${id}-${part}`

export function readPosition(text: string | undefined): Position | undefined {
  const [, at, id, part = 0] = /^(\d{1,15})-(\d{1,15})(?:-(\d))?$/.exec(text ?? '') ?? []
  return id === undefined ? undefined : { at: Number(at), id: Number(id), part: Number(part) }
}

export const waitingInWords = { '1': 'waiting', untried: 'not called yet', unanswered: 'wrote back' } as const

/** Each part of a filter in words, with the filter that leaves it out. */
export function partsInWords(
  fields: FilterFields,
  { settings, labels }: { settings: Settings; labels: readonly Label[] },
): { words: string; without: FilterFields }[] {
  const { school, admissions } = settings
  const part = (words: string, name: keyof FilterFields) => ({ words, without: { ...fields, [name]: '' } })
  const label = (id: string) => labels.find(one => String(one.id) === id)?.name ?? 'deleted'
  const who = new Map([
    ['me', 'mine'],
    [TEAM, 'unassigned'],
  ]).get(fields.who)
  return [
    ...(fields.q === '' ? [] : [part(`“${fields.q}”`, 'q')]),
    ...(fields.waiting === '' ? [] : [part(waitingInWords[fields.waiting], 'waiting')]),
    ...(fields.imported === '' ? [] : [part('imported', 'imported')]),
    ...(fields.counted === '' ? [] : [part('counted in the figures', 'counted')]),
    ...(fields.kind === '' ? [] : [part(`${fields.kind}s`, 'kind')]),
    ...(fields.stage === '' || fields.stage === 'any' || fields.stage === 'open'
      ? []
      : [part(stageInWords(fields.stage, null).toLowerCase(), 'stage')]),
    ...(fields.who === '' ? [] : [part(who ?? ownerName(fields.who, admissions), 'who')]),
    ...(fields.state === '' ? [] : [part(`in ${fields.state}`, 'state')]),
    ...(fields.source === '' ? [] : [part(`heard of us: ${fields.source}`, 'source')]),
    ...(fields.campaign === '' ? [] : [part(`campaign: ${fields.campaign}`, 'campaign')]),
    ...(fields.form === '' ? [] : [part(`form: ${titleOfNamed(fields.form, formsOf(settings), settings)}`, 'form')]),
    ...(fields.mainProgram === '' ? [] : [part(`program: ${fields.mainProgram}`, 'mainProgram')]),
    ...(fields.campus === '' ? [] : [part(`campus: ${fields.campus}`, 'campus')]),
    ...(fields.answer === '' ? [] : [part(fields.answer, 'answer')]),
    ...(fields.from === '' ? [] : [part(`came from ${fields.from}`, 'from')]),
    ...(fields.language === '' ? [] : [part(languageName(fields.language), 'language')]),
    ...(fields.tag === '' ? [] : [part(`tag: ${label(fields.tag)}`, 'tag')]),
    ...(fields.program === '' ? [] : [part(`interested in ${label(fields.program)}`, 'program')]),
    ...(fields.consent === ''
      ? []
      : [part(`calls and texts: ${consentInShort[fields.consent].toLowerCase()}`, 'consent')]),
    ...(fields.since === '' ? [] : [part(`from ${dateInWords(fields.since, school)}`, 'since')]),
    ...(fields.until === '' ? [] : [part(`until ${dateInWords(fields.until, school)}`, 'until')]),
  ]
}
