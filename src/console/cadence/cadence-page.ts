/** The cadence: the steps that follow up a lead. Managers edit it here, or go back to any of its versions. */
import { isDeepStrictEqual } from 'node:util'
import { html, raw } from 'hono/html'
import { modeOf } from '../../content/in-mode.ts'
import type { Cadence } from '../../follow-up/cadence.ts'
import { differences, type MessageWords } from '../../follow-up/cadence-words.ts'
import { type Kind, kinds } from '../../leads/body/submission.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import type { FollowedCadence } from '../../store/follow-up/cadence-versions.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { emailDocument, noEmailDocument } from '../frame/email-document.ts'
import { redirect } from '../frame/flash.ts'
import { formOf, kindOf, numberOf } from '../frame/form-fields.ts'
import { type Html, page, sentences } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { saveEdited, undoOf, valueIn, versionInForce, whereFrom, whoWasFaster } from '../versions/edited-page.ts'
import { readVersion, versionList, versionRoutes } from '../versions/version-pages.ts'
import { editedCadence } from './cadence-versions.ts'
import { type Draft, newSteps, queryOf, readDraft, rowsOf, USUAL_PEOPLE, withAdded } from './draft.ts'
import { checkDraft, editorPage } from './editor.ts'
import { considerations, messageInWords, stepsInShort, timelineOf } from './step-timeline.ts'

const PATH = '/cadence'
const action = 'edit cadence'

export const cadenceRoutes: ConsoleRoute[] = [
  get(PATH, action, cadencePage, { menu: 'Cadence' }),
  post(PATH, action, async (c, deps) => save(c, deps, await formOf(c))),
  get(`${PATH}/edit`, action, edit),
  get(`${PATH}/message`, action, messageDocument),
  ...versionRoutes(editedCadence),
]

async function cadencePage(c: ConsoleContext, deps: ConsoleDeps) {
  const { settings, config, stepMessages, store } = deps
  const kind = kindOf(c.req.query('kind'))
  const cadence = settings.followUp[kind]
  const edition = config.edited.cadence
  const tabs = kinds.map(
    one => html`<a href="${PATH}?kind=${one}"${one === kind ? raw(' aria-current="page"') : ''}>${kindTitles[one]}</a>`,
  )
  const warnings = considerations(kind, cadence, settings)
  return page(
    c,
    {
      title: 'Cadence',
      current: PATH,
      width: 'wide',
      beside: html`<a class="button" href="${PATH}/edit?kind=${kind}">Edit the steps</a>`,
    },
    html`<nav class="tabs" aria-label="Kind">${tabs}</nav>
<p>What Frontdesk does automatically from the inquiry until someone reaches the person. ${whereFrom('cadence', deps)}</p>
<div class="cadence-columns"><div>
${timelineOf(kind, cadence, { settings, messages: stepMessages.list(kind) })}
${notesOn('Please consider', warnings)}${notesOn('This does not fit the other settings', edition?.problems ?? [])}
</div><div>
<section class="panel"><h2>Leads in progress</h2>${followers(kind, cadence, await store.listFollowedCadences(), messageInWords(deps, kind))}</section>
<section class="panel"><h2>Versions</h2>${await versionList(editedCadence, deps)}</section>
</div></div>`,
  )
}

const notesOn = (title: string, notes: readonly string[]): Html | '' =>
  notes.length === 0 ? '' : html`<section class="panel warnings"><h2>${title}</h2>${sentences(notes)}</section>`

/** How many leads follow the steps in force, and how many still follow earlier ones. */
function followers(kind: Kind, inForce: Cadence, found: readonly FollowedCadence[], words: MessageWords): Html {
  const ofKind = found.filter(one => one.kind === kind)
  const isInForce = ({ cadence }: FollowedCadence) => isDeepStrictEqual(cadence, inForce)
  const now = ofKind.find(isInForce)
  const earlier = ofKind.filter(one => !isInForce(one))
  const leadsFollow = ({ leads, all }: FollowedCadence) =>
    `${all ? '' : 'at least '}${leads} ${leads === 1 ? 'lead follows' : 'leads follow'}`
  return html`<p>${now === undefined ? 'No lead follows these steps at the moment.' : `${leadsFollow(now)} these steps.`} A lead keeps the steps that it began with.</p>
${earlier.map(
  one =>
    html`<details><summary>${leadsFollow(one)} earlier steps</summary>${stepsInShort(one.cadence, words)}<h3>How they differ from the steps in force</h3>${sentences(differences(inForce, one.cadence, words))}</details>`,
)}`
}

/** The editor with the draft in the URL, an earlier version, or the steps in force. */
async function edit(c: ConsoleContext, deps: ConsoleDeps) {
  const { settings } = deps
  const draft = readDraft(name => c.req.queries(name) ?? [])
  const replaces = versionInForce('cadence', deps)
  if (draft === undefined) {
    const kind = kindOf(c.req.query('kind'))
    const version = c.req.query('version')
    const cadences =
      version === undefined
        ? settings.followUp
        : valueIn('cadence', await readVersion('cadence', numberOf(version), deps), deps)
    const rows = rowsOf(cadences[kind])
    return editorPage(c, deps, { kind, replaces, people: USUAL_PEOPLE, note: '', rows })
  }
  const changed = changedBy(c.req.query('add'), numberOf(c.req.query('remove')), draft)
  if (changed !== undefined) return c.redirect(`${PATH}/edit?${queryOf(changed)}`, 303)
  return editorPage(c, deps, draft, draft.replaces === replaces ? {} : { notice: overtaken(deps) })
}

/** The draft after someone pressed a button that adds or removes a step; undefined if no such button was pressed. */
function changedBy(add: string | undefined, remove: number | undefined, draft: Draft): Draft | undefined {
  const added = newSteps.find(one => one === add)
  if (added !== undefined) return { ...draft, rows: withAdded(draft, added) }
  if (remove === undefined) return undefined
  return { ...draft, rows: draft.rows.filter((_, i) => i + 1 !== remove) }
}

const overtaken = (deps: ConsoleDeps): Html =>
  html`<div class="banner" role="alert"><p><strong>${whoWasFaster('cadence', deps)}</strong> Your draft is still here. “What changes” compares your draft with the steps that are in force now. If you put your draft in force, it replaces these steps.</p></div>`

async function save(c: ConsoleContext, deps: ConsoleDeps, form: FormData) {
  const { settings } = deps
  const draft = readDraft(name => form.getAll(name).map(String))
  if (draft === undefined) return c.redirect(PATH, 303)
  const { kind, note, replaces } = draft
  const { value, cadence, problems } = checkDraft(draft, deps)
  if (problems.length > 0) return editorPage(c, deps, draft, { status: 422 })
  const changes = differences(settings.followUp[kind], cadence, messageInWords(deps, kind))
  const alreadyThere = () => redirect(c, `${PATH}?kind=${kind}`, { text: 'These steps are already in force.' })
  if (changes.length === 0) return alreadyThere()
  const detail = `${kindTitles[kind]}: ${changes.join(' ')}`
  const saved = await saveEdited(c, deps, 'cadence', { value, note, replaces, detail })
  if (!('saved' in saved)) {
    // If the button was pressed twice, the first press has saved it.
    if (differences(settings.followUp[kind], cadence).length === 0) return alreadyThere()
    return editorPage(c, deps, draft, { status: 409, notice: overtaken(deps) })
  }
  return redirect(c, `${PATH}?kind=${kind}`, {
    text: 'The new steps are in force. Leads that have begun keep theirs.',
    undo: undoOf(editedCadence, replaces, saved.saved),
  })
}

/** The message of a step, as it would be for an invented person. */
function messageDocument(c: ConsoleContext, { stepMessages, settings }: ConsoleDeps) {
  const [file = '', asked] = [c.req.query('file'), c.req.query('language')]
  const language = settings.languages.find(one => one === asked) ?? 'en'
  const kind = kindOf(c.req.query('kind'))
  const known = /^(letters|notifications)\/[\w.-]+\.md$/.test(file)
  if (!known) return noEmailDocument(c, 'This message does not exist.')
  const found = stepMessages.sample(file, { kind, language })
  const mode = modeOf(c.req.query('theme'))
  return 'problem' in found
    ? noEmailDocument(c, `This message cannot be sent: ${found.problem}`, { mode })
    : emailDocument(c, found, { mode })
}
