/** The editor of an email or a saved reply: its text, how it looks, a test to yourself, going back to the file. */
import { hash, randomUUID } from 'node:crypto'
import { html, raw } from 'hono/html'
import { LONGEST_TEXT_FILE } from '../../config/all-settings.ts'
import { ROOT_LANGUAGE } from '../../content/content-files.ts'
import { escapeHtml } from '../../content/escape-html.ts'
import { modeOf } from '../../content/in-mode.ts'
import { asciiDomain } from '../../leads/body/email.ts'
import { languageName } from '../../leads/body/languages.ts'
import type { Trial } from '../../mail/text-trials.ts'
import { freeName, slug } from '../../platform/free-name.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { emailDocument, noEmailDocument } from '../frame/email-document.ts'
import { ConsoleError, existing } from '../frame/error-pages.ts'
import { errorSummary } from '../frame/error-summary.ts'
import { redirect } from '../frame/flash.ts'
import { fieldsOf, option } from '../frame/form-fields.ts'
import { type Html, hidden, page } from '../frame/layout.ts'
import { segments } from '../frame/preview-switches.ts'
import { get, post } from '../frame/routes.ts'
import { saveEdited, undoOf, versionInForce, whoWasFaster } from '../versions/edited-page.ts'
import {
  type EmailFields,
  END,
  emailFiles,
  fieldsOfText,
  isReply,
  lagsBehind,
  languagesOf,
  originOf,
  textIn,
  textOfFields,
  titleOf,
  variablesFor,
} from './email-text.ts'
import { editedEmails } from './emails-page.ts'
import { FIELDS, previewPanel, toPreview } from './live-preview.ts'

const PATH = '/emails/edit'
const action = 'edit school'

export const emailEditorRoutes: ConsoleRoute[] = [
  get(PATH, action, open),
  post(PATH, action, act),
  post(`${PATH}/preview`, action, preview),
]

/** The email, in one language, that someone edits. A new email does not have a file yet. */
type Draft = { file: string; language: string; isNew: boolean; fields: EmailFields; seen: string }

type Fields = Record<string, string | undefined>

function open(c: ConsoleContext, deps: ConsoleDeps) {
  const { settings } = deps
  const added = c.req.query('file') === undefined ? (c.req.query('new') ?? 'replies') : undefined
  const language = languagesOf(settings).find(one => one === c.req.query('language')) ?? ROOT_LANGUAGE
  if (added === 'letters' || added === 'replies') {
    const end = added === 'letters' ? "\n\n{% include 'letters/letter-end.md' %}" : '\n\nBest regards,\n{{ counselor }}'
    const greeting = added === 'letters' ? '{{ hello }}' : 'Hello {{ person.first_name }},'
    const fields = { name: '', for: '', subject: '', preheader: '', text: `${greeting}\n${end}` }
    return editorPage(c, deps, { file: `${added}/new.md`, language: ROOT_LANGUAGE, isNew: true, fields, seen: '' })
  }
  const file = knownFile(c.req.query('file'), deps)
  const source = textIn(file, language, settings) ?? textIn(file, ROOT_LANGUAGE, settings) ?? ''
  return editorPage(c, deps, {
    file,
    language,
    isNew: false,
    fields: fieldsOfText(file, source),
    seen: seenOf(file, language, deps),
  })
}

/** Returns the file. Throws a ConsoleError if it is not the file of an email that can be edited. */
function knownFile(file: string | undefined, { settings }: ConsoleDeps): string {
  const { letters, replies } = emailFiles(settings)
  return existing(
    'email',
    [...letters, ...replies].find(one => one === file),
  )
}

/** A value that changes whenever the text in force does. */
const seenOf = (file: string, language: string, { settings }: ConsoleDeps): string =>
  hash('sha256', textIn(file, language, settings) ?? '', 'base64url').slice(0, 16)

function draftIn(fields: Fields, deps: ConsoleDeps): Draft {
  const of = (name: string) => (fields[name] ?? '').trim()
  const isNew = fields['new'] === 'letters' || fields['new'] === 'replies'
  const file = isNew ? newFile(fields['new'] ?? '', of('name') || of('subject'), deps) : knownFile(fields['file'], deps)
  const language = languagesOf(deps.settings).find(one => one === fields['language']) ?? ROOT_LANGUAGE
  const typed = {
    name: of('name'),
    for: of('for'),
    subject: of('subject'),
    preheader: of('preheader'),
    text: of('text'),
  }
  return { file, language, isNew, fields: typed, seen: of('seen') }
}

/** A new file name, made from a title. */
function newFile(folder: string, title: string, { settings }: ConsoleDeps): string {
  const { letters, replies } = emailFiles(settings)
  const taken = [...letters, ...replies].map(file => file.slice(0, -'.md'.length))
  return `${freeName(`${folder}/${slug(title, 40) || 'new'}`, taken)}.md`
}

async function act(c: ConsoleContext, deps: ConsoleDeps) {
  const fields = await fieldsOf(c)
  const draft = draftIn(fields, deps)
  if (fields['do'] === 'test') return sendTest(c, deps, draft)
  if (fields['do'] === 'file') return backToFile(c, deps, draft)
  const problems = problemsOf(draft, deps, c)
  if (Object.keys(problems).length > 0) return editorPage(c, deps, draft, { problems })
  const { file, language } = draft
  const text = textOfFields(file, draft.fields)
  if (text === textIn(file, language, deps.settings))
    return redirect(c, editPath(file, language), { text: 'This text is already in force.' })
  if (!draft.isNew && draft.seen !== seenOf(file, language, deps))
    return editorPage(c, deps, draft, { overtaken: true })
  return saveTexts(c, deps, draft, { text, at: deps.clock.now() })
}

const editPath = (file: string, language: string) => `${PATH}?file=${encodeURIComponent(file)}&language=${language}`

/** Saves the text. Without a text, removes the console's version, so that the file is used again. */
async function saveTexts(
  c: ConsoleContext,
  deps: ConsoleDeps,
  draft: Draft,
  saved: { text: string; at: number } | undefined,
) {
  const { file, language } = draft
  const { settings } = deps
  const { [language]: _, ...others } = settings.texts?.[file] ?? {}
  const ofFile = saved === undefined ? others : { ...others, [language]: saved }
  const { [file]: __, ...rest } = settings.texts ?? {}
  const texts = Object.keys(ofFile).length === 0 ? rest : { ...rest, [file]: ofFile }
  await editedEmails.forbid?.(texts, deps)
  const replaces = versionInForce('texts', deps)
  const changes = editedEmails.differences(settings.texts ?? {}, texts, deps)
  const result = await saveEdited(c, deps, 'texts', { replaces, value: texts, note: '', detail: changes.join(' ') })
  if ('problems' in result) return editorPage(c, deps, draft, { problems: { text: `${result.problems.join('. ')}.` } })
  if ('before' in result) return editorPage(c, deps, draft, { overtaken: true })
  const isLeft = textIn(file, language, settings) !== undefined || textIn(file, ROOT_LANGUAGE, settings) !== undefined
  return redirect(c, isLeft ? editPath(file, language) : '/emails', {
    text: saved === undefined ? 'What was edited here is not in force anymore.' : 'The new text is in force.',
    undo: undoOf(editedEmails, replaces, result.saved),
  })
}

async function backToFile(c: ConsoleContext, deps: ConsoleDeps, draft: Draft) {
  if (deps.settings.texts?.[draft.file]?.[draft.language] === undefined)
    throw new ConsoleError(409, 'This text was not edited here, or someone has gone back to the file already.')
  return saveTexts(c, deps, draft, undefined)
}

type Problems = Partial<Record<keyof EmailFields, string>>

/** What is wrong with a draft, by its field. */
function problemsOf({ file, language, fields }: Draft, deps: ConsoleDeps, c: ConsoleContext): Problems {
  if (isReply(file) && fields.name === '') return { name: 'Give it a name: counselors choose it by its name.' }
  if (file !== END && fields.subject === '') return { subject: 'Write a subject.' }
  if (fields.text === '') return { text: 'Write the text.' }
  const text = textOfFields(file, fields)
  if (text.length > LONGEST_TEXT_FILE) return { text: `Write at most ${LONGEST_TEXT_FILE} characters.` }
  const trial = deps.texts.tryOut({ file, language, text }, c.get('operator').name)
  return 'problem' in trial ? { text: sentence(trial.problem) } : {}
}

const sentence = (problem: string): string =>
  problem
    .replace(/^undefined variable: ([\w.]+)(.*)/, (_, name, where) => `There is no variable ${name}${where}`)
    .replace(/\.?$/, '.')

const trialOf = (c: ConsoleContext, deps: ConsoleDeps, { file, language, fields }: Draft): Trial =>
  deps.texts.tryOut({ file, language, text: textOfFields(file, fields) }, c.get('operator').name)

/** How the draft looks to an invented person: as a mail program shows it, or as plain text. */
async function preview(c: ConsoleContext, deps: ConsoleDeps) {
  const fields = await fieldsOf(c)
  const draft = draftIn(fields, deps)
  const trial = trialOf(c, deps, draft)
  const mode = modeOf(fields['preview-theme'])
  if ('problem' in trial) return noEmailDocument(c, sentence(trial.problem), { mode })
  const { subject, html, text } = trial
  if (fields['preview-format'] === 'text' || html === undefined)
    return noEmailDocument(c, `${subject}\n\n${text}`, { asTyped: true, mode })
  return emailDocument(c, { to: { name: 'Ana Ruiz', address: 'ana@mercy.example' }, subject, html, text }, { mode })
}

/** Sends the draft, as it is, to the person who is signed in. */
async function sendTest(c: ConsoleContext, deps: ConsoleDeps, draft: Draft) {
  const trial = trialOf(c, deps, draft)
  if ('problem' in trial) return editorPage(c, deps, draft, { problems: { text: sentence(trial.problem) } })
  const { settings, config, clock } = deps
  const { email, name } = c.get('operator')
  const html = trial.html ?? `<pre style="font: inherit; white-space: pre-wrap">${escapeHtml(trial.text)}</pre>`
  try {
    await deps.sendNow({
      id: `test.${randomUUID()}@${asciiDomain(config.mailFrom)}`,
      from: { name: settings.school.name, address: config.mailFrom },
      to: { name, address: email },
      subject: `Test: ${trial.subject}`,
      text: trial.text,
      html,
      language: draft.language,
      date: new Date(clock.now()),
    })
  } catch (error) {
    return editorPage(c, deps, draft, { notice: `The test was not sent: ${(error as Error).message}` })
  }
  return editorPage(c, deps, draft, { notice: `A test is on its way to ${email}. Nothing was saved yet.`, status: 200 })
}

const FORMAT = segments('Format', 'preview-format', { mail: 'Email', text: 'Plain text' })

type Shown = { problems?: Problems; overtaken?: boolean; notice?: string; status?: 200 }

function editorPage(
  c: ConsoleContext,
  deps: ConsoleDeps,
  draft: Draft,
  { problems = {}, overtaken, notice, status }: Shown = {},
) {
  const { settings } = deps
  const { file, language, isNew, fields, seen } = draft
  const title = isNew ? (isReply(file) ? 'New saved reply' : 'New email') : titleOf(file, settings, language)
  const isWrong = Object.keys(problems).length > 0
  const folder = file.slice(0, file.indexOf('/'))
  const input = (name: 'name' | 'subject' | 'preheader', label: string, hint = '') =>
    html`<label for="${name}">${label}</label>${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ''}${problemOf(name, problems)}<input id="${name}" name="${name}" value="${fields[name]}" maxlength="200" autocomplete="off"${problems[name] ? raw(` aria-invalid="true" aria-describedby="${name}-problem"`) : ''}>`
  return page(
    c,
    { title, current: '/emails', width: 'wide', status: status ?? (isWrong || notice ? 422 : overtaken ? 409 : 200) },
    html`<p class="back"><a href="/emails">Back to the emails</a> ${toPreview}</p>
${notice ? html`<div class="banner notice" role="status"><p>${notice}</p></div>` : ''}
${errorSummary(Object.entries(problems).map(([at, words]) => ({ at, words })))}
${overtaken ? html`<div class="banner" role="alert"><p><strong>${whoWasFaster('texts', deps)}</strong> What you typed is still here. If you save it now, it replaces the text that is in force.</p></div>` : ''}
${isNew ? '' : languageTabs(file, language, deps)}
<form method="post" action="${PATH}" id="${FIELDS}" class="email-editor" data-live-preview>
${hidden({ ...(isNew ? { new: folder } : { file }), language, seen: overtaken ? seenOf(file, language, deps) : seen })}
<div class="panel">
${isReply(file) ? html`${input('name', 'Name', 'Counselors choose it by this name.')}<label for="for">For</label><select id="for" name="for">${option('', 'students and sites', fields.for === '')}${option('student', 'students', fields.for === 'student')}${option('site', 'sites', fields.for === 'site')}</select>` : ''}
${file === END ? '' : input('subject', 'Subject')}
${isReply(file) || file === END ? '' : input('preheader', 'Preview line', 'Mail programs show it beside the subject.')}
<label for="text">Text</label>${problemOf('text', problems)}<textarea id="text" name="text" rows="18" maxlength="${LONGEST_TEXT_FILE}"${problems.text ? raw(' aria-invalid="true" aria-describedby="text-problem"') : ''}>${fields.text}</textarea>
<details${isNew ? raw(' open') : ''}><summary>What you can insert</summary><ul class="variables">${variablesFor(file).map(([code, words]) => html`<li><button type="button" class="plain small" data-insert="${code}">${words}</button> <code class="small">${code}</code></li>`)}</ul>
<p class="small">**bold**, [a link](https://www.example.edu), and lines that begin with - for a list.</p></details>
<div class="actions"><button>Save</button><button class="secondary" name="do" value="test">Send a test to me</button>${settings.texts?.[file]?.[language] === undefined ? '' : html`<button class="secondary" name="do" value="file">${originOf(file, language, { ...settings, texts: {} }) === 'not written yet' ? 'Delete this text' : 'Go back to the file'}</button>`}</div>
</div>
${previewPanel(`${PATH}/preview`, 'The email as a student sees it', { more: isReply(file) ? '' : FORMAT })}
</form>`,
  )
}

const problemOf = (name: keyof EmailFields, problems: Problems): Html | '' =>
  problems[name] === undefined ? '' : html`<p class="problem" id="${name}-problem">${problems[name]}</p>`

const languageTabs = (file: string, language: string, { settings }: ConsoleDeps): Html =>
  html`<nav class="tabs" aria-label="Language">${languagesOf(settings).map(
    one =>
      html`<a href="${editPath(file, one)}"${one === language ? raw(' aria-current="page"') : ''}>${languageName(one)}</a>`,
  )}</nav><p class="quiet">${stateOf(file, language, settings)}</p>`

function stateOf(file: string, language: string, settings: ConsoleDeps['settings']): string {
  if (textIn(file, language, settings) === undefined)
    return `There is no text in ${languageName(language)} yet, so people get the English one, which is shown here. Translate it and save.`
  const older = lagsBehind(file, language, settings)
    ? ' The English text has changed since: check whether this one still says the same.'
    : ''
  return `In force: ${originOf(file, language, settings)}.${older}`
}
