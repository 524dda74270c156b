/** The links in emails to students: unsubscribe, and "this was not me". */
import type { IncomingMessage } from 'node:http'
import type { Links, StudentLink } from '../../signed-links.ts'
import type { HttpResponse, Route } from '../router.ts'
import { languageOf } from './link-error-pages.ts'
import type { Pages } from './link-pages.ts'
import type { StudentActions } from './student-actions.ts'

type StudentLinkServices = {
  links: Pick<Links, 'readStudent'>
  pages: Pages
  languages: readonly string[]
  actions: StudentActions
}

const afterwards = { unsubscribe: 'unsubscribed', 'not-me': 'not-me-done' } as const

/**
 * GET asks and POST acts, so that programs that open every link change nothing. The pages show nothing about the
 * person: anyone who gets the email forwarded can open its links.
 */
export function studentLinkRoute({ links, pages, languages, actions }: StudentLinkServices): Route {
  const broken = brokenLink(pages, languages)
  /** The language of the email; if the lead is gone or cannot be read, the language of the browser. */
  const languageFor = async (request: IncomingMessage, { leadId }: StudentLink) =>
    (await actions.languageOfLead(leadId).catch(() => undefined)) ?? languageOf(request, languages)
  return {
    GET: async (request, token) => {
      const link = links.readStudent(token)
      if (link === undefined) return broken(request)
      return pages.showIn(await languageFor(request, link), link.action, {})
    },
    // This also serves a mail program that unsubscribes automatically: any body will do, and a valid link responds with
    // 200, never with a redirect (RFC 8058 section 3.1).
    POST: async (request, token) => {
      const link = links.readStudent(token)
      if (link === undefined) return broken(request)
      const acted = await actions.act(link.action, link.leadId, link.since)
      return pages.showIn(await languageFor(request, link), acted ? afterwards[link.action] : 'nothing-stored', {})
    },
  }
}

/** Whatever a client accepts, it gets this page: a person wants to unsubscribe. */
export const brokenLink =
  (pages: Pages, languages: readonly string[]) =>
  (request: IncomingMessage): HttpResponse =>
    pages.showIn(languageOf(request, languages), 'broken-link', {}, 404)
