/** The page of a lead: what is known about the person, what happens next, what happened, and every action. */
import { html } from 'hono/html'
import { stepOfEntry } from '../../follow-up/sent-steps.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { timelineWords } from '../../leads/words/timeline-words.ts'
import { maySee } from '../frame/access.ts'
import { audit } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { fieldsOf, numberOf } from '../frame/fields.ts'
import { redirect } from '../frame/flash.ts'
import { type Html, page } from '../frame/layout.ts'
import { leadActionNamed, undoEntry } from './actions.ts'
import { auditDetailOf } from './audit-detail.ts'
import { UNDID } from './bulk-actions.ts'
import { leadForms } from './forms.ts'
import { leadHead } from './head.ts'
import { leadInquiries } from './inquiries.ts'
import type { Fields, LeadAction } from './lead-action.ts'
import { timelineOf } from './timeline.ts'
import { type LeadOnPage, noLead, readLeadFor, readView } from './view.ts'

export const leadRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  {
    method: 'GET',
    path: '/leads/:id{[0-9]{1,15}}',
    action: 'see leads',
    handle: async c => {
      const view = await readView(c, deps)
      const { id } = view.found.lead
      const asked = c.req.param('id')
      if (String(id) !== asked) return redirect(c, `/leads/${id}`, { text: `Lead ${asked} is merged into this one.` })
      if (c.req.query('entries') === undefined && c.req.query('inquiries') === undefined)
        await audit(c, 'opened', { leadId: view.found.lead.id })
      return showLead(c, view)
    },
  },
  {
    method: 'POST',
    path: '/leads/:id{[0-9]{1,15}}',
    action: 'work on leads',
    handle: async c => {
      const { lead } = await readLeadFor(c, deps, 'work')
      return act(c, deps, lead, await fieldsOf(c))
    },
  },
  {
    method: 'POST',
    path: '/leads/:id{[0-9]{1,15}}/undo',
    action: 'work on leads',
    handle: async c => {
      const lead = await deps.store.findLead(Number(c.req.param('id')))
      if (lead === undefined) throw noLead()
      const entry = numberOf((await fieldsOf(c))['entry'])
      const outcome = await undoEntry(c, deps, lead, entry)
      deps.changed()
      if (outcome === 'done') await audit(c, UNDID, { leadId: lead.id })
      const text = outcome === 'done' ? 'Undone.' : 'It is too late to undo this.'
      return redirect(c, await pathAfter(c, deps, lead.id), { text })
    },
  },
]

/** A counselor who has just assigned a lead to someone else does not see it anymore. */
async function pathAfter(c: ConsoleContext, { store }: ConsoleDeps, id: number): Promise<string> {
  const lead = await store.findLead(id)
  return lead !== undefined && maySee(c.get('operator'), lead) ? `/leads/${id}` : '/inbox'
}

/** What stands above the page when an action was not carried out, and what was typed. */
export type Trouble = { message: Html; typed: Fields; status: 409 | 422 }

export async function showLead(c: ConsoleContext, view: LeadOnPage, trouble?: Trouble) {
  const { details, found } = view
  const typed = trouble?.typed ?? {}
  const body = html`<article class="lead-page" data-lead="${found.lead.id}">
${trouble === undefined ? '' : html`<div class="banner" role="alert">${trouble.message}</div>`}
${leadHead(view)}
<div class="lead-columns">
${leadInquiries(view)}
${leadForms(view, typed)}
${timelineOf(view, typed)}
</div></article>`
  return page(
    c,
    { title: details.name, current: '/inbox', width: 'wide', ownHeading: true, status: trouble?.status ?? 200 },
    body,
  )
}

async function act(c: ConsoleContext, deps: ConsoleDeps, lead: Lead, fields: Fields) {
  const leadAction: LeadAction | undefined = leadActionNamed(fields['do'] ?? '')
  if (leadAction === undefined) throw new ConsoleError(422, 'Choose what to do with the lead.')
  const { actor } = c.get('operator')
  const seen = leadAction.changesLead ? numberOf(fields['seen']) : undefined
  const result = await leadAction.run({ deps, lead, fields, actor, now: deps.clock.now(), seen })
  deps.changed()
  if ('problem' in result) {
    const message = html`<p>${result.problem}</p>`
    return showLead(c, await readView(c, deps), { message, typed: fields, status: 422 })
  }
  if (result.outcome === 'stale')
    return showLead(c, await readView(c, deps), await changesByOthers(c, deps, lead, fields))
  const path = `/leads/${lead.id}`
  if (result.outcome === 'gone') throw noLead()
  if (result.outcome === 'before')
    return redirect(c, path, { text: result.before ?? 'Nothing changed: that was done already.' })
  await audit(c, 'changed', { leadId: lead.id, detail: await auditDetailOf(deps.store, lead.id, fields) })
  const undo =
    'undo' in result ? { path, fields: result.undo as Record<string, string> } : await undoOf(deps, lead, actor)
  const next = await pathAfter(c, deps, lead.id)
  return redirect(c, next, { text: result.text, ...(undo && { undo }) })
}

/** The form that undoes what someone has just done to a lead. */
export async function undoOf({ store }: ConsoleDeps, lead: Lead, actor: string) {
  const entry = await store.readLatestEntryBy(lead.id, actor)
  return entry && { path: `/leads/${lead.id}/undo`, fields: { entry: String(entry.id) } }
}

/** What others did since the page was opened: the person who pressed the button should know it first. */
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
