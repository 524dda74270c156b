/** The links in emails to students: unsubscribe, and "this was not me". */
import type { Links, StudentLink } from '../../signed-links.ts'
import { errors } from '../errors.ts'
import type { Route } from '../router.ts'
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
  return {
    GET: async (_, token) => pages.show(valid(links.readStudent(token)).action, {}),
    // This also serves a mail program that unsubscribes by itself: any body will do, and a valid link
    // responds with 200, never with a redirect (RFC 8058 section 3.1).
    POST: async (_, token) => {
      const { action, leadId, createdAt } = valid(links.readStudent(token))
      await act(action, leadId, createdAt)
      return pages.show(afterwards[action], {})
    },
  }
}

function valid(link: StudentLink | undefined): StudentLink {
  if (link === undefined) throw errors.brokenLink()
  return link
}
