/** The settings in force: what each does and where it is changed. Secrets are never shown. */
import { html, raw } from 'hono/html'
import { settingLines } from '../../config/all-settings.ts'
import type { Config } from '../../config/config.ts'
import { adviceOn, configurationNotes } from '../../config/configuration-notes.ts'
import { type EditedPart, parts } from '../../config/edited-parts.ts'
import { editionNotes, lastEdit, partOf } from '../../config/edition-notes.ts'
import { describeDatabase, variables } from '../../config/environment.ts'
import { sftpUrl } from '../../config/environment-values.ts'
import type { SettingLine } from '../../config/setting.ts'
import { type Told, type Topic, telling, topics } from '../../config/setting-topics.ts'
import type { Settings } from '../../config/settings.ts'
import { brandNotes } from '../../content/brand.ts'
import type { ConsoleContext, ConsoleDeps, ConsoleRoute } from '../frame/context.ts'
import { foldedSection } from '../frame/folded-section.ts'
import { type Html, page } from '../frame/layout.ts'
import { get } from '../frame/routes.ts'
import { editedPages } from '../versions/edited-pages.ts'
import { shownValue, valueAt, withoutPassword } from './setting-values.ts'

const PATH = '/settings'
const LONGEST_SEARCH = 100

export const settingsRoutes: ConsoleRoute[] = [get(PATH, 'see settings', settingsPage, { menu: 'Settings' })]

async function settingsPage(c: ConsoleContext, { config, settings }: ConsoleDeps) {
  const q = (c.req.query('q') ?? '').trim().slice(0, LONGEST_SEARCH)
  const titles = new Map(c.get('frame').menu.flatMap(({ items }) => items.map(({ path, title }) => [path, title])))
  const lines = [
    textsLine(config, titles),
    ...settingLines.map(line => lineOfSetting(line, { config, settings }, titles)),
    ...linesOfEnvironment(config),
  ]
  const names = Object.keys(topics) as Topic[]
  const sections = await Promise.all(names.map(topic => sectionOf(topic, lines, q)))
  return page(
    c,
    { title: 'Settings', current: PATH, width: 'narrow' },
    html`<p>All settings in force: what each does, and where it is changed. You can edit some of them here. Everything else is set by the person who runs Frontdesk.</p>
<form class="search" method="get" action="${PATH}" role="search"><div class="search-line">
<label class="hidden" for="q">Search settings</label>
<input id="q" name="q" type="search" value="${q}" maxlength="${LONGEST_SEARCH}" placeholder="Search settings" autocomplete="off">
<button class="secondary">Search</button></div></form>
${q === '' ? all(config, settings, sections) : found(sections)}`,
  )
}

function all(config: Config, settings: Settings, sections: readonly (Html | '')[]): Html {
  return html`${notesOn('Please check', [...configurationNotes(config), ...brandNotes(settings.school.brand)], 'open')}
${sections}
${notesOn('Before production', adviceOn(config))}
${notesOn('Edited in the console', editionNotes(config))}
<p class="quiet">After a change of the settings file or the environment, the person who runs Frontdesk runs <code>npx frontdesk check</code>, which says what is wrong, and restarts it.</p>`
}

const found = (sections: readonly (Html | '')[]): Html =>
  sections.some(section => section !== '')
    ? html`${sections}<p><a href="${PATH}">Show all settings</a></p>`
    : html`<div class="empty"><h2>No settings match</h2><p>Search for a part of a name, of what it does, or of its value.</p><p><a class="button secondary" href="${PATH}">Show all settings</a></p></div>`

/**
 * The lines of a topic or, in a search, the ones that contain all of its words. Lines that are edited on one page are
 * listed together, below a link to it; settings without a value come last. A search unfolds what it finds.
 */
async function sectionOf(topic: Topic, lines: readonly Line[], q: string): Promise<Html | ''> {
  const words = q.toLowerCase().split(/\s+/)
  const all = await Promise.all(
    lines.filter(line => line.topic === topic).map(async line => ({ line, shown: await lineInWords(line) })),
  )
  const matching = all.filter(({ line, shown }) => {
    const text = `${topics[topic]} ${shown} ${line.page ?? ''}`.replace(/<[^>]*>/g, '').toLowerCase()
    return words.every(word => text.includes(word))
  })
  if (matching.length === 0) return ''
  const listed = (some: typeof matching) =>
    some.length === 0 ? '' : html`<dl class="facts settings">${some.map(({ shown }) => shown)}</dl>`
  const groups = [...Map.groupBy(matching, ({ line }) => String(line.page ?? ''))]
  const parts = groups.map(([page, theirs]) => {
    const [set, unset] = [true, false].map(isSet => theirs.filter(({ line }) => (line.value !== undefined) === isSet))
    const rest = unset?.length
      ? html`<details${q === '' ? '' : ' open'}><summary class="quiet">Not set (${unset.length})</summary>${listed(unset)}</details>`
      : ''
    return html`${raw(page)}${listed(set ?? [])}${rest}`
  })
  const folded = someOf(
    topic,
    matching.map(({ line }) => line.name),
  )
  return foldedSection(topics[topic], { open: q !== '', folded }, html`${parts}`)
}

/** `Programs, Languages, Privacy policy and 12 more` */
function someOf(topic: Topic, names: string[]): string {
  const chosen = (telling[topic] ?? []).filter(name => names.includes(name))
  const more = names.length - chosen.length
  return chosen.length > 0 && more > 1 ? `${chosen.join(', ')} and ${more} more` : names.join(', ')
}

/** Sentences for the person who runs Frontdesk, with the names that the settings file uses. */
const notesOn = (title: string, notes: string[], state?: 'open'): Html | '' =>
  notes.length === 0
    ? ''
    : html`<section class="panel"><details ${state ?? ''}><summary>${title}, for the person who runs Frontdesk (${notes.length})</summary><ul>${notes.map(note => html`<li>${note}</li>`)}</ul></details></section>`

/** `page`: a link to the page that edits it. `where`: where else it is changed. */
type Line = Told & { value: string | Html | undefined; page?: Html; where?: Html }

const lineInWords = ({ name, says, value, where }: Line): Html =>
  html`<dt>${name}<p class="quiet small">${says}</p></dt><dd>${value ?? html`<span class="quiet">not set</span>`}${where ?? ''}</dd>`

type Titles = ReadonlyMap<string, string>

function lineOfSetting(
  line: SettingLine,
  { config, settings }: { config: Config; settings: Settings },
  titles: Titles,
) {
  const part = partOf(line.key)
  const value = shownValue(line, settings)
  return part === undefined
    ? { ...line, value, where: inFile(line, config) }
    : { ...line, value, page: inConsole(part, config, titles) }
}

/** The texts of emails are files, so they do not have a setting. */
const textsLine = (config: Config, titles: Titles): Line => ({
  topic: 'emails',
  name: 'Texts of emails',
  says: 'What follow-up emails, notifications and saved replies say, in each language.',
  value: html`${Object.keys(config.settings.texts ?? {}).length || 'none'} of your own`,
  page: inConsole('texts', config, titles),
})

/** The page that edits a part, and who edited it last. */
function inConsole(part: EditedPart, config: Config, titles: Titles): Html {
  const path = editedPages.find(one => one.part === part)?.path ?? PATH
  const edition = config.edited[part]
  const edit = edition === undefined || edition.fromFile ? '' : `, last edited on ${lastEdit(edition, config)}`
  return html`<p class="small"><a href="${path}">Change under ${titles.get(path) ?? parts[part].name}</a><span class="quiet">${edit}</span></p>`
}

function inFile({ key, name }: SettingLine, config: Config): Html {
  const isGiven = valueAt(config.given, key) !== undefined
  return folded(
    'In the settings file',
    name,
    html`<code>${key}</code>${isGiven ? '' : ': the file does not say it, so this is the default.'}`,
  )
}

/** Where to change something outside of the console, with the names that its files use. */
const folded = (where: string, name: string, technical: Html): Html =>
  html`<details class="small"><summary class="quiet">${where}<span class="hidden">: ${name}</span></summary><p>${technical}</p></details>`

function linesOfEnvironment(config: Config): Line[] {
  const unset = new Set(config.onDefault)
  const list = (values: string[]) => values.join(', ') || 'none'
  const values: Partial<Record<keyof typeof variables, string | undefined>> = {
    BASE_URL: config.baseUrl,
    LEARN_URL: config.learnUrl,
    CONSOLE_URL: config.consoleUrl,
    HOST: config.host,
    SITE_PORT: String(config.sitePort),
    LEARN_PORT: String(config.learnPort),
    CONSOLE_PORT: String(config.consolePort),
    TRUSTED_PROXIES: list(config.trustedProxies),
    UNLIMITED_NETWORKS: list(config.unlimitedNetworks),
    DESTINATION_NETWORKS: list(config.destinationNetworks),
    DATA_DIR: config.dataDir,
    EXPORT_DIR: config.exportDir,
    STATUS_DIR: config.statusDir,
    EXPORT_SFTP: config.exportSftp && sftpUrl(config.exportSftp),
    DATABASE_URL: describeDatabase(config.database),
    SMTP_URL: config.smtpUrl && withoutPassword(config.smtpUrl),
    IMAP_URL: config.imapUrl && withoutPassword(config.imapUrl),
    MAIL_FROM: config.mailFrom,
    PARTNERSHIPS_EMAIL: config.partnershipsEmail,
    ADMISSIONS_EMAIL: config.admissionsEmail,
    LOG_LEVEL: config.logLevel,
  }
  return (Object.keys(variables) as (keyof typeof variables)[]).map(name => {
    const { words, doc } = variables[name]
    const value = values[name] ?? (unset.has(name) ? undefined : 'set, not shown')
    const origin = unset.has(name) ? 'It is not set, so this is the default.' : ''
    return {
      ...words,
      value,
      where: folded('Set by your IT', words.name, html`<code>${name}</code>: ${doc} ${origin}`),
    }
  })
}
