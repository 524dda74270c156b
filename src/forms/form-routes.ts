/** The routes of the forms. The code that handles them is loaded with the first request. */
import type { Handler, Route } from '../http/router.ts'
import { SITE_FORM, STUDENT_FORM } from '../http/urls.ts'
import type { Kind } from '../leads/body/submission.ts'
import { lazy } from '../platform/lazy.ts'
import type { Form } from './forms.ts'

/** `load` is called once. */
export function formRoutes(load: () => Promise<Record<Kind, Form>>): Record<Kind, Record<string, Route>> {
  const forms = lazy(load)
  const handler =
    (kind: Kind, what: keyof Form): Handler =>
    async (request, segment) =>
      (await forms())[kind][what](request, segment)
  const routes = (kind: Kind, path: string): Record<string, Route> => ({
    [path]: { GET: handler(kind, 'show'), POST: handler(kind, 'receive') },
    [`${path}/sent`]: { GET: handler(kind, 'sent') },
  })
  return { student: routes('student', STUDENT_FORM), site: routes('site', SITE_FORM) }
}
