/**
 * Colleagues' leads that a counselor has searched for by name: who has them, and a field for a note. Everything else
 * about these leads stays hidden. Saving a note repeats the search, so that no one can try out lead numbers.
 */
import { html, raw } from 'hono/html'
import { dayInWords } from '../../content/date-format.ts'
import { awayOn } from '../../follow-up/absences.ts'
import { addNote, LONGEST_NOTE } from '../../lead-actions/add-note.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { namedPerson } from '../../leads/words/colleagues-search-words.ts'
import type { Draft } from '../../store/leads/drafts.ts'
import type { ColleaguesLeads, ColleaguesQuery } from '../../store/lookup/colleagues-leads.ts'
import type { Absence } from '../../store/team/absences.ts'
import { mayWork, type SignedIn, visibleLeads } from '../frame/access.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden } from '../frame/layout.ts'
import { post } from '../frame/routes.ts'
import { kept, keptLine, savedWords, saveTyped } from '../lead/drafts.ts'
import { noLead } from '../lead/view.ts'

const PATH = '/inbox/note'
const DRAFT = `${PATH}/draft`

export const colleaguesLeadRoutes: ConsoleRoute[] = [
  post(PATH, 'work on leads', leaveNote),
  post(DRAFT, 'work on leads', keepNote),
]

/** The names to look for among colleagues' leads; undefined without a search for a name, or if all leads are seen. */
export function colleaguesQuery(
  text: string,
  operator: SignedIn,
  { settings }: Pick<ConsoleDeps, 'settings'>,
): ColleaguesQuery | undefined {
  const visible = visibleLeads(operator)
  const named = visible && namedPerson(text, settings.school.country)
  return named && { named, counselor: visible.owner }
}

type Shown = ColleaguesLeads & { q: string; absences: readonly Absence[]; notes: ReadonlyMap<number, Draft> }

export function colleaguesSection({ leads, tooMany, q, absences, notes }: Shown, deps: ConsoleDeps): Html {
  if (tooMany)
    return html`<p class="quiet">Several people with that name are assigned to your colleagues. Search for the full name, the email address or the phone number.</p>`
  if (leads.length === 0) return html``
  const { calendar, clock, settings } = deps
  const away = awayOn(calendar.today(clock.now()), settings.admissions.counselors, absences)
  return html`${leads.map(lead => {
    const owner = ownerName(lead.owner, settings.admissions)
    const until = away.get(lead.owner ?? '')
    const absent = until === undefined ? '' : html`, who is away until ${dayInWords(until, settings.school)}`
    const draft = notes.get(lead.id)
    const reader = until === undefined ? owner : 'The person who stands in'
    return html`<section class="panel" data-part="colleague-${lead.id}" aria-label="With a colleague"><p><strong dir="auto">${fullName(lead)}</strong> is with ${owner}${absent}${lead.stage === 'closed' ? ' (closed)' : ''}.</p>
<details${draft === undefined ? '' : raw(' open')}><summary>Leave a note</summary><form method="post" action="${PATH}" ${kept(DRAFT, draft)}>${hidden({ q, lead: lead.id })}
<label for="note-${lead.id}">A note for ${owner}</label><textarea id="note-${lead.id}" name="note" rows="2" maxlength="${LONGEST_NOTE}" required>${draft?.fields['note'] ?? ''}</textarea>
<p class="hint">${reader} gets it by email at once, and it is in the timeline with your name.</p>
<button class="secondary small">Leave the note</button>
${keptLine(deps, DRAFT, draft)}</form></details></section>`
  })}`
}

async function leaveNote(c: ConsoleContext, deps: ConsoleDeps) {
  const { q = '', note = '', ...fields } = await fieldsOf(c)
  const lead = await leadFor(c, deps, { q, id: numberOf(fields['lead']) })
  const result = await addNote(deps, lead, { text: note, forOwner: true }, { ...byOperator(c), endsDraft: 'note' })
  if (result.outcome === 'invalid') throw new ConsoleError(422, result.problem)
  if (result.outcome === 'gone') throw noLead()
  const owner = ownerName(result.lead.owner, deps.settings.admissions)
  const standIn = await deps.addressees.standIn(result.lead, deps.clock.now())
  const told = standIn === undefined ? `${owner} gets` : `${owner} is away: ${standIn.name} gets`
  return redirect(c, searchOf(q), { text: `The note on ${fullName(lead)} is saved. ${told} an email.` })
}

/** Saves the note while someone types it, and, like the note itself, only for a lead that the search finds. */
async function keepNote(c: ConsoleContext, deps: ConsoleDeps) {
  const { q = '', ...fields } = await fieldsOf(c)
  const { id: leadId } = await leadFor(c, deps, { q, id: numberOf(fields['lead']) })
  const discarded = await saveTyped(c, deps, { operatorId: c.get('operator').id, kind: 'note', leadId })
  return discarded ? redirect(c, searchOf(q), { text: 'Draft discarded.' }) : c.json(savedWords(deps))
}

const searchOf = (q: string): string => `/inbox?${new URLSearchParams({ q })}`

/** A lead that the search finds, or that the operator has been assigned in the meantime. */
async function leadFor(c: ConsoleContext, deps: ConsoleDeps, { q, id = 0 }: { q: string; id: number | undefined }) {
  const operator = c.get('operator')
  const query = colleaguesQuery(q, operator, deps)
  const found: Lead[] = query === undefined ? [] : (await deps.store.findColleaguesLeads(query)).leads
  const lead = found.find(one => one.id === id) ?? (await deps.store.findLead(id))
  if (lead === undefined || !(found.includes(lead) || mayWork(operator, lead))) throw noLead()
  return lead
}
