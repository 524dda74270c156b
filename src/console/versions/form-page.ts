/** A page with one form for everything that is edited: it shows what is in force, saves it, and lists the versions. */
import { isDeepStrictEqual } from 'node:util'
import { html, raw } from 'hono/html'
import { checkEdited, type Edited, type EditedPart, parts } from '../../config/edited-parts.ts'
import type { SchoolFile } from '../../store/edited/school-files.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { errorSummary, type NamedField, problemInWords } from '../frame/error-summary.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, formOf, numberOf } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { FIELDS, toPreview } from '../school/live-preview.ts'
import { type EditedPage, saveEdited, undoOf, valueIn, versionInForce, whereFrom, whoWasFaster } from './edited-page.ts'
import { readVersion, versionList, versionRoutes } from './version-pages.ts'

type Fields = Record<string, string | undefined>

export type FormPage<P extends EditedPart> = {
  edited: EditedPage<P>
  title: string
  /** The page's name in the navigation. */
  menu: string
  /** The value that the form describes, in the form of the settings; nothing is checked yet. */
  read(fields: Fields, deps: ConsoleDeps): Edited[P]
  /** The field of a setting such as `programs[0].name`, for what is wrong with it. */
  fieldOf(setting: string, deps: ConsoleDeps): NamedField | undefined
  /** The form for a value. `problemAt` returns the problem with a setting, to show beside its field. */
  form(value: Edited[P], deps: ConsoleDeps, problemAt: (setting: string) => Html | ''): Html
  /** Problems that the checks of the settings do not find. Each sentence begins with its setting. */
  check?(value: Edited[P], deps: ConsoleDeps, files: Uploaded['files']): Promise<string[]>
  /** If the form has files: how large it may be, in bytes, and how its files are read. */
  files?: { largestBody: number; read(form: FormData): Promise<Uploaded> }
  /** The value after someone pressed a button that only changes the page; undefined if no such button was pressed. */
  pressed?(value: Edited[P], button: string, deps: ConsoleDeps): Edited[P] | undefined
  /** The panel of a live preview, beside the form. */
  preview?(deps: ConsoleDeps): Html
}

/**
 * The files of a form: `fields` that name them, what is wrong with them, and what to say about each if nothing is
 * saved, since the browser will not have it selected anymore.
 */
export type Uploaded = { fields: Fields; files: SchoolFile[]; problems: string[]; lost: string[] }

const NO_FILES: Uploaded = { fields: {}, files: [], problems: [], lost: [] }

export const formRoutes = <P extends EditedPart>(form: FormPage<P>): ConsoleRoute[] => [
  get(form.edited.path, form.edited.action, (c, deps) => open(c, deps, form), { menu: form.menu }),
  post(form.edited.path, form.edited.action, (c, deps) => save(c, deps, form), form.files),
  ...versionRoutes(form.edited),
]

async function open<P extends EditedPart>(c: ConsoleContext, deps: ConsoleDeps, form: FormPage<P>) {
  const { part } = form.edited
  const version = c.req.query('version')
  const value =
    version === undefined
      ? parts[part].of(deps.settings)
      : valueIn(part, await readVersion(part, numberOf(version), deps), deps)
  return show(c, deps, form, { value })
}

async function save<P extends EditedPart>(c: ConsoleContext, deps: ConsoleDeps, form: FormPage<P>) {
  const { edited } = form
  const fields = await fieldsOf(c)
  const uploaded = (await form.files?.read(await formOf(c))) ?? NO_FILES
  const { files, lost } = uploaded
  const typed = form.read(fields, deps)
  const value = form.read({ ...fields, ...uploaded.fields }, deps)
  const changed = form.pressed?.(value, fields['do'] ?? '', deps)
  const { note = '' } = fields
  if (changed !== undefined) return show(c, deps, form, { value: changed, note })
  const checked = checkEdited(edited.part, value, deps.settings)
  const problems = [...checked.problems, ...uploaded.problems, ...((await form.check?.(value, deps, files)) ?? [])]
  if (problems.length > 0) return show(c, deps, form, { value: typed, problems: [...problems, ...lost], note })
  const inForce = () => parts[edited.part].of(deps.settings)
  const unchanged = () => redirect(c, edited.path, { text: 'This is already in force.' })
  if (isDeepStrictEqual(inForce(), checked.value)) return unchanged()
  const replaces = numberOf(fields['replaces']) ?? -1
  const before = structuredClone(inForce())
  const detail = edited.differences(before, checked.value, deps).join(' ')
  const saved = await saveEdited(c, deps, edited.part, { replaces, value, note: note.trim(), detail, files })
  if ('saved' in saved) {
    await edited.follow?.(c, deps, before)
    return redirect(c, edited.path, { text: 'The change is in force.', undo: undoOf(edited, replaces, saved.saved) })
  }
  // If someone pressed the button twice, the same value is in force already.
  return isDeepStrictEqual(inForce(), checked.value)
    ? unchanged()
    : show(c, deps, form, { value: typed, problems: lost, overtaken: true, note })
}

type Shown<P extends EditedPart> = {
  value: Edited[P]
  problems?: string[]
  overtaken?: boolean
  note?: string | undefined
}

async function show<P extends EditedPart>(
  c: ConsoleContext,
  deps: ConsoleDeps,
  { edited, title, form, fieldOf, files, preview }: FormPage<P>,
  { value, problems = [], overtaken = false, note = '' }: Shown<P>,
) {
  const { part, path } = edited
  const status = overtaken ? 409 : problems.length > 0 ? 422 : 200
  const said = (problem: string) => problemInWords(problem, setting => fieldOf(setting, deps))
  const problemAt = (setting: string): Html | '' => {
    const found = problems.find(problem => isAbout(problem, setting))
    if (found === undefined) return ''
    const { words, at } = said(found)
    return html`<p class="problem"${at === undefined ? '' : html` id="${at}-problem"`}>${words}</p>`
  }
  return page(
    c,
    { title, current: path, width: preview ? 'wide' : 'narrow', status },
    html`${overtaken ? html`<div class="banner" role="alert"><p><strong>${whoWasFaster(part, deps)}</strong> What you typed is still here. If you save it now, it replaces their version.</p></div>` : ''}
${errorSummary(problems.map(said))}
<p class="quiet">${whereFrom(part, deps)}${preview ? html` ${toPreview}` : ''}</p>
<form id="${FIELDS}" method="post" action="${path}"${files ? raw(' enctype="multipart/form-data"') : ''}${preview ? raw(' class="email-editor form-editor sample" data-live-preview') : ''}><button class="hidden" tabindex="-1" aria-hidden="true">Save</button>
${hidden({ replaces: versionInForce(part, deps) })}
<div>${form(value, deps, problemAt)}
<section class="panel"><label for="note">Why (optional, for the list of versions)</label><input id="note" name="note" value="${note}" maxlength="200" autocomplete="off">
<div class="actions"><button>Save</button></div></section></div>${preview?.(deps) ?? ''}</form>
<section class="panel"><h2>Versions</h2>${await versionList(edited, deps)}</section>`,
  )
}

const isAbout = (problem: string, setting: string): boolean =>
  problem.startsWith(setting) && /^[ .:[]/.test(problem.slice(setting.length))
