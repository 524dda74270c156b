/** The result of a hand-over of all of someone's leads, and undoing it as a whole. */
import { html } from 'hono/html'
import { createShortDateFormat } from '../../content/date-format.ts'
import { undoHandOver } from '../../lead-actions/hand-over.ts'
import { capital, inDigits } from '../../leads/body/tidy-text.ts'
import { actorName, memberName, ownerName } from '../../leads/lead/staff.ts'
import { HAND_OVER_UNDO_TIME } from '../../leads/lead/undo-window.ts'
import type { HandedOver, LeadsHandOver } from '../../store/team/hand-overs.ts'
import { byOperator } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { versionInForce } from '../versions/edited-page.ts'
import { saveTeam, teamWith, wasFaster, withFormerCounselor } from './edits.ts'

const PATH = '/team/hand-overs'
const ONE = `${PATH}/:id{[0-9]{1,15}}`

/** How many of the latest hand-overs the team page lists; after how many seconds it reloads while one is under way. */
const LISTED = 5
const AGAIN = 2

export const handOverResultRoutes: ConsoleRoute[] = [
  get(ONE, 'edit team', async (c, deps) => handOverPage(c, deps, await found(c, deps))),
  post(`${ONE}/undo`, 'edit team', async (c, deps) => undo(c, deps, await found(c, deps))),
]

const found = async (c: ConsoleContext, { store }: ConsoleDeps): Promise<LeadsHandOver> =>
  existing('hand-over', await store.readHandOver(idIn(c)))

async function handOverPage(c: ConsoleContext, deps: ConsoleDeps, handOver: LeadsHandOver) {
  const { store, clock, settings } = deps
  const { id, at, fromName, actor, state, undoneBy } = handOver
  const counts = await store.countHandedOver(id)
  const underWay = state === 'running' || state === 'undoing'
  const moment = createShortDateFormat(settings.school)(at, clock.now())
  const by = (who: string) => actorName(who, settings.admissions)
  return page(
    c,
    { title: `Leads of ${fromName}`, current: '/team', ...(underWay && { refresh: AGAIN }) },
    html`<p class="back"><a href="/team">Back to the team</a></p>
<section class="panel"><p>${capital(moment)}, ${by(actor)} handed over all leads of ${fromName}.${undoneBy === null ? '' : ` ${by(undoneBy)} undid it.`} <strong>${stateInWords(state)}</strong></p>
${resultOf(counts, deps)}
${recipientsOf(handOver, deps)}
${mayUndo(handOver, clock.now()) ? await undoForm(handOver, deps) : ''}
</section>`,
  )
}

const stateInWords = (state: LeadsHandOver['state']): string =>
  ({
    running: 'In progress. This page updates itself; you may leave it.',
    done: 'Done.',
    undoing: 'The leads are being given back. This page updates itself; you may leave it.',
    undone: 'The leads are back, except those that someone has assigned since.',
  })[state]

function resultOf(counts: readonly HandedOver[], { settings }: ConsoleDeps): Html {
  const people = Map.groupBy(counts, ({ owner }) => owner)
  if (people.size === 0) return html`<p>No lead has moved yet.</p>`
  const sum = (rows: readonly HandedOver[], of: 'leads' | 'restored') => rows.reduce((total, row) => total + row[of], 0)
  return html`<dl class="facts">${Array.from(people, ([owner, rows]) => {
    const back = sum(rows, 'restored')
    return html`<dt>${capital(ownerName(owner, settings.admissions))}</dt><dd>${inDigits(sum(rows, 'leads'))}${back === 0 ? '' : `, ${inDigits(back)} given back`}</dd>`
  })}</dl>`
}

/** Says who was notified. The person who handed the leads over is never notified. */
function recipientsOf({ state, recipients }: LeadsHandOver, { settings }: ConsoleDeps): Html | '' {
  const now = recipients.filter(({ undone }) => undone === (state === 'undone'))
  if (state === 'running' || state === 'undoing') return ''
  const names = now.map(({ owner, role }) => {
    const name = ownerName(owner, settings.admissions)
    return role === 'stand-in' ? `the stand-in of ${name}` : name
  })
  const unique = [...new Set(names)]
  if (unique.length === 0) return ''
  return html`<p>Notified: ${new Intl.ListFormat('en').format(unique)}.</p>`
}

/** Leads cannot go back to someone who has left the team, so the same button puts that person back on it. */
async function undoForm({ id, from, fromName }: LeadsHandOver, deps: ConsoleDeps): Promise<Html> {
  const button = (words: string, version: Html | '') =>
    html`<form method="post" action="${PATH}/${id}/undo">${version}<button class="secondary">${words}</button></form>`
  if (memberName(from, deps.settings.admissions) !== undefined) return button('Undo all of it', '')
  if ((await withFormerCounselor(deps, from)) === undefined)
    return html`<p>It cannot be undone, since ${fromName} is not on the team.</p>`
  const version = hidden({ version: versionInForce('team', deps) })
  return html`${button(`Undo all of it, and put ${fromName} back on the team`, version)}
<p class="hint">Other changes of the team stay. An absence that was canceled and a sign-in that was ended are not restored.</p>`
}

const mayUndo = ({ state, at }: LeadsHandOver, now: number): boolean =>
  (state === 'done' || state === 'running') && now - at <= HAND_OVER_UNDO_TIME

async function undo(c: ConsoleContext, deps: ConsoleDeps, handOver: LeadsHandOver) {
  if (!mayUndo(handOver, deps.clock.now())) throw cannotUndo()
  await putBackOnTeam(c, deps, handOver)
  const { outcome } = await undoHandOver(deps, handOver, byOperator(c))
  if (outcome === 'before') throw cannotUndo()
  return redirect(c, `${PATH}/${handOver.id}`)
}

const cannotUndo = () => new ConsoleError(409, 'This cannot be undone: someone already did, or it is older than a day.')

/** Puts the former owner back on the team, if they have left it. */
async function putBackOnTeam(c: ConsoleContext, deps: ConsoleDeps, { from, fromName }: LeadsHandOver): Promise<void> {
  if (memberName(from, deps.settings.admissions) !== undefined) return
  const counselors = await withFormerCounselor(deps, from)
  if (counselors === undefined)
    throw new ConsoleError(409, `${fromName} is not on the team, so the leads cannot go back to them.`)
  const saved = await saveTeam(c, deps, {
    replaces: numberOf((await fieldsOf(c))['version']) ?? -1,
    team: teamWith(deps, { counselors }),
    note: `put ${fromName} back`,
  })
  if ('before' in saved)
    throw new ConsoleError(409, `Nothing was changed: ${wasFaster(saved.before)} Open the page again.`)
  if ('problems' in saved)
    throw new ConsoleError(422, `${fromName} cannot be put back on the team: ${saved.problems[0]}.`)
}

export async function latestHandOvers({ store, clock, settings }: ConsoleDeps): Promise<Html | ''> {
  const latest = await store.listHandOvers({ limit: LISTED })
  if (latest.length === 0) return ''
  const format = createShortDateFormat(settings.school)
  return html`<section class="panel"><h2>Hand-overs</h2><ul class="plain-list">${latest.map(
    ({ id, at, fromName, state }) =>
      html`<li><a href="${PATH}/${id}">All leads of ${fromName}</a><span class="quiet small">${format(at, clock.now())}${state === 'done' ? '' : `, ${state === 'undone' ? 'undone' : 'under way'}`}</span></li>`,
  )}</ul></section>`
}
