/** The versions of the cadences: who put each of them in force, when and why, and the way back to an earlier one. */
import { isDeepStrictEqual } from 'node:util'
import { html } from 'hono/html'
import { checkEdited, type Edited, inFile } from '../../config/edited-settings.ts'
import { createDateFormat, createShortDateFormat } from '../../content/date-format.ts'
import { differences } from '../../follow-up/cadence-words.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import type { SettingsVersion } from '../../store/settings/edited-settings.ts'
import { audit } from '../frame/audit.ts'
import type { ConsoleContext, ConsoleDeps } from '../frame/context.ts'
import { ConsoleError, doesNotExist } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { kindTitles, messageInWords, sentences, stepsInShort } from './step-timeline.ts'

export type Cadences = Edited['cadence']

const kinds: readonly Kind[] = ['student', 'site']
const SHOWN = 20

/** The cadences of a version; without one, those of the settings file. */
function cadencesOf(version: SettingsVersion | undefined, { config }: ConsoleDeps): Cadences {
  const { student, site } = (version?.value ?? inFile('cadence', config)) as Cadences
  return { student, site }
}

/** Returns a function that says how two versions differ, in sentences that begin with the kind. */
function changesIn(deps: ConsoleDeps): (before: Cadences, after: Cadences) => string[] {
  const words = kinds.map(kind => ({ kind, message: messageInWords(deps, kind) }))
  return (before, after) =>
    words.flatMap(({ kind, message }) =>
      differences(before[kind], after[kind], message).map(text => `${kindTitles[kind]}: ${text}`),
    )
}

/** The newest versions, each with what it changed. */
export async function versionList(deps: ConsoleDeps): Promise<Html> {
  const { store, settings, clock } = deps
  const found = await store.listEditedSettings('cadence', { limit: SHOWN + 1 })
  const now = clock.now()
  const changesBetween = changesIn(deps)
  const shortDate = createShortDateFormat(settings.school)
  const items = found.slice(0, SHOWN).map((version, i) => {
    const changes = changesBetween(cadencesOf(found[i + 1], deps), cadencesOf(version, deps))
    return html`<li><p><strong>${capital(shortDate(version.createdAt, now))}</strong>, ${version.createdBy}${i === 0 ? html` <span class="tag strong">in force</span>` : ''}</p>
${version.note === '' ? '' : html`<blockquote>${version.note}</blockquote>`}${version.value === null ? html`<p>Back to the settings file.</p>` : ''}${changes.length === 0 ? html`<p class="quiet">The same steps as before.</p>` : sentences(changes)}
${i === 0 ? '' : html`<p class="more"><a href="/cadence/versions/${version.id}">View it, or go back to it</a></p>`}</li>`
  })
  const file = html`<li><p><strong>The settings file</strong>${found.length === 0 ? html` <span class="tag strong">in force</span>` : ''}</p>${
    found.length === 0
      ? html`<p>No one has edited the cadence here yet. Once someone does, their version is in force instead of the settings file.</p>`
      : html`<p class="more"><a href="/cadence/versions/0">View it, or go back to it</a></p>`
  }</li>`
  return html`<ol class="cadence-versions">${items}${file}</ol>${found.length > SHOWN ? html`<p class="quiet">The ${SHOWN} newest versions are shown.</p>` : ''}`
}

/** The version with that id, 0 for the settings file. Throws a ConsoleError if it does not exist. */
async function readVersion(deps: ConsoleDeps, id: number | undefined) {
  if (id === undefined) throw doesNotExist('version')
  if (id === 0) return undefined
  const [found] = await deps.store.listEditedSettings('cadence', { before: id + 1, limit: 1 })
  if (found?.id !== id) throw doesNotExist('version')
  return found
}

export async function readCadences(deps: ConsoleDeps, id: number | undefined): Promise<Cadences> {
  return cadencesOf(await readVersion(deps, id), deps)
}

export async function versionPage(c: ConsoleContext, deps: ConsoleDeps) {
  const { settings, config } = deps
  const id = numberOf(c.req.param('id'))
  const version = await readVersion(deps, id)
  const value = cadencesOf(version, deps)
  const changes = changesIn(deps)(settings.followUp, value)
  const { problems } = checkEdited('cadence', value, settings)
  const title =
    version === undefined
      ? 'The cadence of the settings file'
      : `The cadence of ${createDateFormat(settings.school)(version.createdAt)}`
  return page(
    c,
    { title, current: '/cadence' },
    html`<p class="back"><a href="/cadence">Back to the cadence</a></p>
${version === undefined ? '' : html`<p>${version.createdBy} put this version in force. ${version.note}</p>`}
<section class="panel"><h2>What would change if it were put in force again</h2>${changes.length === 0 ? html`<p class="quiet">Nothing: these are the steps in force.</p>` : sentences(changes)}
${problems.length === 0 ? '' : html`<p class="problem">These steps do not fit the other settings anymore:</p>${sentences(problems)}`}
<form method="post" action="/cadence/back">${hidden({ version: id, replaces: config.edited.cadence?.id ?? 0 })}
<div class="actions">${changes.length === 0 || problems.length > 0 ? '' : html`<button>Put in force again</button>`}${kinds.map(
      kind =>
        html`<a class="button secondary" href="/cadence/edit?kind=${kind}&amp;version=${id}">Edit from here: ${kindTitles[kind].toLowerCase()}</a>`,
    )}</div></form></section>
${kinds.map(kind => html`<section class="panel"><h2>${kindTitles[kind]}</h2>${stepsInShort(value[kind], messageInWords(deps, kind))}</section>`)}`,
  )
}

export async function goBack(c: ConsoleContext, deps: ConsoleDeps) {
  const { store, settings, config, clock, settingsEdited } = deps
  const fields = await fieldsOf(c)
  const [id, replaces] = [numberOf(fields['version']), numberOf(fields['replaces'])]
  if (id === undefined || replaces === undefined) throw new ConsoleError(422, 'Choose a version to go back to.')
  const version = await readVersion(deps, id)
  const value = cadencesOf(version, deps)
  const { problems } = checkEdited('cadence', value, settings)
  if (problems.length > 0) throw new ConsoleError(422, `${problems.join('. ')}.`)
  const before = { student: settings.followUp.student, site: settings.followUp.site }
  const moment = version && createDateFormat(settings.school)(version.createdAt)
  const saved = await store.saveEditedSettings({
    part: 'cadence',
    value: version?.value ?? null,
    replaces,
    note: moment === undefined ? '' : `Back to the version of ${moment}.`,
    by: c.get('operator').name,
    now: clock.now(),
  })
  await settingsEdited()
  if (saved === 'before') {
    const by = config.edited.cadence?.by ?? 'Someone'
    throw new ConsoleError(409, `${by} has changed the cadence in the meantime. Look at it first.`)
  }
  const detail = kinds
    .map(kind => ({ kind, changes: differences(before[kind], value[kind], messageInWords(deps, kind)) }))
    .flatMap(({ kind, changes }) => (changes.length === 0 ? [] : `${kindTitles[kind]}: ${changes.join(' ')}`))
  await audit(c, 'went back to an earlier cadence', { detail: detail.join(' ').slice(0, 500) })
  const { student, site } = settings.followUp
  const same = isDeepStrictEqual(before, { student, site })
  return redirect(c, '/cadence', {
    text: same ? 'These steps are already in force.' : 'The earlier steps are in force again.',
    undo: undoOf(replaces, saved.id),
  })
}

/** The form that puts the version `before` in force again. */
export const undoOf = (before: number, replaces: number) => ({
  path: '/cadence/back',
  fields: { version: String(before), replaces: String(replaces) },
})
