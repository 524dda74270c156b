/** The pages that a person with a browser gets instead of an error for programs. */
import type { IncomingMessage } from 'node:http'
import { languageFor } from '../../leads/body/languages.ts'
import { preferredLanguage } from '../content-negotiation.ts'
import type { ErrorPage, Route } from '../router.ts'
import type { Pages } from './link-pages.ts'

type ForVisitors = { languages: readonly string[]; studentForm: string }

/** Error pages for visitors, in the school's language that their browser prefers, with a link to the students' form. */
export const createErrorPage =
  (pages: Pages, { languages, studentForm }: ForVisitors): ErrorPage =>
  ({ status, message }, docs, request) => {
    const docs_url = docs ?? null
    const language = languageOf(request, languages)
    return status === 404
      ? pages.showIn(language, 'not-found', { docs_url, student_form_url: studentForm }, status)
      : pages.showIn(language, 'error', { status, message, docs_url }, status)
  }

/** Error pages for the staff, in English. */
export const createStaffErrorPage =
  (pages: Pages): ErrorPage =>
  ({ status, message }) =>
    status === 404
      ? pages.show('not-found', { docs_url: null, student_form_url: null }, status)
      : pages.show('error', { status, message, docs_url: null }, status)

/** The root page of the learn host: people look for its form there. */
export const homeRoute = (pages: Pages, { languages, studentForm }: ForVisitors): Route => ({
  GET: async request => pages.showIn(languageOf(request, languages), 'home', { student_form_url: studentForm }),
})

/** The language of the school that a browser asks for, otherwise the school's first. */
export const languageOf = ({ headers }: Pick<IncomingMessage, 'headers'>, languages: readonly string[]): string =>
  languageFor(preferredLanguage(headers['accept-language'], languages), languages)
