/** Everything that `preview` shows: every message and every page, with sample data and the school's own content. */
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildConfig, type Config } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { loadSettings } from '../../config/settings.ts'
import { createBrand, logoFiles } from '../../content/brand.ts'
import {
  fileIn,
  contentDirs as foldersOf,
  languageOfFile,
  ourContent,
  ROOT_LANGUAGE,
} from '../../content/content-files.ts'
import { templatesOf } from '../../follow-up/cadence.ts'
import { sampleForms } from '../../forms/sample-forms.ts'
import { publicPageVariables } from '../../http/discovery/page-variables.ts'
import { loadPublicPages } from '../../http/discovery/public-pages.ts'
import { createPages, type Pages, visitorPages } from '../../http/links/link-pages.ts'
import { samplePages } from '../../http/links/sample-pages.ts'
import { createMessages } from '../../mail/render-messages.ts'
import { createLinks } from '../../signed-links.ts'
import { createEditedReader } from '../terminal/edited-reader.ts'

export type Item = { group: string; file: string; samples: Sample[] }
/** `text` is the text part of a message, `inbox` what a list of messages shows beside the subject. */
export type Sample = { title: string; html: string; text?: string; inbox?: { from: string; preheader: string } }

export type Catalog = {
  school: string
  /** The color of its links, in light and dark. */
  accent: { light: string; dark: string }
  /** Notes about the settings behind the preview: which of them are edited in the console. */
  notes: string[]
  items: Item[]
  /** The files of the logos, by path. */
  logos: Record<string, string>
}

/** What the current settings and content produce, or the reason why they produce nothing. */
export type State = { version: string } & ({ catalog: Catalog } | { problems: string[] })

/**
 * Reads the settings that `env` names, their edits in the console, and the content; reads them again after each change,
 * and renders everything. `origin` is the address of the preview, which also serves the logos. Writes nothing.
 */
export function watchCatalog(env: NodeJS.ProcessEnv, origin: string) {
  const file = env['FRONTDESK_CONFIG'] || 'frontdesk.config.ts'
  const required = Boolean(env['FRONTDESK_CONFIG'])
  const edited = createEditedReader()
  let watched = [file, ourContent]
  let last: State | undefined

  const versionNow = async (): Promise<string> => versionOf(watched, await edited.version())

  async function read(version: string): Promise<State> {
    try {
      const loaded = await loadSettings(file, { required, version: `?${version}` })
      const config = buildConfig(env, loaded)
      const notes = await edited.apply(config)
      const { school, content } = config.settings
      const logos = logoFiles(school.brand)
      const { light, dark } = createBrand(school, origin)
      watched = [file, ourContent, ...(content === undefined ? [] : [content]), ...Object.values(logos)]
      const items = [...messageItems(config, origin), ...formItems(config, origin), ...pageItems(config, origin)]
      const accent = { light: light.accent, dark: dark.accent }
      const catalog = { school: school.name, accent, notes, items, logos }
      return { version: await versionNow(), catalog }
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : [(error as Error).message]
      return { version: await versionNow(), problems }
    }
  }

  return {
    /** A value that differs after each change of a file and after each edit in the console. */
    version: versionNow,

    async current(): Promise<State> {
      const version = await versionNow()
      if (last?.version !== version) last = await read(version)
      return last
    },

    close: edited.close,
  }
}

function messageItems(config: Config, origin: string): Item[] {
  const { settings } = config
  const templates = templatesOf(settings.followUp)
  // No service has this secret, so the links do nothing.
  const links = createLinks({ ...config, secretKey: 'preview'.repeat(5), staff: () => [] })
  const contentDirs = foldersOf(settings.content, settings.texts)
  const messages = createMessages({ ...config, baseUrl: origin, links, templates, contentDirs, tryOut: true })
  const school = settings.school.name
  const counselor = settings.admissions.counselors[0]?.name ?? 'Maria Example'
  return messages.samples().map(({ file, renderings }) => {
    const isToPerson = /(?:^|\/)letters\//.test(file)
    // Emails to students come from their counselor, and emails to the staff from the school.
    const from = isToPerson ? `${counselor}, ${school}` : school
    return {
      group: isToPerson ? 'Emails to students' : 'Emails to the staff',
      file,
      samples: renderings.map(({ subject, preheader, html, text }) => ({
        title: subject,
        html,
        text,
        inbox: { from, preheader },
      })),
    }
  })
}

const formItems = (config: Config, origin: string): Item[] =>
  sampleForms({ ...config, baseUrl: origin }, foldersOf(config.settings.content)).map(({ file, pages }) => ({
    group: 'Forms',
    file,
    samples: pages.map(sampleOf),
  }))

/** When the day of the examples on the public pages began. */
const SAMPLE_DAY = Date.parse('2026-11-21')

function pageItems(config: Config, origin: string): Item[] {
  const { settings } = config
  const contentDirs = foldersOf(settings.content, settings.texts)
  const pages = createPages({ settings, baseUrl: origin, contentDirs, tryOut: true })
  const linked = Object.entries(samplePages).map(([name, samples]) => ({
    group: 'Pages behind links',
    file: `pages/${name}.md`,
    samples: samples.map(sample => sampleOf(shown(pages, name, sample))),
  }))
  const others = settings.languages.filter(language => language !== ROOT_LANGUAGE)
  const translated = others.flatMap(language =>
    visitorPages
      .map(name => ({ name, file: `pages/${name}.md` }))
      .filter(({ file }) => languageOfFile(file, language, contentDirs) === language)
      .map(({ name, file }) => ({
        group: 'Pages behind links',
        file: fileIn(language, file),
        samples: samplePages[name].map(sample =>
          sampleOf(String(pages.showIn(language, name as 'error', sample as never).body)),
        ),
      })),
  )
  const brand = createBrand(settings.school, origin)
  const documents = loadPublicPages(contentDirs, brand)(publicPageVariables(config, SAMPLE_DAY))
  const open = Object.entries(documents).map(([name, { html }]) => ({
    group: 'Public pages',
    file: `public/${name}.md`,
    samples: [sampleOf(html)],
  }))
  return [...linked, ...translated, ...open]
}

/** The pages behind a working link of the staff: their footer says in whose name it acts, and until when. */
const WITH_ACTOR: readonly string[] = [
  'contacted',
  'attempted',
  'no-answer-needed',
  'assign',
  'not-a-lead',
  'release',
  'dismiss',
  'done',
  'open',
  'undo',
  'undismiss',
  'undone',
]

function shown(pages: Pages, name: string, sample: object): string {
  const actor = 'actor' in sample && sample.actor === null ? null : 'Kim Lee'
  const footer = WITH_ACTOR.includes(name) ? { actor, until: 'December 22' } : undefined
  return String(pages.show(name as 'open', sample as never, 200, footer).body)
}

const sampleOf = (html: string): Sample => {
  const [, title = ''] = /<h1[^>]*>(.*?)<\/h1>/s.exec(html) ?? []
  return { title: readableText(title), html }
}

const readableText = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', '’')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** A hash of the names, sizes and times of these files and of all files in these folders, and of `edited`. */
function versionOf(watched: string[], edited: string): string {
  const files = watched.flatMap(path =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map(name => join(path, name))
      : [path],
  )
  const hash = createHash('sha256').update(`${edited}\n`)
  for (const path of files) {
    const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? {}
    hash.update(`${path} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}
