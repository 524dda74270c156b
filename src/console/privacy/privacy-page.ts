/** Privacy: finding a person to export or erase, what waits for a second person, and the register of erasures. */
import { html } from 'hono/html'
import { createDateFormat, createShortDateFormat, dateOf } from '../../content/date-format.ts'
import { whySuppressed } from '../../follow-up/stop-conditions.ts'
import { erasePerson } from '../../lead-actions/erase-person.ts'
import { suppressionHashes } from '../../leads/body/mailbox-key.ts'
import { isAddress, readReach } from '../../leads/body/person-key.ts'
import { capital, counted } from '../../leads/body/tidy-text.ts'
import { reasonInWords } from '../../leads/lead/erasure-reasons.ts'
import { exactMoment } from '../../platform/time.ts'
import type { PersonSummary } from '../../store/privacy/person-summary.ts'
import type { ErasureCounts } from '../../store/privacy/register.ts'
import { audit, auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { download, downloadTable, itsTurn } from '../frame/download.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { field, fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { erasedInWords } from './erasure-in-words.ts'
import { requestRoutes } from './erasure-request-pages.ts'
import { personOf, personRoutes } from './privacy-person-page.ts'
import { retentionPanel, retentionRoutes } from './retention-page.ts'

const PATH = '/privacy'
const ROWS = 50

export const privacyRoutes: ConsoleRoute[] = [
  get(PATH, 'erase people', privacyPage, { menu: 'Privacy' }),
  post(PATH, 'erase people', async (c, deps) => find(c, deps, (await fieldsOf(c))['person'] ?? '')),
  post(`${PATH}/traces`, 'erase people', async (c, deps) => eraseTraces(c, deps, (await fieldsOf(c))['person'] ?? '')),
  get('/privacy/register.csv', 'erase people', registerFile),
  get('/privacy/people/:id{[0-9]{1,15}}/export.zip', 'export people', exportFile),
  ...personRoutes,
  ...requestRoutes,
  ...retentionRoutes,
]

/** Finds a person by their address or number, in the body of a form, since URLs end up in logs and histories. */
async function find(c: ConsoleContext, deps: ConsoleDeps, typed: string) {
  const { store, settings } = deps
  const reach = readReach(typed, settings.school.country)
  if (reach === undefined)
    return privacyPage(c, deps, {
      typed,
      problem: 'Enter an email address such as ana@mail.com, or a whole phone number.',
    })
  const found = await store.findPeople(reach)
  const people = (await Promise.all(found.map(one => store.readPersonSummary(one)))).flatMap(one => one ?? [])
  const [person] = people
  const isFromBefore = isAddress(reach) && found.length > 1
  if (people.length > 1 || (person !== undefined && isFromBefore)) return privacyPage(c, deps, { typed, people })
  if (person !== undefined) return redirect(c, `/privacy/people/${person.id}`)
  const traces = await tracesOf(store, reach)
  if (traces !== undefined) return privacyPage(c, deps, { typed, traces: { person: reach, words: traces } })
  const other = isAddress(reach) ? 'If they wrote from another one' : 'If they gave another one, or an address'
  return privacyPage(c, deps, {
    typed,
    problem: `${await leftOf(deps, reach)} ${other}, look for their name in the inbox.`,
  })
}

/** What remains of an address or a number if nothing else is stored about it, in words. */
async function leftOf({ store, settings, addressSecret }: ConsoleDeps, email: string) {
  if (!isAddress(email)) return 'Nothing is stored about this number.'
  const left = await store.readSuppression(suppressionHashes(addressSecret, email))
  if (left === undefined) return 'Nothing is stored about this address.'
  const since = dateOf(left.since, settings.school)
  const code = 'a code made from the address, so that it gets no follow-up emails'
  return (await store.wasErasureAsked(left.since))
    ? `Erased on ${since}. We keep only ${code}.`
    : `Nothing is stored about this address, except ${code}: ${whySuppressed[left.reason]} on ${since}.`
}

/** What is stored about someone who has neither a lead nor an inquiry, in words; undefined if nothing is. */
async function tracesOf(store: ConsoleDeps['store'], person: string): Promise<string | undefined> {
  const rows = (await store.readPersonRows(person)).length
  const strays = (await store.readPersonStrays(person)).length
  const drafts = (await store.readPersonDrafts(person)).length
  const parts = [
    ...(rows > 0 ? [`${counted(rows, 'row')} of uploaded lists`] : []),
    ...(strays > 0 ? [`${counted(strays, 'email')} from this address, not yet forwarded`] : []),
    ...(drafts > 0 ? [`${counted(drafts, 'draft')} of a new lead`] : []),
  ]
  return parts.length === 0 ? undefined : new Intl.ListFormat('en-US').format(parts)
}

/** Erases rows of lists, waiting mail and drafts of someone who has neither a lead nor an inquiry. */
async function eraseTraces(c: ConsoleContext, deps: ConsoleDeps, typed: string) {
  const { store, settings } = deps
  if (settings.privacy.peopleToErase === 2) throw new ConsoleError(409, TWO)
  const person = readReach(typed, settings.school.country)
  if (person === undefined || (await store.readPersonSummary(person)) !== undefined) return find(c, deps, typed)
  const words = await tracesOf(store, person)
  if (words === undefined) return find(c, deps, typed)
  const entries = auditEntries(c, 'erased a person without a lead')
  const asked = { askedBy: c.get('operator').name, reason: 'not needed', audit: entries } as const
  return redirect(c, PATH, { text: erasedInWords(await erasePerson(deps, person, asked), words) })
}

const TWO = 'Your settings require two people to erase someone, and they can only do so for someone who has a lead.'

type Found = { typed?: string; problem?: string; traces?: Traces; people?: PersonSummary[] }
type Traces = { person: string; words: string }

/** The people who gave the same number, or had an address before someone corrected it. */
const peoplePanel = (people: readonly PersonSummary[], typed = ''): Html =>
  html`<section class="panel" aria-labelledby="people"><h2 id="people">${typed.includes('@') ? 'This address was corrected' : 'Several people gave this number'}</h2>
${typed.includes('@') ? html`<p>These leads have the address, or had it before someone corrected it. Ask the person: if both addresses are theirs, export or erase each.</p>` : ''}
<ul class="plain-list">${people.map(({ id, name, reach }) => html`<li><a href="/privacy/people/${id}">${name}, ${reach}</a></li>`)}</ul></section>`

const tracesPanel = ({ person, words }: Traces, two: boolean): Html =>
  html`<section class="panel" aria-labelledby="traces"><h2 id="traces">No lead, but something is stored</h2>
<p>Frontdesk has no lead and no inquiry of ${person}, but still holds ${words}. It deletes rows a day after the import, emails once they are forwarded, and drafts 30 days after the last change.</p>
${
  two
    ? ''
    : html`<form method="post" action="${PATH}/traces">${hidden({ person })}<p class="hint">This cannot be undone.</p><button class="danger">Erase them now</button></form>`
}</section>`

async function privacyPage(c: ConsoleContext, deps: ConsoleDeps, { typed, problem, traces, people }: Found = {}) {
  const two = deps.settings.privacy.peopleToErase === 2
  return page(
    c,
    { title: 'Privacy', current: PATH, width: 'wide', status: problem === undefined ? 200 : 422 },
    html`<section class="panel" aria-labelledby="find"><h2 id="find">Export or erase a person</h2>
<form method="post" action="${PATH}" class="stack">
${field({
  name: 'person',
  label: 'Their email address or phone number',
  autocomplete: 'off',
  value: typed,
  problem,
  hint: 'The next page shows what is stored about them. Nothing happens until you press a button there.',
})}
<button>Find</button></form></section>
${people === undefined ? '' : peoplePanel(people, typed)}${traces === undefined ? '' : tracesPanel(traces, two)}
${await requests(deps)}
${await retentionPanel(deps)}
${await register(c, deps)}`,
  )
}

/** The requests that wait for a second person. */
async function requests({ store, settings }: ConsoleDeps): Promise<Html | ''> {
  const waiting = await store.listErasureRequests()
  if (waiting.length === 0) return ''
  const moment = createDateFormat(settings.school)
  return html`<section class="panel" aria-labelledby="waiting"><h2 id="waiting">Waiting for a second person</h2>
<ul class="plain-list">${waiting.map(
    ({ id, askedBy, created_at, expires_at }) =>
      html`<li><span><a href="/privacy/requests/${id}">${askedBy} asks to erase a person</a><br><span class="quiet small">since ${moment(created_at)}, until ${moment(expires_at)}</span></span></li>`,
  )}</ul></section>`
}

async function register(c: ConsoleContext, { store, settings, clock }: ConsoleDeps): Promise<Html> {
  const before = numberOf(c.req.query('before'))
  const found = await store.listErasures({ before, limit: ROWS + 1 })
  const rows = found.slice(0, ROWS)
  const [short, full, now] = [createShortDateFormat(settings.school), createDateFormat(settings.school), clock.now()]
  return html`<section aria-labelledby="register"><div class="section-head"><h2 id="register">Register of erasures</h2>${
    rows.length === 0 ? '' : html`<a class="button secondary small" href="/privacy/register.csv" download>CSV</a>`
  }</div>
<p class="quiet">Who erased, why, and how much. Nothing here leads back to a person.</p>
${
  rows.length === 0
    ? html`<div class="empty"><h2>No one has been erased yet</h2><p>To erase a person who asks for it, enter their address or number above.</p></div>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Register of erasures"><table class="table stacked">
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Why</th><th scope="col">How much</th></tr></thead>
<tbody>${rows.map(
        row =>
          html`<tr><td class="number"><time title="${full(row.at)}">${capital(short(row.at, now))}</time></td><td>${row.asked_by}${row.confirmed_by === null ? '' : html`<br><span class="quiet small">confirmed by ${row.confirmed_by}</span>`}</td><td>${capital(reasonInWords[row.reason])}</td><td>${amount(row)}</td></tr>`,
      )}</tbody></table></div>`
}${found.length > ROWS ? html`<p class="more"><a href="/privacy?before=${rows.at(-1)?.id}">Older</a></p>` : ''}</section>`
}

const amount = ({ leads, submissions, messages }: ErasureCounts): string =>
  [counted(leads, 'lead'), counted(submissions, 'inquiry', 'inquiries'), counted(messages, 'email')].join(', ')

async function registerFile(c: ConsoleContext, { store, clock, calendar }: ConsoleDeps) {
  await audit(c, 'exported the register of erasures')
  const rows: Record<string, unknown>[] = []
  for (let before: number | undefined, more = true; more; ) {
    const next = await store.listErasures({ before, limit: 1000 })
    for (const { id: _, at, ...row } of next)
      rows.push({ at: exactMoment(at), ...row, reason: reasonInWords[row.reason] })
    before = next.at(-1)?.id
    more = next.length === 1000
  }
  return downloadTable(c, `erasures-${calendar.today(clock.now())}`, rows)
}

/** Everything about a person, as one file. */
async function exportFile(c: ConsoleContext, deps: ConsoleDeps) {
  const { store, settings, addressSecret, conversations, clock, calendar } = deps
  const person = await personOf(c, deps)
  const [lead] = person.leads
  await itsTurn(c)
  await audit(c, lead === undefined ? 'exported a person without a lead' : 'exported everything of', {
    ...(lead && { leadId: lead.id }),
  })
  // Loaded here, because only an export needs this module.
  const { exportPerson } = await import('../../privacy/person-as-zip.ts')
  const source = { store, settings, addressSecret, messageOf: conversations.messageOf }
  const now = clock.now()
  // The file's name does not contain the person's, since the file stays in a folder of downloads.
  const name = `person-${person.id}-${calendar.today(now)}`
  return download(c, { name, format: 'zip' }, exportPerson(source, person.reach, now))
}
