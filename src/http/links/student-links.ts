/** The links in emails to students: unsubscribe, and "this was not me". */
import type { Links } from '../../signed-links.ts'
import type { HttpResponse, Route } from '../router.ts'
import type { LinkActions } from './link-actions.ts'
import type { Pages } from './link-pages.ts'

type Dependencies = {
  links: Pick<Links, 'readStudent'>
  pages: Pages
  act: LinkActions['actForStudent']
}

const afterwards = { unsubscribe: 'unsubscribed', 'not-me': 'not-me-done' } as const

/**
 * GET asks and POST acts, so that programs that open every link change nothing. The pages show
 * nothing of the person: anyone to whom the email is forwarded can open its links.
 */
export function studentLinkRoute({ links, pages, act }: Dependencies): Route {
  const broken = brokenLink(pages)
  return {
    GET: async (_, token) => {
      const link = links.readStudent(token)
      return link === undefined ? broken() : pages.show(link.action, {})
    },
    // This also serves a mail program that unsubscribes by itself: any body will do, and a valid link
    // responds with 200, never with a redirect (RFC 8058 section 3.1).
    POST: async (_, token) => {
      const link = links.readStudent(token)
      if (link === undefined) return broken()
      await act(link.action, link.leadId, link.since)
      return pages.show(afterwards[link.action], {})
    },
  }
}

/** Whatever a client accepts, it gets this page: a person wants to unsubscribe. */
export const brokenLink = (pages: Pages) => (): HttpResponse => pages.show('broken-link', {}, 404)
