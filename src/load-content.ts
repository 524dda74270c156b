/** Everything that is made from the content folders: at the start, and again after a text or setting was edited. */
import type { Logger } from 'pino'
import { defaultSettings } from './config/all-settings.ts'
import type { Config } from './config/config.ts'
import { contentDirs as foldersOf } from './content/content-files.ts'
import { templatesOf } from './follow-up/cadence.ts'
import { createFacts } from './forms/form-facts.ts'
import { createDocuments } from './http/discovery/document-routes.ts'
import { createPages } from './http/links/link-pages.ts'
import type { Route } from './http/router.ts'
import { createMessages } from './mail/render-messages.ts'
import { loadReplyTemplates } from './mail/reply-templates.ts'
import { delegating, following } from './platform/lazy.ts'
import type { Clock } from './platform/time.ts'
import type { Links } from './signed-links.ts'

/**
 * Loads the messages, the templates of replies, the pages behind their links, and the public documents. If any of them
 * is the operator's own, it also tries them out, together with the words of the forms. Throws an Error that names the
 * file and the problem when a file is missing, or does not pass the trial.
 */
export function loadContent(config: Config, links: Links, clock: Clock) {
  const contentDirs = foldersOf(config.settings.content, config.settings.texts)
  const templates = templatesOf(loadedAtOnce(config))
  const tryOut = config.settings.content !== undefined || !templates.every(isOurs)
  // The forms read their words only with the first request, so a mistake in them would be found late.
  if (tryOut) createFacts(config.settings, contentDirs)
  return {
    messages: createMessages({ ...config, links, templates, contentDirs, tryOut }),
    replies: loadReplyTemplates({ ...config, contentDirs, tryOut }),
    pages: createPages({ ...config, contentDirs, tryOut }),
    documents: createDocuments({ config, contentDirs, clock, tryOut }),
  }
}

export type LoadedContent = ReturnType<typeof loadContent>

/**
 * The content that `load` makes. It is loaded again after an edit in the console that affects it; if that fails, the
 * error is logged and the earlier content stays. At the start, texts of the console that cannot be loaded are left out:
 * no one could repair them in a service that does not start. Throws if the rest cannot be loaded.
 */
export function contentInForce(
  { settings }: Pick<Config, 'settings'>,
  load: () => LoadedContent,
  log: Pick<Logger, 'error'>,
): LoadedContent {
  let last = orWithoutTexts(settings, load, log)
  let first = true
  const current = following(
    () => contentSources(settings),
    () => {
      if (first) return last
      try {
        last = load()
      } catch (error) {
        log.error({ err: error }, 'the content that was edited in the console cannot be loaded; the earlier one stays')
      }
      return last
    },
  )
  current()
  first = false
  return {
    messages: delegating(() => current().messages),
    replies: delegating(() => current().replies),
    pages: delegating(() => current().pages),
    documents: {
      site: delegatingRoutes(() => current().documents.site),
      learn: delegatingRoutes(() => current().documents.learn),
    },
  }
}

/** The settings that content is made from and that may be edited in the console. */
export function contentSources({
  school,
  programs,
  forms,
  schoolForms,
  studentInterest,
  texts,
}: Config['settings']): unknown[] {
  const { name, phone, website, postalAddress, brand } = school
  return [
    name,
    phone,
    website,
    postalAddress,
    brand,
    programs,
    forms.student.consent,
    forms.site.consent,
    schoolForms,
    studentInterest.answers,
    texts,
  ]
}

function orWithoutTexts(settings: Config['settings'], load: () => LoadedContent, log: Pick<Logger, 'error'>) {
  const { texts } = settings
  if (texts === undefined || Object.keys(texts).length === 0) return load()
  try {
    return load()
  } catch (error) {
    settings.texts = {}
    const loaded = load()
    log.error({ err: error }, 'a text that was edited in the console cannot be used: the files are in force')
    return loaded
  }
}

/** Routes for the paths that exist now. At each request, a route does what the newest version of that route does. */
function delegatingRoutes(current: () => Record<string, Route>): Record<string, Route> {
  // When a logo is replaced, its old file stays at its path, because emails that were sent show it.
  const first = current()
  return Object.fromEntries(
    Object.entries(first).map(([path, route]) => [path, delegating(() => current()[path] ?? route)]),
  )
}

/**
 * What was edited in the console may name a message that someone has deleted since. The service starts anyway:
 * it could not be repaired in its console otherwise.
 */
const loadedAtOnce = ({ edited, fromFile, settings }: Config) =>
  edited.cadence && !edited.cadence.fromFile ? fromFile.followUp : settings.followUp

/** Our own content is tried out by our tests, not at each start (docs/decisions/0031). */
const isOurs = (template: string): boolean => templatesOf(defaultSettings.followUp).includes(template)
