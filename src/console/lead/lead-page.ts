/** The page of a lead: what we know about the person, what happens next, what has happened, and every action. */
import { html } from 'hono/html'
import { stepOfEntry } from '../../follow-up/sent-steps.ts'
import { undo } from '../../lead-actions/undo.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { timelineWords } from '../../leads/words/timeline-words.ts'
import type { Changed, Done } from '../../store/actions/change-lead.ts'
import { maySee, mayUndo } from '../frame/access.ts'
import { audit, byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { keyboardHelp } from '../frame/keyboard-help.ts'
import { type Html, livePart, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { leadButtonNamed } from './buttons.ts'
import { leadInquiries } from './inquiries.ts'
import type { Fields } from './lead-button.ts'
import { leadForms } from './lead-forms.ts'
import { leadHead } from './lead-head.ts'
import { leadNews } from './lead-news.ts'
import { timelineOf } from './timeline.ts'
import { type LeadOnPage, noLead, readLeadFor, readView } from './view.ts'

export const leadRoutes: ConsoleRoute[] = [
  get('/leads/:id{[0-9]{1,15}}', 'see leads', openLead),
  post('/leads/:id{[0-9]{1,15}}', 'work on leads', pressButton),
  post('/leads/:id{[0-9]{1,15}}/undo', 'work on leads', undoAction),
]

async function openLead(c: ConsoleContext, deps: ConsoleDeps) {
  const view = await readView(c, deps)
  const { id } = view.found.lead
  const asked = c.req.param('id')
  if (String(id) !== asked) return redirect(c, `/leads/${id}`, { text: `Lead ${asked} is merged into this one.` })
  const again = c.req.header('x-part') !== undefined
  if (!again && c.req.query('entries') === undefined && c.req.query('inquiries') === undefined)
    await audit(c, 'opened', { leadId: view.found.lead.id })
  return showLead(c, view)
}

async function pressButton(c: ConsoleContext, deps: ConsoleDeps) {
  const { lead } = await readLeadFor(c, deps, 'work')
  return act(c, deps, lead, await fieldsOf(c))
}

async function undoAction(c: ConsoleContext, deps: ConsoleDeps) {
  const lead = await deps.store.findLead(idIn(c))
  if (lead === undefined) throw noLead()
  const result = await undoEntry(c, deps, lead, numberOf((await fieldsOf(c))['entry']))
  const text = result.outcome === 'done' ? 'Undone.' : 'It is too late to undo this.'
  return redirect(c, pathAfter(c, result.outcome === 'gone' ? lead : result.lead), { text })
}

async function undoEntry(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, id: number | undefined): Promise<Changed> {
  const found = id === undefined ? undefined : await deps.store.readEntry(id)
  const entry = found?.leadId === lead.id ? found : undefined
  if (!mayUndo(c.get('operator'), lead, entry)) throw noLead()
  return entry === undefined ? { outcome: 'gone' } : undo(deps, lead, { entry }, byOperator(c))
}

/** A counselor who has just assigned a lead to someone else does not see it anymore. */
const pathAfter = (c: ConsoleContext, lead: Lead): string =>
  maySee(c.get('operator'), lead) ? `/leads/${lead.id}` : '/inbox'

/** What the page shows at the top if an action was not carried out, with what was typed. */
export type Trouble = { message: Html; typed: Fields; status: 409 | 422 }

export async function showLead(c: ConsoleContext, view: LeadOnPage, trouble?: Trouble) {
  const { assets } = c.get('frame')
  const { shortcuts, actor } = c.get('operator')
  const { details, found } = view
  const status = trouble?.status ?? 200
  const typed = trouble?.typed ?? {}
  const article = html`<article class="lead-page" data-version="${found.version}">
${leadHead(view, typed)}
<div class="lead-columns">
${leadInquiries(view)}
${leadForms(view, typed)}
${timelineOf(view)}
</div></article>`
  const wrong =
    trouble === undefined ? html`` : html`<div class="banner" role="alert" tabindex="-1">${trouble.message}</div>`
  if (c.req.header('x-part') === 'lead') {
    const seen = numberOf(c.req.header('x-seen'))
    const news = seen === undefined ? undefined : leadNews(view, { seen, actor })
    return livePart(c, article, { ...(trouble && { trouble: wrong }), ...(news && { news }) }, status)
  }
  return page(
    c,
    { title: details.name, current: '/inbox', width: 'wide', ownHeading: true, status },
    html`<div data-trouble>${wrong}</div>
<div data-live="lead" data-shortcuts="${shortcuts ? 'on' : 'off'}">${article}</div>
<div class="news" role="alert" data-news></div>
${keyboardHelp(KEYS)}
<script src="${assets['lead.js']}" type="module"></script>`,
  )
}

const KEYS: [key: string, does: string][] = [
  ['c', 'Reached'],
  ['x', 'No answer'],
  ['w', 'Write'],
  ['n', 'Write a note'],
  ['s', 'Promise a callback'],
  ['a', 'Assign'],
  ['z', 'Undo'],
  ['?', 'Show these keys'],
]

async function act(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, fields: Fields) {
  const button = leadButtonNamed(fields['do'] ?? nameOf(fields))
  if (button === undefined) throw new ConsoleError(422, 'Choose what to do with the lead.')
  const by = {
    ...byOperator(c, numberOf(fields['seen'])),
    endsDraft: fields['note'] === undefined ? undefined : 'note',
  } as const
  const said = await button({ deps, lead, fields, by })
  if ('problem' in said) {
    const message = html`<p>${said.problem}</p>`
    return showLead(c, await readView(c, deps), { message, typed: fields, status: 422 })
  }
  const { result, text, before = 'Nothing changed: that was done already.', undo, offer } = said
  if (result.outcome === 'stale')
    return showLead(c, await readView(c, deps), await changesByOthers(c, deps, lead, fields))
  if (result.outcome === 'gone') throw noLead()
  const path = `/leads/${lead.id}`
  if (result.outcome === 'before') return redirect(c, path, { text: before })
  if (undo === null) return redirect(c, path, { text })
  return redirect(c, pathAfter(c, result.lead), { text, undo: undo ? { path, fields: undo } : undoOf(result), offer })
}

/**
 * The name of the action, if its button sends a time instead of a name. `asked`: when the person asked to be called.
 * `when`: when someone promises to call.
 */
function nameOf({ asked, when }: Fields): string {
  if (asked !== undefined) return 'call back'
  return when === undefined ? '' : 'callback'
}

export const undoOf = ({ lead, entry }: Done) => ({ path: `/leads/${lead.id}/undo`, fields: { entry: String(entry) } })

/** What others did since the page was opened. The person who pressed the button should know it before they act. */
async function changesByOthers(
  c: ConsoleContext,
  { store, settings }: ConsoleDeps,
  lead: Lead,
  fields: Fields,
): Promise<Trouble> {
  const seen = numberOf(fields['seen']) ?? 0
  const { actor } = c.get('operator')
  const { cadence = [] } = (await store.readFollowUp(lead.id)) ?? {}
  const changes = await store.readChangesSince(lead.id, { seen, actor })
  const lines = changes.map(entry => {
    const { what, by } = timelineWords(entry, settings.admissions)
    const words = stepOfEntry(entry, cadence, fullName(lead)) ?? what
    return html`<li>${by === null ? words : `${by}: ${words}`}</li>`
  })
  return {
    message: html`<p><strong>This lead changed while you had it open. Nothing of yours is saved yet.</strong></p>
<ul>${lines}</ul><p>You see the lead as it is now. If your action still fits, press the button again.</p>`,
    typed: fields,
    status: 409,
  }
}
