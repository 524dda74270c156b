/** The versions of the team: who changed what and when, and the way back to any of them. */
import { html } from 'hono/html'
import type { Edited } from '../../config/edited-settings.ts'
import { createShortDateFormat } from '../../content/date-format.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import type { SettingsVersion } from '../../store/settings/edited-settings.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, doesNotExist } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { saveTeam, versionInForce, wasFaster } from './edits.ts'
import { countOpen } from './workload.ts'

const PATH = '/team/versions'
const ACTION = 'edit team'

const SHOWN = 50

export const teamVersionRoutes: ConsoleRoute[] = [get(PATH, ACTION, versionsPage), post(PATH, ACTION, goBack)]

async function versionsPage(c: ConsoleContext, deps: ConsoleDeps) {
  const { store, clock, settings, config } = deps
  const before = numberOf(c.req.query('before'))
  const versions = await store.listEditedSettings('team', { before, limit: SHOWN })
  const inForce = versionInForce(deps)
  const format = createShortDateFormat(settings.school)
  const moment = (at: number) => format(at, clock.now())
  const last = versions.at(-1)
  return page(
    c,
    { title: 'Versions of the team', current: '/team', width: 'wide' },
    html`<p class="back"><a href="/team">Back to the team</a></p>
<table class="table stacked">
<thead><tr><th scope="col">Change</th><th scope="col">The team then</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
<tbody>${versions.map(one => row(one, { moment, inForce, deps }))}
<tr><td>What the settings file says</td><td>${teamInWords(config.fromFile.admissions)}</td><td>${config.edited.team === undefined || config.edited.team.fromFile ? inForceTag : backButton('file', inForce, 'Go back to the settings file')}</td></tr>
</tbody></table>
${versions.length === SHOWN && last ? html`<p class="more"><a href="${PATH}?before=${last.id}">Older versions</a></p>` : ''}`,
  )
}

type Context = { moment: (at: number) => string; inForce: number; deps: ConsoleDeps }

function row({ id, value, createdAt, createdBy, note }: SettingsVersion, { moment, inForce, deps }: Context) {
  const team = (value as Edited['team'] | null) ?? deps.config.fromFile.admissions
  return html`<tr><td>${capital(note)}<br><span class="quiet small">${capital(moment(createdAt))}, ${createdBy}</span></td><td>${teamInWords(team)}</td><td>${id === inForce ? inForceTag : backButton(String(id), inForce, 'Go back to this')}</td></tr>`
}

const inForceTag = html`<span class="tag strong">In force</span>`

const backButton = (to: string, inForce: number, words: string): Html =>
  html`<form method="post" action="${PATH}">${hidden({ version: inForce })}<button class="secondary small" name="to" value="${to}">${words}</button></form>`

const teamInWords = ({ counselors = [], manager }: Edited['team']): string =>
  [
    counselors.map(({ name }) => name).join(', ') || 'no counselors',
    ...(manager ? [`manager ${manager.name}`] : []),
  ].join('; ')

async function goBack(c: ConsoleContext, deps: ConsoleDeps) {
  const { config, settings } = deps
  const { to = '', version } = await fieldsOf(c)
  const wanted = await wantedVersion(to, deps)
  const team = wanted?.value === undefined ? null : (wanted.value as Edited['team'] | null)
  const kept = new Set((team ?? config.fromFile.admissions).counselors.map(({ id }) => id))
  for (const { id, name } of settings.admissions.counselors) {
    if (!kept.has(id) && (await countOpen(deps, id)) > 0)
      throw new ConsoleError(
        409,
        `${name} has open leads and is not on the team in that version. Hand the leads over first.`,
      )
  }
  const note =
    wanted === undefined
      ? 'went back to the settings file'
      : `went back to the version in which ${wanted.createdBy} ${wanted.note}`
  const saved = await saveTeam(c, deps, { replaces: numberOf(version) ?? -1, team, note })
  if ('problems' in saved)
    throw new ConsoleError(422, `That version no longer fits the settings: ${saved.problems[0]}.`)
  const text = 'saved' in saved ? 'That version is in force.' : `Not changed: ${wasFaster(saved.before)}`
  return redirect(c, PATH, { text })
}

/** Undefined for the settings file. Throws a ConsoleError if the version does not exist. */
async function wantedVersion(to: string, { store }: ConsoleDeps) {
  if (to === 'file') return undefined
  const id = numberOf(to)
  const [found] = id === undefined ? [] : await store.listEditedSettings('team', { before: id + 1, limit: 1 })
  if (found === undefined || found.id !== id) throw doesNotExist('version')
  return found
}
