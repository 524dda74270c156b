/** Everything that is made from the content folders when the service starts. */
import type { Config } from './config/config.ts'
import { contentDirs as foldersOf } from './content/files.ts'
import { templatesOf } from './follow-up/cadence.ts'
import { createDocuments } from './http/discovery/routes.ts'
import { createPages } from './http/links/link-pages.ts'
import { createMessages } from './mail/render-messages.ts'
import type { Clock } from './platform/time.ts'
import type { Links } from './signed-links.ts'

/**
 * Loads and tries out the messages, the pages behind their links, and the public documents. Throws
 * an Error that names the file and the problem when one is missing or broken.
 */
export function loadContent(config: Config, links: Links, clock: Clock) {
  const contentDirs = foldersOf(config.settings.content)
  const templates = templatesOf(config.settings.followUp)
  return {
    messages: createMessages({ ...config, links, templates, contentDirs }),
    pages: createPages({ ...config, contentDirs }),
    documents: createDocuments({ config, contentDirs, clock }),
  }
}
