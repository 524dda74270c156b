/**
 * Drafts: the text of an email, a note or a new lead is saved while someone types (`content/console/drafts.js`), and is
 * in the form again when they come back, on any device. Everyone who works on a lead sees the others' drafts about it.
 */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { enteredFields } from '../../http/entered-inquiry.ts'
import { LONGEST_NOTE } from '../../lead-actions/add-note.ts'
import { LONGEST_SUBJECT, LONGEST_TEXT } from '../../lead-actions/write-email.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { MINUTE } from '../../platform/time.ts'
import type { Draft, DraftKey } from '../../store/leads/drafts.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, kindOf } from '../frame/form-fields.ts'
import type { Html } from '../frame/layout.ts'
import { post } from '../frame/routes.ts'
import type { Fields } from './lead-button.ts'
import { readLeadFor } from './view.ts'

export const draftRoutes: ConsoleRoute[] = [
  post('/leads/:id{[0-9]{1,15}}/write/draft', 'write to people', (c, deps) => saveAbout(c, deps, 'email')),
  post('/leads/:id{[0-9]{1,15}}/note/draft', 'work on leads', (c, deps) => saveAbout(c, deps, 'note')),
  post('/leads/add/draft', 'add leads', saveNewLead),
]

/** The fields of each kind of draft, and how many characters they have together at most. */
const emailFields = {
  names: ['subject', 'text', 'day', 'time', 'reached', 'once'],
  most: LONGEST_SUBJECT + LONGEST_TEXT + 100,
}
const noteFields = { names: ['note'], most: LONGEST_NOTE }
const newLeadFields = {
  names: [...Object.values(enteredFields).flat(), 'cameFrom', 'language', 'owner', 'reached', 'mayWrite', 'once'],
  most: LONGEST_TEXT,
}

async function saveAbout(c: ConsoleContext, deps: ConsoleDeps, kind: 'email' | 'note') {
  const { lead } = await readLeadFor(c, deps, 'work')
  const operatorId = c.get('operator').id
  const discarded = await saveTyped(c, deps, { operatorId, kind, leadId: lead.id })
  if (discarded)
    return redirect(c, `/leads/${lead.id}${kind === 'email' ? '/write' : ''}`, { text: 'Draft discarded.' })
  const drafts = await deps.store.readDrafts(lead.id)
  return c.json(savedWords(deps, othersDrafts(deps, { lead, drafts, operatorId, kind })))
}

async function saveNewLead(c: ConsoleContext, deps: ConsoleDeps) {
  const kind = kindOf((await fieldsOf(c))['kind'])
  const discarded = await saveTyped(c, deps, { operatorId: c.get('operator').id, kind, leadId: null })
  return discarded ? redirect(c, `/leads/add?kind=${kind}`, { text: 'Draft discarded.' }) : c.json(savedWords(deps))
}

/** What the script shows after a draft was saved. `others`: other people's drafts, which are shown beside the form. */
export const savedWords = (deps: ConsoleDeps, others: Html = html``) => {
  const now = deps.clock.now()
  return { words: keptWords(deps, now), others: String(others) }
}

/** Saves what the form contains, or deletes the draft. Returns true if someone without our script has discarded it. */
export async function saveTyped(c: ConsoleContext, { store, clock }: ConsoleDeps, key: DraftKey): Promise<boolean> {
  const { discard, ...sent } = await fieldsOf(c)
  const { names, most } = key.kind === 'email' ? emailFields : key.kind === 'note' ? noteFields : newLeadFields
  const fields = Object.fromEntries(names.flatMap(name => (sent[name] ? [[name, sent[name]]] : [])))
  if (discard !== undefined) {
    await store.deleteDraft(key)
    return c.req.header('x-part') === undefined
  }
  const length = Object.values(fields).reduce((sum, value) => sum + value.length, 0)
  if (length > most) throw new ConsoleError(422, `A draft must have at most ${most} characters.`)
  await store.saveDraft(key, { fields, now: clock.now() })
  return false
}

/** The values of a form that keeps a draft: the fields that were sent or, if none were, the fields of the draft. */
export const fieldsWith = (sent: Fields, draft: Draft | undefined): Fields =>
  Object.keys(sent).length > 0 ? sent : (draft?.fields ?? {})

export const ownDraft = (drafts: readonly Draft[], operatorId: number, kind: Draft['kind']): Draft | undefined =>
  drafts.find(one => one.operatorId === operatorId && one.kind === kind)

/** The attributes of a form that keeps a draft: where the script saves it, and when it was last saved. */
export const kept = (path: string, draft: Draft | undefined): Html =>
  html`data-keep="${path}" data-saved="${draft?.savedAt ?? 0}"`

/**
 * The line of a form that says how old its draft is, with a button that discards it. If there is no draft, it is hidden
 * until the script shows it. It comes after the other buttons, because Enter presses the first one.
 */
export const keptLine = (deps: ConsoleDeps, path: string, draft: Draft | undefined): Html =>
  html`<p class="kept" data-kept${draft === undefined ? html` hidden` : ''}><span>${draft && keptWords(deps, draft.savedAt)}</span> <button class="plain small" formaction="${path}" formnovalidate name="discard" value="yes">Discard</button></p>`

const keptWords = (deps: ConsoleDeps, at: number): string => `Draft kept from ${timeOf(deps, at)}.`

/** For today, the time is enough. */
function timeOf({ settings, clock }: ConsoleDeps, at: number): string {
  return createShortDateFormat(settings.school)(at, clock.now()).replace(/^today, /, '')
}

/** If a draft has not changed for this long, in milliseconds, its author no longer counts as writing. */
const AT_IT = 2 * MINUTE

/**
 * Other people's drafts about a lead: who is writing now, who has left a draft, and what it says. `kind` is the kind of
 * draft on this page. If a draft is of this kind, a button copies its text into the form.
 */
export function othersDrafts(deps: ConsoleDeps, { lead, drafts, operatorId, kind: own }: OthersDrafts): Html {
  const others = drafts.filter(one => one.operatorId !== operatorId)
  const name = fullName(lead)
  const words = ({ author, kind, beganAt, savedAt }: Draft) => {
    const [doing, thing] =
      kind === 'email' ? [`to ${name}`, `an email to ${name}`] : [`a note about ${name}`, `a note about ${name}`]
    return savedAt > deps.clock.now() - AT_IT
      ? `${author} has been writing ${doing} since ${timeOf(deps, beganAt)}`
      : `${author} has a draft of ${thing} from ${timeOf(deps, savedAt)}`
  }
  const press = ({ kind, author, fields: { subject = '' } }: Draft) =>
    kind === own
      ? html`<button type="button" class="secondary small" data-use="${textOf[own]}" data-author="${author}" data-subject="${subject}">Use it<span class="hidden">, the draft of ${author}</span></button>`
      : kind === 'email'
        ? html`<a href="/leads/${lead.id}/write">Continue it</a>`
        : ''
  return html`${others.map(
    one =>
      html`<details class="others-draft"><summary>${words(one)}</summary><blockquote dir="auto">${one.fields['text'] ?? one.fields['note'] ?? ''}</blockquote>${press(one)}</details>`,
  )}`
}

type OthersDrafts = { lead: Lead; drafts: readonly Draft[]; operatorId: number; kind: keyof typeof textOf }

/** The field with the text, in the form of each kind of draft. */
const textOf = { email: 'text', note: 'note' } as const
