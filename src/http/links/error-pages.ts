/** The pages that a person with a browser gets instead of an error for programs. */
import type { ErrorPage, Route } from '../router.ts'
import type { Pages } from './link-pages.ts'

export const createErrorPage =
  (pages: Pages): ErrorPage =>
  ({ status, message }, docs) => {
    const docs_url = docs ?? null
    return status === 404
      ? pages.show('not-found', { docs_url }, status)
      : pages.show('error', { status, message, docs_url }, status)
  }

/** The root of a host that has nothing to show there. */
export const homeRoute = (pages: Pages): Route => ({ GET: async () => pages.show('home', {}) })
