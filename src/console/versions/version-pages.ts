/** The versions of what managers edit: who put each one in force, when and why, and a way back to any of them. */
import { html } from 'hono/html'
import { checkEdited, type Edited, type EditedPart, parts } from '../../config/edited-parts.ts'
import { createDateFormat, createShortDateFormat } from '../../content/date-format.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import type { SettingsVersion } from '../../store/edited/edited-settings.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError, doesNotExist } from '../frame/error-pages.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page, sentences } from '../frame/layout.ts'
import { get, idIn, post } from '../frame/routes.ts'
import { type EditedPage, saveEdited, undoOf, valueIn, versionInForce } from './edited-page.ts'

const SHOWN = 20

export const versionRoutes = <P extends EditedPart>(edited: EditedPage<P>): ConsoleRoute[] => [
  get(`${edited.path}/versions`, edited.action, (c, deps) => versionsPage(c, deps, edited)),
  get(`${edited.path}/versions/:id{[0-9]{1,15}}`, edited.action, (c, deps) => versionPage(c, deps, edited)),
  post(`${edited.path}/back`, edited.action, (c, deps) => goBack(c, deps, edited)),
]

async function versionsPage<P extends EditedPart>(c: ConsoleContext, deps: ConsoleDeps, edited: EditedPage<P>) {
  const { name } = parts[edited.part]
  const list = await versionList(edited, deps, numberOf(c.req.query('before')))
  return page(
    c,
    { title: `Versions of ${name}`, current: edited.path },
    html`${backTo(edited)}<section class="panel">${list}</section>`,
  )
}

const backTo = ({ part, path }: Pick<EditedPage, 'part' | 'path'>): Html =>
  html`<p class="back"><a href="${path}">Back to ${parts[part].name}</a></p>`

/** The newest versions, each with what it changed; with `before`, only earlier ones. */
export async function versionList<P extends EditedPart>(
  { part, path, differences }: EditedPage<P>,
  deps: ConsoleDeps,
  before?: number,
): Promise<Html> {
  const { store, settings, clock } = deps
  const found = await store.listEditedSettings(part, { before, limit: SHOWN + 1 })
  const inForce = versionInForce(part, deps)
  const shortDate = createShortDateFormat(settings.school)
  const items = found.slice(0, SHOWN).map((version, i) => {
    const { id, value, note, createdAt, createdBy } = version
    const changes = differences(valueIn(part, found[i + 1], deps), valueIn(part, version, deps), deps)
    return html`<li><p><strong>${capital(shortDate(createdAt, clock.now()))}</strong>, ${createdBy}${id === inForce ? IN_FORCE : ''}</p>
${note === '' ? '' : html`<blockquote>${capital(note)}</blockquote>`}${value === null ? html`<p>Back to the settings file.</p>` : ''}${changes.length === 0 ? html`<p class="quiet">The same as before.</p>` : sentences(changes)}
${id === inForce ? '' : viewLink(path, id)}</li>`
  })
  const file = html`<li><p><strong>The settings file</strong>${inForce === 0 ? IN_FORCE : ''}</p>${
    inForce === 0
      ? html`<p>No one has edited ${parts[part].name} here yet. Once someone does, their version is in force instead of the settings file.</p>`
      : viewLink(path, 0)
  }</li>`
  const oldest = found.length > SHOWN ? found[SHOWN - 1] : undefined
  return html`<ol class="versions">${items}${file}</ol>${oldest === undefined ? '' : html`<p class="more"><a href="${path}/versions?before=${oldest.id}">Older versions</a></p>`}`
}

const IN_FORCE = html` <span class="tag strong">in force</span>`

const viewLink = (path: string, id: number): Html =>
  html`<p class="more"><a href="${path}/versions/${id}">View it, or go back to it</a></p>`

/** The version with that id; undefined for 0, the settings file. Throws a ConsoleError if it does not exist. */
export async function readVersion(
  part: EditedPart,
  id: number | undefined,
  { store }: ConsoleDeps,
): Promise<SettingsVersion | undefined> {
  if (id === 0) return undefined
  const [found] = id === undefined ? [] : await store.listEditedSettings(part, { before: id + 1, limit: 1 })
  if (found === undefined || found.id !== id) throw doesNotExist('version')
  return found
}

async function versionPage<P extends EditedPart>(c: ConsoleContext, deps: ConsoleDeps, edited: EditedPage<P>) {
  const { part, path, differences, show, editFrom } = edited
  const { settings } = deps
  const id = idIn(c)
  const version = await readVersion(part, id, deps)
  const value = valueIn(part, version, deps)
  const changes = differences(parts[part].of(settings), value, deps)
  const { problems } = checkEdited(part, value, settings)
  const name = capital(parts[part].name)
  const title =
    version === undefined
      ? `${name} of the settings file`
      : `${name} of ${createDateFormat(settings.school)(version.createdAt)}`
  return page(
    c,
    { title, current: path },
    html`${backTo(edited)}
${version === undefined ? '' : html`<p>${version.createdBy} put this version in force. ${capital(version.note)}</p>`}
<section class="panel"><h2>What would change if it were put in force again</h2>${changes.length === 0 ? html`<p class="quiet">Nothing: this is in force.</p>` : sentences(changes)}
${problems.length === 0 ? '' : html`<p class="problem">This version does not fit the other settings anymore:</p>${sentences(problems)}`}
<form method="post" action="${path}/back">${hidden({ version: id, replaces: versionInForce(part, deps) })}
<div class="actions">${changes.length === 0 || problems.length > 0 ? '' : html`<button>Put in force again</button>`}${editFrom?.(id) ?? ''}</div></form></section>
${show(value, deps)}`,
  )
}

async function goBack<P extends EditedPart>(c: ConsoleContext, deps: ConsoleDeps, edited: EditedPage<P>) {
  const { part, path, differences, forbid, follow } = edited
  const { settings } = deps
  const fields = await fieldsOf(c)
  const [id, replaces] = [numberOf(fields['version']), numberOf(fields['replaces'])]
  if (id === undefined || replaces === undefined) throw new ConsoleError(422, 'Choose a version to go back to.')
  const version = await readVersion(part, id, deps)
  const value: Edited[P] = valueIn(part, version, deps)
  await forbid?.(value, deps)
  const before = structuredClone(parts[part].of(settings))
  const changes = differences(before, value, deps)
  const moment = version && createDateFormat(settings.school)(version.createdAt)
  const saved = await saveEdited(c, deps, part, {
    replaces,
    value: version?.value ?? null,
    note: moment === undefined ? '' : `Back to the version of ${moment}.`,
    detail: changes.join(' '),
    did: `went back to an earlier version of ${parts[part].name}`,
  })
  if ('problems' in saved)
    throw new ConsoleError(422, `That version no longer fits the settings: ${saved.problems.join('. ')}.`)
  if ('before' in saved) {
    const by = saved.before?.createdBy ?? 'Someone'
    throw new ConsoleError(409, `${by} has changed ${parts[part].name} in the meantime. Look at it first.`)
  }
  await follow?.(c, deps, before)
  return redirect(c, path, {
    text: changes.length === 0 ? 'This is already in force.' : 'That version is in force again.',
    undo: undoOf(edited, replaces, saved.saved),
  })
}
