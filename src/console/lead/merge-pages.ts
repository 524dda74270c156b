/** The pages on which someone merges two leads: choosing the other lead, and seeing the effect on both. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { type NextStep, stepsToCome } from '../../lead-actions/follow-up-plan.ts'
import { dryRunMerge } from '../../lead-actions/merge.ts'
import { originOfLead } from '../../leads/body/came-from.ts'
import { consentInShort } from '../../leads/body/consent.ts'
import { languageName } from '../../leads/body/languages.ts'
import { isSameNumber, readablePhone } from '../../leads/body/phone.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { fullName, type Lead } from '../../leads/lead/lead.ts'
import { mergedLead, mergeObstacle } from '../../leads/lead/merging.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import { stageInWords } from '../../leads/lead/stages.ts'
import { emailsAfterMerge, ownersAfterMerge } from '../../leads/words/merge-sentences.ts'
import type { Likeness, MergeCandidate } from '../../store/merging/merge-candidates.ts'
import type { MergeSide } from '../../store/pages/merge-page.ts'
import type { Absence } from '../../store/team/absences.ts'
import { maySee, mayWork } from '../frame/access.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { type Html, hidden, page } from '../frame/layout.ts'

function likenessInWords(like: Likeness, one: Lead, other: Lead): string {
  const whole = fullName(one).toLowerCase() === fullName(other).toLowerCase()
  return whole ? likenesses[like].replace('last name', 'name') : likenesses[like]
}

type Choice = { lead: Lead; q: string; candidates: MergeCandidate[]; found: Lead[] }

const likenesses: Record<Likeness, string> = {
  phone: 'same phone number',
  mailbox: 'same mailbox',
  'name and state': 'same last name and state',
  'name and company': 'same last name and company',
}

export async function choosePage(c: ConsoleContext, deps: ConsoleDeps, { lead, q, candidates, found }: Choice) {
  const name = fullName(lead)
  const others = found.filter(one => one.id !== lead.id)
  const row = (one: Lead, alike: readonly Likeness[]) => {
    const theirs = mayWork(c.get('operator'), one)
    return html`<li class="merge-choice"><div><strong>${fullName(one)}</strong> <span class="quiet">lead ${one.id}, ${stageInWords(one.stage, one.closedReason).toLowerCase()}, ${ownerName(one.owner, deps.settings.admissions)}</span><br>${[one.email, one.phone && readablePhone(one.phone, deps.settings.school.country)].filter(Boolean).join(' · ')}${
      alike.length === 0
        ? ''
        : html`<br>${alike.map(like => html`<span class="tag">${capital(likenessInWords(like, lead, one))}</span> `)}`
    }</div>${
      theirs
        ? html`<a class="button secondary small" href="/leads/${lead.id}/merge?with=${one.id}" aria-label="Compare with ${fullName(one)}, lead ${one.id}">Compare</a>`
        : ''
    }</li>`
  }
  return page(
    c,
    { title: `Who is the same person as ${name}?`, current: '/inbox' },
    html`<p class="back"><a href="/leads/${lead.id}">Back to ${name}</a></p>
<section class="panel" aria-labelledby="alike"><h2 id="alike">Possibly the same person</h2>${
      candidates.length === 0
        ? html`<p class="quiet">No other lead has the same phone number or mailbox, or the same last name and ${lead.kind === 'site' ? 'company' : 'state'}. Search below.</p>`
        : html`<ul class="plain-list">${candidates.map(one => row(one.lead, one.alike))}</ul>`
    }</section>
<section class="panel" aria-labelledby="search"><h2 id="search">Search</h2>
<form method="get" action="/leads/${lead.id}/merge" role="search" class="inline"><div><label for="q">Name, email or phone</label><input id="q" name="q" type="search" value="${q}" required></div><button class="secondary">Search</button></form>
${q === '' ? '' : others.length === 0 ? html`<p class="quiet" role="status">No other ${lead.kind} lead matches “${q}”.</p>` : html`<ul class="plain-list">${others.map(one => row(one, []))}</ul>`}
</section>`,
  )
}

type Sides = { lead: Lead; kept: Lead; other: Lead; trouble: string | undefined }

export async function sidesPage(c: ConsoleContext, deps: ConsoleDeps, { lead, kept, other, trouble }: Sides) {
  const today = deps.calendar.today(deps.clock.now())
  const sides = await deps.store.readMergeSides({ kept: kept.id, other: other.id, today })
  const { absences } = sides
  const one = await sideOf(deps, kept, sides.kept, absences)
  const two = await sideOf(deps, other, sides.other, absences)
  const merged = mergedLead(kept, other)
  const inquiries = one.inquiries + two.inquiries
  const followUps = await dryRunMerge(deps, { ...sides.kept, lead: kept }, { ...sides.other, lead: other }, absences)
  const next = firstOf(followUps.steps, deps)
  const swap =
    mergeObstacle(other, kept) === undefined
      ? html`<p><a href="/leads/${lead.id}/merge?with=${lead.id === kept.id ? other.id : kept.id}&amp;keep=${other.id}">Keep lead ${other.id} instead</a>, with its name, address and follow-up.</p>`
      : html`<p class="quiet">Lead ${kept.id} is kept, because lead ${other.id} is closed.</p>`
  return page(
    c,
    {
      title: 'Are these two the same person?',
      current: '/inbox',
      width: 'wide',
      status: trouble === undefined ? 200 : 409,
    },
    html`<p class="back"><a href="/leads/${lead.id}">Back to ${fullName(lead)}</a> <a href="/leads/${lead.id}/merge">Choose another</a></p>
${trouble === undefined ? '' : html`<div class="banner" role="alert"><p>${trouble}</p></div>`}
<div class="merge-sides">
${side(c, deps, kept, { ...one, title: `Lead ${kept.id}`, note: 'is kept' })}
${side(c, deps, other, { ...two, title: `Lead ${other.id}`, note: 'becomes part of it' })}
${side(c, deps, merged, { inquiries, next, title: 'Merged', note: '', also: other })}
</div>
<section class="panel" aria-labelledby="effect"><h2 id="effect">What happens when you merge them</h2>
<ul class="groups"><li>${emailsAfterMerge(kept, other, followUps)}</li>
<li>An inquiry from either address joins the merged lead. Links in emails already sent keep working.</li>
<li>${ownersAfterMerge(kept, other, deps.settings.admissions)}</li>
<li>You can unmerge them later: each gets its own history and follow-up back.</li></ul>
<form method="post" action="/leads/${lead.id}/merge" class="actions">
${hidden({ with: lead.id === kept.id ? other.id : kept.id, keep: kept.id, seen: one.version, seenOther: two.version })}
<button>Merge into one lead</button><a class="button secondary" href="/leads/${lead.id}">Cancel</a></form>
${swap}</section>`,
  )
}

async function sideOf(deps: ConsoleDeps, lead: Lead, found: MergeSide, absences: readonly Absence[]) {
  const { version, submissionCount: inquiries, followUp } = found
  const from = lead.callbackAt ?? deps.clock.now()
  const steps = lead.stage === 'new' ? await stepsToCome(deps, followUp, from, { absences }) : []
  return { version, inquiries, next: firstOf(steps, deps) }
}

function firstOf([step]: NextStep[], { clock, settings }: ConsoleDeps): string {
  if (step === undefined) return 'nothing planned'
  return createShortDateFormat(settings.school)(step.at, clock.now())
}

type Shown = { title: string; note: string; inquiries: number; next: string; also?: Lead }

function side(
  c: ConsoleContext,
  { settings, clock }: ConsoleDeps,
  lead: Lead,
  { title, note, inquiries, next, also }: Shown,
): Html {
  const moment = (time: number) => createShortDateFormat(settings.school)(time, clock.now())
  const phoneOf = (one: Lead | undefined) => one?.phone && readablePhone(one.phone, settings.school.country)
  const beside = (value: string | null | undefined, own: string | null, isSame = value === own) =>
    value == null || isSame ? '' : html`<br><span class="quiet">also ${value}</span>`
  const link =
    also === undefined && maySee(c.get('operator'), lead) ? html`<a href="/leads/${lead.id}">${title}</a>` : title
  const paused = lead.pausedAt === null ? '' : ', paused'
  return html`<section class="panel${also === undefined ? '' : ' merge-result'}"><h2>${link}${note === '' ? '' : html` <span class="quiet small">${note}</span>`}</h2>
<dl class="facts"><dt>Name</dt><dd>${fullName(lead)}</dd>
<dt>Email</dt><dd>${lead.email ?? 'Not known yet'}${beside(also?.email, lead.email)}</dd>
<dt>Phone</dt><dd>${phoneOf(lead) ?? 'Not known yet'}${beside(phoneOf(also), lead.phone, isSameNumber(also?.phone ?? '', lead.phone ?? ''))}</dd>
<dt>Counselor</dt><dd>${ownerName(lead.owner, settings.admissions)}</dd>
<dt>Stage</dt><dd>${stageInWords(lead.stage, lead.closedReason)}${paused}</dd>
<dt>First wrote</dt><dd>${capital(moment(lead.createdAt))}</dd>
<dt>Came from</dt><dd>${originOfLead(lead) || 'Not known'}</dd>
<dt>Inquiries</dt><dd>${inquiries}</dd>
<dt>Calls, texts</dt><dd>${consentInShort[lead.consent ?? 'not asked']}</dd>
${settings.languages.length < 2 ? '' : html`<dt>Language</dt><dd>${lead.language === null ? 'Not known' : languageName(lead.language)}</dd>`}
<dt>Next step</dt><dd>${lead.stage === 'new' ? capital(next) : 'Nothing is planned'}</dd></dl></section>`
}
