/** Everything that is made from the content folders when the service starts. */
import { defaultSettings } from './config/all-settings.ts'
import type { Config } from './config/config.ts'
import { contentDirs as foldersOf } from './content/content-files.ts'
import { templatesOf } from './follow-up/cadence.ts'
import { createFacts } from './forms/form-facts.ts'
import { createDocuments } from './http/discovery/document-routes.ts'
import { createPages } from './http/links/link-pages.ts'
import { createMessages } from './mail/render-messages.ts'
import { loadReplyTemplates } from './mail/reply-templates.ts'
import type { Clock } from './platform/time.ts'
import type { Links } from './signed-links.ts'

/**
 * Loads the messages, the templates of replies, the pages behind their links, and the public documents, and
 * tries them out, with the words of the forms, if any of them is the operator's own. Throws an Error that
 * names the file and the problem when one is missing, or one that is tried out is broken.
 */
export function loadContent(config: Config, links: Links, clock: Clock) {
  const contentDirs = foldersOf(config.settings.content)
  const templates = templatesOf(loadedAtOnce(config))
  const tryOut = config.settings.content !== undefined || !templates.every(isOurs)
  // The forms read their words with the first request, which would be late for a mistake in them.
  if (tryOut) createFacts(config.settings, contentDirs)
  return {
    messages: createMessages({ ...config, links, templates, contentDirs, tryOut }),
    replies: loadReplyTemplates({ ...config, contentDirs, tryOut }),
    pages: createPages({ ...config, contentDirs, tryOut }),
    documents: createDocuments({ config, contentDirs, clock, tryOut }),
  }
}

/**
 * What was edited in the console may name a message that someone has deleted since. The service starts anyway:
 * it could not be repaired in its console otherwise.
 */
const loadedAtOnce = ({ edited, fromFile, settings }: Config) =>
  edited.cadence && !edited.cadence.fromFile ? fromFile.followUp : settings.followUp

/** Our own content is tried out by our tests, not at each start (docs/decisions/0031). */
const isOurs = (template: string): boolean => templatesOf(defaultSettings.followUp).includes(template)
