/** The pages that a person with a browser gets instead of an error for programs. */
import type { IncomingMessage } from 'node:http'
import { languageFor } from '../../leads/body/languages.ts'
import { preferredLanguage } from '../content-negotiation.ts'
import type { ErrorPage, Route } from '../router.ts'
import type { Pages } from './link-pages.ts'

/** For visitors, in the one of these languages that their browser prefers. */
export const createErrorPage =
  (pages: Pages, languages: readonly string[]): ErrorPage =>
  ({ status, message }, docs, request) => {
    const docs_url = docs ?? null
    const language = languageOf(request, languages)
    return status === 404
      ? pages.showIn(language, 'not-found', { docs_url }, status)
      : pages.showIn(language, 'error', { status, message, docs_url }, status)
  }

/** The same for the staff, in English. */
export const createStaffErrorPage =
  (pages: Pages): ErrorPage =>
  ({ status, message }) =>
    status === 404
      ? pages.show('not-found', { docs_url: null }, status)
      : pages.show('error', { status, message, docs_url: null }, status)

/** The root of a host that has nothing to show there. */
export const homeRoute = (pages: Pages, languages: readonly string[]): Route => ({
  GET: async request => pages.showIn(languageOf(request, languages), 'home', {}),
})

/** The language of the school that a browser asks for, otherwise the school's first. */
export const languageOf = ({ headers }: Pick<IncomingMessage, 'headers'>, languages: readonly string[]): string =>
  languageFor(preferredLanguage(headers['accept-language'], languages), languages)
