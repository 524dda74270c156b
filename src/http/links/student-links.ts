/** The student's rights: what the links in letters to students lead to. */
import type { Links, StudentLink } from '../../signed-links.ts'
import { HttpError } from '../errors.ts'
import type { Route } from '../router.ts'
import type { Pages } from './link-pages.ts'
import type { Actions } from './staff-links.ts'

type Parts = {
  links: Pick<Links, 'readStudent'>
  pages: Pages
  exercise: Actions['student']
}

const afterwards = { unsubscribe: 'unsubscribed', 'not-me': 'not-me-done' } as const

/**
 * GET asks, POST acts, so that programs that look at every link change nothing. The pages show
 * nothing of the person: whoever a letter is forwarded to can open its links.
 */
export function rightsRoute({ links, pages, exercise }: Parts): Route {
  return {
    GET: async (_, token) => pages.show(opened(links.readStudent(token)).action, {}),
    // A mail program that unsubscribes by itself gets what it needs, too: any body will do, and no
    // answer but 200 comes from a valid link (RFC 8058 section 3.1).
    POST: async (_, token) => {
      const { action, leadId, createdAt } = opened(links.readStudent(token))
      await exercise(action, leadId, createdAt)
      return pages.show(afterwards[action], {})
    },
  }
}

function opened(link: StudentLink | undefined): StudentLink {
  if (link !== undefined) return link
  throw new HttpError(
    404,
    "This link was cut off. Try it again from the email, or reply to the email and we'll take care of it.",
  )
}
