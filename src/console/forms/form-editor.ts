/** The editor of a form: its words, its questions and where it leads, with a preview beside it. */
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { html, raw } from 'hono/html'
import type { Settings } from '../../config/all-settings.ts'
import { checkEdited } from '../../config/edited-parts.ts'
import { notesOnForm } from '../../config/form-notes.ts'
import { LONGEST_BUTTON, type OptionalQuestion, type SchoolForm } from '../../config/school-form.ts'
import { FIRST_FORM, formsOf } from '../../config/school-forms.ts'
import { titleOfForm } from '../../content/form-titles.ts'
import { formUrl } from '../../http/urls.ts'
import { rankedFields } from '../../leads/body/body-schemas.ts'
import { inLanguage, languageName } from '../../leads/body/languages.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { programNames } from '../../leads/lead/programs.ts'
import { kindTitles } from '../../leads/words/kind-titles.ts'
import { freeName, slug } from '../../platform/free-name.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { errorSummary, type NamedField, problemInWords } from '../frame/error-summary.ts'
import { redirect } from '../frame/flash.ts'
import { foldedSection, TOP } from '../frame/folded-section.ts'
import { checkbox, fieldsOf, kindOf, option } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { get, post } from '../frame/routes.ts'
import { rowButton } from '../frame/row-button.ts'
import { FIELDS, previewPanel, SENT, SENT_OR_NOT, sendPreview, toPreview } from '../school/live-preview.ts'
import { localizedFields } from '../school/localized-fields.ts'
import { saveEdited, undoOf, versionInForce, whoWasFaster } from '../versions/edited-page.ts'
import { saidWhereEmpty } from './empty-fields.ts'
import { fieldNames } from './field-names.ts'
import { formIn, isMove, rowsOf } from './form-draft.ts'
import { editedForms, FORMS_PATH, formNamed } from './forms-page.ts'
import { labelFields } from './label-fields.ts'
import { lookFields } from './look-fields.ts'
import { ownFields } from './own-fields.ts'
import { prefillFields } from './prefill-fields.ts'

const action = 'edit school'
const NEW = `${FORMS_PATH}/new`

const EDIT = `${FORMS_PATH}/edit/:name{[a-z0-9-]{1,60}}`

export const formEditorRoutes: ConsoleRoute[] = [
  get(NEW, action, openNew),
  post(NEW, action, (c, deps) => save(c, deps, undefined)),
  get(EDIT, action, (c, deps) => editorPage(c, deps, editing(formNamed(c.req.param('name'), deps)))),
  post(EDIT, action, (c, deps) => save(c, deps, formNamed(c.req.param('name'), deps))),
  post(`${FORMS_PATH}/preview`, action, preview),
]

/**
 * What someone edits. `was`: the form in force; undefined if the form is new. `from`: the form that a new one copies,
 * so that what was typed into one copy does not come back in a copy of another form. `seen`: a value that changes when
 * the form in force does. `note`: why someone changes it.
 */
type Draft = {
  form: SchoolForm
  was: SchoolForm | undefined
  from?: string | undefined
  seen: string
  note?: string | undefined
}

const editing = (form: SchoolForm): Draft => ({ form, was: form, seen: seenOf(form) })

const seenOf = (form: SchoolForm | undefined): string =>
  hash('sha256', JSON.stringify(form ?? ''), 'base64url').slice(0, 16)

/** A new form begins as a copy: of the form that the URL names or, without one, of the first form of its kind. */
function openNew(c: ConsoleContext, deps: ConsoleDeps) {
  const kind = kindOf(c.req.query('kind'))
  const from = c.req.query('from')
  const { state: _, ...copied } = formNamed(from ?? FIRST_FORM[kind], deps)
  const name = from === undefined ? '' : freeNameFor(copied.name, deps)
  const questions = copied.questions.filter(({ field }) => from !== undefined || FOR_A_CALL.includes(field))
  return editorPage(c, deps, { form: { ...copied, name, questions }, was: undefined, from, seen: seenOf(undefined) })
}

const FOR_A_CALL: readonly OptionalQuestion[] = ['state', 'program', 'message']

const LONGEST_NAME = 40

/** Makes a name from a title, as console.js does, with room for a number. */
const nameFrom = (text: string): string => slug(text, LONGEST_NAME - 4)

const freeNameFor = (text: string, { settings }: ConsoleDeps): string =>
  freeName(
    nameFrom(text),
    formsOf(settings).map(one => one.name),
  )

/** The name of a new form is the one that someone typed or, without one, comes from the title. */
function nameOfNew(form: SchoolForm, deps: ConsoleDeps): string {
  const typed = slug(form.name, LONGEST_NAME)
  const title = titleOfForm(form, deps.settings)
  return typed === '' || typed === nameFrom(title) ? freeNameFor(nameFrom(title) || form.kind, deps) : typed
}

async function save(c: ConsoleContext, deps: ConsoleDeps, was: SchoolForm | undefined) {
  const { settings } = deps
  const fields = await fieldsOf(c)
  const typed = formIn(fields, settings, was?.state)
  const isMoved = isMove(fields)
  const name = was?.name ?? (isMoved ? typed.name : nameOfNew(typed, deps))
  const form = { ...typed, name, kind: was?.kind ?? typed.kind }
  const draft = { form, was, from: fields['from'], seen: fields['seen'] ?? '', note: fields['note'] }
  if (isMoved) return editorPage(c, deps, draft)
  const all = formsOf(settings)
  const forms = was === undefined ? [...all, form] : all.map(one => (one.name === was.name ? form : one))
  const { problems } = checkEdited('forms', { forms }, settings)
  if (problems.length > 0) {
    const at = `forms[${was === undefined ? all.length : all.findIndex(({ name }) => name === was.name)}].`
    return editorPage(c, deps, draft, { problems: problems.map(problem => problem.replace(at, '')) })
  }
  if (was !== undefined && isDeepStrictEqual(was, form))
    return redirect(c, FORMS_PATH, { text: 'This is already in force.' })
  if (was !== undefined && draft.seen !== seenOf(was)) return editorPage(c, deps, draft, { overtaken: true })
  const replaces = versionInForce('forms', deps)
  const note = (fields['note'] ?? '').trim()
  const detail = editedForms.differences({ forms: [...all] }, { forms }, deps).join(' ')
  const saved = await saveEdited(c, deps, 'forms', { replaces, value: { forms }, note, detail })
  if ('problems' in saved) return editorPage(c, deps, draft, { problems: saved.problems })
  if ('before' in saved) return editorPage(c, deps, draft, { overtaken: true })
  const undo = undoOf(editedForms, replaces, saved.saved)
  return was === undefined
    ? redirect(c, `${FORMS_PATH}/embed/${form.name}`, {
        text: 'The form is saved. Now put it where people will see it.',
        undo,
      })
    : redirect(c, FORMS_PATH, { text: `${titleOfForm(form, settings)} is changed.`, undo })
}

async function preview(c: ConsoleContext, deps: ConsoleDeps) {
  const fields = await fieldsOf(c)
  const { settings } = deps
  const form = { ...formIn(fields, settings, undefined), name: 'preview' }
  const said = saidWhereEmpty(form, deps)
  const sentIn = (language: string) => (fields['preview-page'] === SENT ? { when: said(language).when } : undefined)
  return sendPreview(c, deps, { form, settings, fields, sentIn })
}

type Shown = { problems?: readonly string[]; overtaken?: boolean }

function editorPage(
  c: ConsoleContext,
  deps: ConsoleDeps,
  { form, was, from, seen, note = '' }: Draft,
  { problems = [], overtaken = false }: Shown = {},
) {
  const { settings } = deps
  const { kind, sentUrl = '', language = '', program = '', source = '' } = form
  const inWords = (problem: string) =>
    withoutChoices(problem, form, settings) ?? problemInWords(problem, setting => fieldOf(setting, form, settings))
  const problemAt = (setting: string): Html | '' => {
    const found = problems.find(problem => problem.startsWith(setting) && /^[ .:[]/.test(problem.slice(setting.length)))
    return found === undefined ? '' : html`<p class="problem">${inWords(found).words}</p>`
  }
  const localized = (
    field: 'title' | 'introduction' | 'button' | 'consent' | 'sent',
    label: string,
    more: { most: number; rows?: number; placeholder?: (language: string) => string },
  ) =>
    html`${problemAt(field)}<div${field === 'title' ? '' : raw(' class="row"')}>${localizedFields({ name: field, label, value: form[field], ...more }, settings)}</div>`
  const said = saidWhereEmpty(form, deps)
  const ours = (language: string) => said(language).words
  const isWrong = (...names: string[]) => names.some(name => problemAt(name) !== '')
  const status = problems.length > 0 ? 422 : overtaken ? 409 : 200
  const path = was === undefined ? NEW : `${FORMS_PATH}/edit/${was.name}`
  const title = was === undefined ? `New form for ${kindTitles[kind].toLowerCase()}` : titleOfForm(was, settings)
  return page(
    c,
    { title, current: FORMS_PATH, width: 'wide', status },
    html`<p class="back"><a href="${FORMS_PATH}">Back to the forms</a> ${toPreview}</p>
${errorSummary(problems.map(inWords))}
${overtaken ? html`<div class="banner" role="alert"><p><strong>${whoWasFaster('forms', deps)}</strong> What you typed is still here. If you save it now, it replaces their form.</p></div>` : ''}
<form id="${FIELDS}" method="post" action="${path}" class="email-editor form-editor" data-live-preview${c.req.method === 'POST' ? raw(' data-received') : ''}><button class="hidden" tabindex="-1" aria-hidden="true">Save</button>
${hidden({
  kind,
  from,
  seen: overtaken ? seenOf(was) : seen,
  order: rowsOf(form)
    .map(({ field }) => field)
    .join(' '),
})}
<p class="kept" data-kept hidden><span></span> <button type="button" class="secondary small" name="discard">Discard</button></p>
<div><section class="panel" data-shows="${TOP}"><h2>Words</h2>
<p class="hint">Where you leave a field empty, the form says what you see in it.</p>
${was === undefined ? '' : notesOnForm(was, settings).map(note => html`<p class="hint">${capital(note)}</p>`)}
${localized('title', 'Title', { most: 120, placeholder: language => ours(language)[kind].title })}
${was === undefined ? urlField(form, deps, problemAt) : ''}
${localized('introduction', 'Introduction', { most: 1000, rows: 3, placeholder: language => ours(language)[kind].introduction })}
${localized('button', 'Button', { most: LONGEST_BUTTON, placeholder: language => ours(language)[kind].send })}</section>
<section class="panel"><h2>Questions</h2>
<p class="hint">Every form asks for name, email and phone${kind === 'site' ? ', company and address' : ''}. These follow, in this order.</p>${problemAt('questions')}
<ul class="questions">${rowsOf(form).map(({ field, answer }, i) => html`<li id="asks-${field}" data-shows="${field}"><div><label for="ask-${field}">${fieldNames[field]}</label>${withoutAnswers(field, settings)}</div><select id="ask-${field}" name="ask-${field}">${option('', 'Not asked', answer === undefined)}${option('optional', 'Optional', answer === 'optional')}${option('required', 'Required', answer === 'required')}</select>${answer === undefined || i === 0 ? '' : upButton(field)}</li>`)}</ul>
${kind === 'site' || settings.programs.length === 0 ? '' : html`<label for="program">Program to begin with</label><p class="hint" id="program-hint">People can choose another. A form that does not ask for the program records this one.</p><select id="program" name="program" aria-describedby="program-hint">${option('', 'None', program === '')}${programNames(settings).map(one => option(one, one, one === program))}</select>`}
${labelFields(form, settings, ours, problemAt)}
${problemAt('steps')}${checkbox('steps', 'Ask in two steps', form.steps !== undefined, { hint: 'steps-hint' })}
<p class="hint" id="steps-hint">The first step asks for the contact${kind === 'site' ? '' : ', state, program'} and consent, and for campus and best time to call if you added these questions. Once it is sent, the person is a lead, and you are notified. The second step asks the rest, and the best time to call if the first did not. Its answers are added to that lead.</p></section>
${ownFields(form, settings, problemAt)}
${foldedSection(
  'Consent to calls and texts',
  { open: form.consent !== undefined || isWrong('consent'), folded: 'as the school', shows: 'consent' },
  html`<p class="hint">If you leave it empty, the form asks as <a href="/consent">Consent</a> says${settings.forms[kind].consent === 'none' ? ': it does not ask' : ''}.${settings.languages.length < 2 ? '' : ' If you write it in one language only, everyone reads that.'} {school} becomes the name of the school. What someone saw is kept with their inquiry, word for word.</p>
${localized('consent', 'Words', { most: 1000, rows: 4, placeholder: language => said(language).consent })}`,
)}
${lookFields(form, settings, problemAt)}
${foldedSection(
  'After sending',
  {
    open: form.sent !== undefined || sentUrl !== '' || isWrong('sent', 'sentUrl'),
    folded: 'when someone will call',
    shows: SENT,
  },
  html`<p class="hint">Where you leave it empty, people read when someone will call.</p>
${localized('sent', 'Thanks', { most: 1000, rows: 4, placeholder: language => said(language).thanks })}
<label for="sentUrl">A page of yours instead (optional)</label>${problemAt('sentUrl')}<input id="sentUrl" name="sentUrl" type="url" value="${sentUrl}" maxlength="500" placeholder="https://www.example.edu/thank-you" autocomplete="off">`,
)}
<section class="panel"><h2>To begin with</h2>
${settings.languages.length < 2 ? '' : html`<label for="language">Language</label><select id="language" name="language">${option('', 'What the browser says', language === '')}${settings.languages.map(tag => option(tag, languageName(tag), tag === language))}</select>`}
<label for="source">Came from</label><p class="hint" id="source-hint">Such as open day. A campaign in the link comes first.</p>${problemAt('source')}<input id="source" name="source" value="${source}" maxlength="100" autocomplete="off" aria-describedby="source-hint"></section>
${foldedSection(
  'The URL may fill in',
  { open: form.prefill !== undefined || isWrong('prefill'), folded: 'nothing' },
  html`${problemAt('prefill')}${prefillFields(form)}`,
)}
<section class="panel"><label for="note">Why (optional, for the list of versions)</label><input id="note" name="note" value="${note}" maxlength="200" autocomplete="off">
<div class="actions"><button>Save</button></div></section></div>
${previewPanel(`${FORMS_PATH}/preview`, 'The form as people see it', { ...settings, more: SENT_OR_NOT })}
</form>`,
  )
}

/** Follows the title in the school's first language, until someone edits it (console.js). */
function urlField({ kind, name }: SchoolForm, { config, settings }: ConsoleDeps, problemAt: (of: string) => Html | '') {
  const [first = 'en'] = settings.languages
  return html`<label for="name">${settingNames['name']}</label>${problemAt('name')}<div class="url-field"><span class="quiet" id="name-start">${formUrl(config, { kind, name: '' })}</span><input id="name" name="name" value="${name}" maxlength="${LONGEST_NAME}" autocomplete="off" data-made-from="title-${first}" aria-describedby="name-start name-hint"></div><p class="hint" id="name-hint">It is made from the title. Once the form is saved, it never changes, since links and codes have it.</p>`
}

/** The field for a setting of the form. Those of one of the school's own questions share a frame, and name the question. */
function fieldOf(
  setting: string,
  { own = [] }: SchoolForm,
  { languages: [first = 'en'] }: Settings,
): NamedField | undefined {
  const [, question, part = ''] = /^own\[(\d+)\]\.?(\w*)/.exec(setting) ?? []
  if (question !== undefined) {
    const words = inLanguage(own[Number(question)]?.label ?? '', first)
    const named = words === '' ? `Question ${Number(question) + 1}` : `“${words}”`
    return { label: `${named}${partNames[part] ?? ''}`, id: `own-${question}` }
  }
  const [name = ''] = /^(?:brand\.)?\w+/.exec(setting) ?? []
  const label = settingNames[name]
  const id = localizedNames.includes(name) ? `${name}-${first}` : name.replace('.', '-')
  return label === undefined ? undefined : { label, id }
}

/** A list of campuses, say, that is still empty. */
function withoutChoices(problem: string, { own = [] }: SchoolForm, { languages: [first = 'en'] }: Settings) {
  const [, index] = /^own\[(\d+)\]\.choices must have at least one entry$/.exec(problem) ?? []
  const question = index === undefined ? undefined : own[Number(index)]
  if (question === undefined) return undefined
  const words = `The question “${inLanguage(question.label, first)}” has no answers to choose from. Write one on each line.`
  return { words, at: `own-${index}-choices-${first}` }
}

const partNames: Record<string, string> = { choices: ': the answers', type: ': the type', showIf: ': the condition' }
const localizedNames = ['title', 'introduction', 'button', 'consent', 'sent']
const settingNames: Record<string, string> = {
  name: 'URL of the form',
  title: 'Title',
  introduction: 'Introduction',
  button: 'Button',
  consent: 'Consent',
  sent: 'Thanks',
  sentUrl: 'A page of yours',
  source: 'Came from',
  steps: 'Ask in two steps',
  'brand.color': 'Color',
  'brand.logo': 'Logo',
  'brand.logoDark': 'Logo on dark screens',
}

const upButton = (field: OptionalQuestion): Html =>
  rowButton(
    { press: `up:${field}`, at: `asks-${field}`, says: `${fieldNames[field]} moved up.` },
    html`<span>Move up</span><span class="hidden"> ${fieldNames[field]}</span>`,
  )

/** If a question has no answers yet, the form leaves it out; this says where to add some. */
function withoutAnswers(field: OptionalQuestion, { programs, studentInterest: { answers } }: Settings): Html | '' {
  if (field === 'program') return programs.length > 0 ? '' : html`<a class="small" href="/programs">no programs yet</a>`
  const ranked = rankedFields.find(one => one === field)
  if (ranked === undefined || answers[ranked]?.allowed !== undefined) return ''
  return html`<a class="small" href="/answers">no answers yet</a>`
}
