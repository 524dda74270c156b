/** A request to erase a person: one operator asks, and another confirms or refuses. */
import { html } from 'hono/html'
import { createDateFormat } from '../../content/date-format.ts'
import { confirmErasure } from '../../lead-actions/erase-person.ts'
import { confirmObstacle, reasonInWords } from '../../leads/lead/erasure-reasons.ts'
import type { ErasureRequest } from '../../store/privacy/erasure-requests.ts'
import type { PersonSummary } from '../../store/privacy/person-summary.ts'
import { auditEntries } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { effectOf, erasedInWords } from './erasure-in-words.ts'
import { storedFacts } from './privacy-person-page.ts'

const PATH = '/privacy/requests/:id{[0-9]{1,15}}'

export const requestRoutes: ConsoleRoute[] = [
  get(PATH, 'erase people', async (c, deps) => requestPage(c, deps, await requestOf(c, deps))),
  post(PATH, 'erase people', async (c, deps) => decide(c, deps, await requestOf(c, deps))),
]

const requestOf = async (c: ConsoleContext, { store }: ConsoleDeps): Promise<ErasureRequest> =>
  existing('request', await store.readErasureRequest(idIn(c)))

async function decide(c: ConsoleContext, deps: ConsoleDeps, request: ErasureRequest) {
  const { store, clock } = deps
  const { id, name } = c.get('operator')
  const by = { operator: { id, name }, now: clock.now() }
  const path = `/privacy/requests/${request.id}`
  const detail = `request ${request.id}`
  const { do: choice, seen } = await fieldsOf(c)
  if (choice === 'confirm' && request.person !== null && request.expires_at > by.now) {
    const obstacle = await obstacleOf(c, deps, request)
    if (obstacle !== undefined) throw new ConsoleError(409, obstacle)
    const person = await store.readPersonSummary(request.person)
    // Merging leads or correcting an address can change what a request would erase.
    if (person === undefined || seen !== extentOf(person)) return redirect(c, path, { text: CHANGED })
    const confirmation = {
      ...by,
      person: request.person,
      audit: auditEntries(c, 'confirmed to erase a person', { detail }),
    }
    const erased = await confirmErasure(deps, request, confirmation)
    if (erased !== undefined) return redirect(c, '/privacy', { text: erasedInWords(erased) })
  }
  if (choice === 'decline') {
    const outcome = request.asked_by === id ? 'withdrawn' : 'refused'
    const audit = auditEntries(c, `${outcome} a request to erase a person`, { detail })
    if (await store.declineErasure(request.id, { ...by, audit })) {
      deps.changed()
      return redirect(c, '/privacy', { text: `The request is ${outcome}. Nothing was erased.` })
    }
  }
  return redirect(c, path, { text: 'The request is no longer open.' })
}

/** Why the person who is signed in cannot confirm a request; undefined if they can. */
async function obstacleOf(c: ConsoleContext, { store }: ConsoleDeps, request: ErasureRequest) {
  const asker = await store.readOperator(request.asked_by)
  const obstacle = asker && confirmObstacle(c.get('operator'), asker, request.created_at)
  return obstacle && obstacles[obstacle]
}

const obstacles = {
  own: 'You made this request, so another manager or admin must confirm it. They got an email.',
  later: 'You became an operator after this request was made, so you cannot confirm it. You can refuse it.',
  invited: 'One of you two invited the other to the console, so you cannot confirm this request. You can refuse it.',
}

const CHANGED =
  'Nothing is erased yet: what is stored about this person has changed since you opened this page. Look at it again.'

/** What an erasure would delete, as a text that changes if that does. */
const extentOf = ({ leads, submissions }: PersonSummary): string =>
  `${leads.map(({ id }) => id).join('.')}-${submissions}`

async function requestPage(c: ConsoleContext, deps: ConsoleDeps, request: ErasureRequest) {
  const { store, settings, clock } = deps
  const moment = createDateFormat(settings.school)
  const title = 'A request to erase a person'
  const waits = request.outcome === null && request.expires_at > clock.now()
  const body =
    waits && request.person !== null
      ? await waitingPanel(c, deps, { ...request, person: request.person })
      : html`<section class="panel"><p>${endInWords(request, moment)}</p></section>`
  return page(
    c,
    { title, current: '/privacy' },
    html`<p class="back"><a href="/privacy">Privacy</a></p>
<p>${request.askedBy} asked on ${moment(request.created_at)}: ${reasonInWords[request.reason]}.${waits ? ` If no one decides, the request ends on ${moment(request.expires_at)}, and nothing is erased.` : ''}</p>
${body}${
  waits && (await store.listConfirmers(request)).length === 0
    ? html`<div class="banner"><p><strong>No one can confirm this.</strong> It takes a manager or admin who was an operator before the request, and neither of the two may have invited the other. Have a colleague ask in your place, or ask the person who runs Frontdesk to run <code>npx frontdesk leads erase</code>.</p></div>`
    : ''
}`,
  )
}

const endInWords = (
  { outcome, decided_at, decided_by, expires_at }: ErasureRequest,
  moment: (at: number) => string,
): string => {
  const when = moment(decided_at ?? expires_at)
  if (outcome === 'erased') return `The person was erased on ${when} (${decided_by}).`
  if (outcome === 'refused') return `${decided_by} refused on ${when}. Nothing was erased.`
  if (outcome === 'withdrawn') return `${decided_by} withdrew it on ${when}. Nothing was erased.`
  return `No one confirmed or refused by ${moment(expires_at)}. Nothing was erased.`
}

async function waitingPanel(
  c: ConsoleContext,
  deps: ConsoleDeps,
  request: ErasureRequest & { person: string },
): Promise<Html> {
  const person = await deps.store.readPersonSummary(request.person)
  const obstacle = await obstacleOf(c, deps, request)
  const own = request.asked_by === c.get('operator').id
  const button = (choice: string, look: string, words: string) =>
    html`<button class="${look}" name="do" value="${choice}">${words}</button>`
  const buttons = own
    ? button('decline', 'secondary', 'Withdraw the request')
    : html`${person === undefined || obstacle !== undefined ? '' : html`${hidden({ seen: extentOf(person) })}${button('confirm', 'danger', 'Confirm: erase this person')}`}${button('decline', 'secondary', 'Refuse')}`
  return html`${person === undefined ? html`<p>Nothing is stored under this address or number anymore. If someone has corrected it, refuse this request, and ask for the person again.</p>` : storedFacts(person)}
<section class="panel" aria-labelledby="effect"><h2 id="effect">${own ? 'Waiting for another person' : 'Confirm or refuse'}</h2>
${person === undefined ? '' : effectOf(person, request.reason)}
${obstacle !== undefined ? html`<p>${obstacle}</p>` : html`<p class="hint">Erasing cannot be undone. If you refuse, nothing is erased, and ${request.askedBy} gets an email.</p>`}
<form method="post" action="/privacy/requests/${request.id}" class="actions">${buttons}</form></section>`
}
