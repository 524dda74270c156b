/** What is stored about a person: exporting it, and erasing it after seeing the effect. */
import { html, raw } from 'hono/html'
import { erasePerson } from '../../lead-actions/erase-person.ts'
import { emailKey } from '../../leads/body/email.ts'
import { isAddress, readReach } from '../../leads/body/person-key.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { type AskedReason, askedReasons, reasonInWords } from '../../leads/lead/erasure-reasons.ts'
import { stageInWords } from '../../leads/lead/stages.ts'
import { DAY } from '../../platform/time.ts'
import type { PersonSummary } from '../../store/privacy/person-summary.ts'
import { audit, auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf, option } from '../frame/form-fields.ts'
import { type Html, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { effectOf, erasedInWords } from './erasure-in-words.ts'

/** The URL names a person by the number of one of their submissions, so that it does not contain an address. */
const PATH = '/privacy/people/:id{[0-9]{1,15}}'

export const personRoutes: ConsoleRoute[] = [
  get(PATH, 'erase people', openPerson),
  post(`${PATH}/erase`, 'erase people', async (c, deps) => erase(c, deps, await personOf(c, deps))),
]

async function openPerson(c: ConsoleContext, deps: ConsoleDeps) {
  const person = await personOf(c, deps)
  const leadId = person.leads[0]?.id
  await audit(c, leadId === undefined ? 'opened the record of a person who has no lead' : 'opened', {
    ...(leadId !== undefined && { leadId }),
    detail: 'what is stored',
  })
  return personPage(c, deps, person)
}

/** How long a request waits for a second person, in milliseconds. */
export const REQUEST_LIFETIME = 7 * DAY

/** The person whose submission the path names. Throws a ConsoleError with status 404 if there is none. */
export async function personOf(c: ConsoleContext, { store }: ConsoleDeps): Promise<PersonSummary> {
  const reach = await store.readReachOf(idIn(c))
  const person = reach === undefined ? undefined : await store.readPersonSummary(reach)
  if (person === undefined)
    throw new ConsoleError(404, 'Nothing is stored about this person. They may have been erased.')
  return person
}

async function erase(c: ConsoleContext, deps: ConsoleDeps, person: PersonSummary) {
  const { store, clock, settings } = deps
  const { id, name } = c.get('operator')
  const fields = await fieldsOf(c)
  const reason = askedReasons.find(one => one === fields['reason'])
  const typed = (fields['address'] ?? '').trim()
  const problems = {
    ...(reason === undefined && { reason: 'Choose a reason.' }),
    ...(emailKey(readReach(typed, settings.school.country) ?? '') !== emailKey(person.reach) && {
      address: `This is not the ${kindOfReach(person.reach)} above. Type it exactly, so that the right person is erased.`,
    }),
  }
  if (reason === undefined || Object.keys(problems).length > 0)
    return personPage(c, deps, person, { ...fields, problems })
  const by = { operator: { id, name }, now: clock.now() }
  if (settings.privacy.peopleToErase === 2) {
    const expiresAt = by.now + REQUEST_LIFETIME
    const audit = auditEntries(c, 'asked to erase a person')
    const request = await store.requestErasure(person.reach, { ...by, reason, expiresAt, audit })
    deps.changed()
    const path = `/privacy/requests/${request.id}`
    if (!request.isNew) return redirect(c, path, { text: 'Someone has asked for this already.' })
    return redirect(c, path, { text: 'Requested. Nothing is erased until another person confirms.' })
  }
  const erased = await erasePerson(deps, person.reach, {
    askedBy: name,
    reason,
    audit: auditEntries(c, 'erased a person', {
      ...(person.leads.length > 0 && { leads: person.leads.map(lead => lead.id) }),
      detail: reasonInWords[reason],
    }),
  })
  return redirect(c, '/privacy', { text: erasedInWords(erased) })
}

type Typed = {
  address?: string | undefined
  reason?: string | undefined
  problems?: { address?: string; reason?: string }
}

function personPage(c: ConsoleContext, { settings }: ConsoleDeps, person: PersonSummary, typed: Typed = {}) {
  const two = settings.privacy.peopleToErase === 2
  const { id, name, request } = person
  return page(
    c,
    { title: name || 'A person without a lead', current: '/privacy', status: typed.problems === undefined ? 200 : 422 },
    html`<p class="back"><a href="/privacy">Privacy</a></p>
${storedFacts(person)}
<section class="panel" aria-labelledby="export"><h2 id="export">Export</h2>
<p>One ZIP file with everything that is stored about them: to read (HTML), and for programs (JSON). It says what was left out, and why. The audit log records the export.</p>
<div class="actions"><a class="button secondary" href="/privacy/people/${id}/export.zip" download>Export everything</a></div></section>
<section class="panel" aria-labelledby="erase"><h2 id="erase">Erase</h2>
${effectOf(person)}
${
  request === undefined
    ? eraseForm(person, two, typed)
    : html`<p><a class="button secondary" href="/privacy/requests/${request}">Someone has asked to erase them: see the request</a></p>`
}</section>`,
  )
}

export const storedFacts = ({ name, reach, leads, submissions }: PersonSummary): Html =>
  html`<section class="panel" aria-labelledby="who"><h2 id="who">Who</h2><dl class="facts">
<dt>Name</dt><dd>${name || 'not known'}</dd>
<dt>${isAddress(reach) ? 'Email' : 'Phone'}</dt><dd>${reach}</dd>
<dt>Leads</dt><dd>${
    leads.length === 0
      ? 'none'
      : leads.map(
          (lead, index) =>
            html`${index === 0 ? '' : raw('<br>')}<a href="/leads/${lead.id}">Lead ${lead.id}</a> <span class="quiet">${lead.kind}, ${stageInWords(lead.stage, lead.closedReason).toLowerCase()}</span>`,
        )
  }</dd>
<dt>Inquiries</dt><dd>${submissions}</dd>
</dl></section>`

const reasonChoices: Record<AskedReason, string> = {
  asked: capital(reasonInWords.asked),
  'not needed': 'We no longer need it (they did not ask, and may write again as usual)',
}

const kindOfReach = (reach: string) => (isAddress(reach) ? 'address' : 'number')

const eraseForm = ({ id, reach }: PersonSummary, two: boolean, { address, reason, problems }: Typed): Html =>
  html`<form method="post" action="/privacy/people/${id}/erase" class="stack">
<label for="reason">Why</label>
${problems?.reason ? html`<p class="problem" id="reason-problem">${problems.reason}</p>` : ''}
<select id="reason" name="reason" required>${askedReasons.map(one =>
    option(one, reasonChoices[one], one === reason),
  )}</select>
${field({
  name: 'address',
  label: `Type their ${kindOfReach(reach)}`,
  autocomplete: 'off',
  value: address,
  hint: `To make sure that it is the right person: ${reach}`,
  problem: problems?.address,
})}
${two ? html`<p class="hint">Your settings require two people: a colleague who may erase people gets an email, and confirms or refuses within a week.</p>` : html`<p class="hint">This cannot be undone.</p>`}
<button class="danger">${two ? 'Ask to erase' : 'Erase this person'}</button></form>`
