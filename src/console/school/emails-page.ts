/** The page of the emails to students and of saved replies: which languages each has, and where its texts come from. */
import { html } from 'hono/html'
import { languageName } from '../../leads/body/languages.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { ConsoleError } from '../frame/error-pages.ts'
import { type Html, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import type { EditedPage } from '../versions/edited-page.ts'
import { versionList, versionRoutes } from '../versions/version-pages.ts'
import {
  emailFiles,
  isReply,
  lagsBehind,
  languagesOf,
  missingFromCadence,
  originOf,
  textIn,
  titleOf,
  UNCHANGED,
  whenSent,
} from './email-text.ts'

const PATH = '/emails'
const action = 'edit school'

type Texts = Parameters<EditedPage<'texts'>['show']>[0]

export const editedEmails: EditedPage<'texts'> = {
  part: 'texts',
  path: PATH,
  action,
  differences: (before, after, { settings }) =>
    [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(file =>
      [...new Set([...Object.keys(before[file] ?? {}), ...Object.keys(after[file] ?? {})])].flatMap(language => {
        const [was, is] = [before[file]?.[language]?.text, after[file]?.[language]?.text]
        if (was === is) return []
        const title = `“${titleOf(file, { ...settings, texts: after[file] ? after : before }, language)}” (${languageName(language)})`
        if (is === undefined) return [`${title}: what was edited here is gone.`]
        return [was === undefined ? `${title}: edited here now.` : `${title}: changed.`]
      }),
    ),
  show: (value, deps) =>
    html`<section class="panel"><h2>The texts that were edited</h2>${eachText(value).map(
      ({ file, language, text }) =>
        html`<details><summary>${titleOf(file, { ...deps.settings, texts: value }, language)} (${languageName(language)})</summary><pre>${text}</pre></details>`,
    )}${eachText(value).length === 0 ? html`<p class="quiet">None.</p>` : ''}</section>`,
  async forbid(texts, { settings }) {
    const [file] = missingFromCadence(settings, texts)
    if (file !== undefined)
      throw new ConsoleError(409, `A step of the cadence sends “${titleOf(file, settings)}”. Change the cadence first.`)
  },
}

const eachText = (texts: Texts) =>
  Object.entries(texts).flatMap(([file, languages]) =>
    Object.entries(languages).map(([language, { text }]) => ({ file, language, text })),
  )

export const emailRoutes: ConsoleRoute[] = [
  get(PATH, action, emailsPage, { menu: 'Emails' }),
  ...versionRoutes(editedEmails),
]

async function emailsPage(c: ConsoleContext, deps: ConsoleDeps) {
  const { letters, replies } = emailFiles(deps.settings)
  const when = (file: string) => html` <span class="quiet small">${whenSent(file, deps.settings)}</span>`
  const list = (files: readonly string[]) =>
    html`<ul class="emails">${files.map(file => html`<li><p><strong>${titleOf(file, deps.settings)}</strong>${isReply(file) ? '' : when(file)}</p><div class="languages">${languagesOf(deps.settings).map(language => languageLink(file, language, deps))}</div></li>`)}</ul>`
  return page(
    c,
    { title: 'Emails', current: PATH, width: 'wide' },
    html`<p class="quiet">Texts without a remark are as they come with Frontdesk. What you change here replaces them, and files in your content folder.</p>
<section class="panel"><h2>To students, automatically</h2><p><a href="/cadence">Cadence</a> decides when the follow-up emails go out.</p>${list(letters)}
<div class="actions"><a class="button secondary" href="${PATH}/edit?new=letters">Write another email</a></div></section>
<section class="panel"><h2>Saved replies</h2><p>Counselors fill them in when they write to someone, and change them before they send.</p>${list(replies)}
<div class="actions"><a class="button secondary" href="${PATH}/edit?new=replies">Add a saved reply</a></div></section>
<section class="panel"><h2>Versions</h2>${await versionList(editedEmails, deps)}</section>`,
  )
}

function languageLink(file: string, language: string, { settings }: ConsoleDeps): Html {
  const origin = originOf(file, language, settings)
  const isWritten = textIn(file, language, settings) !== undefined
  const state = !isWritten
    ? 'not written yet: people get the English text'
    : lagsBehind(file, language, settings)
      ? 'older than the English text'
      : origin === UNCHANGED
        ? ''
        : origin
  return html`<span><a href="${PATH}/edit?file=${file}&amp;language=${language}">${languageName(language)}<span class="hidden"> of ${titleOf(file, settings)}</span></a> <span class="quiet small">${state}</span></span>`
}
