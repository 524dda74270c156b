/** The script of the forms, one file for the hosted pages and for pages that embed a form. */
import { readContent } from '../../content/content-files.ts'
import { documentRoute, representation } from '../documents.ts'
import type { Route } from '../router.ts'
import type { Urls } from '../urls.ts'

/** In the order in which they need each other. */
const FILES = ['forms/fields.js', 'forms/form.js', 'forms/embed.js']

/**
 * Nothing in it is visible to the page around it, and a page that loads it twice runs it once. Throws an
 * Error that names the file if one cannot be read.
 */
function formScript(urls: Urls, contentDirs: string[]): string {
  const forms = { site: urls.siteForm, student: urls.studentForm }
  return [
    '(() => {',
    "'use strict'",
    "if (customElements.get('frontdesk-form')) return",
    `const FORMS = ${JSON.stringify(forms)}`,
    ...FILES.map(name => readContent(name, contentDirs).trim()),
    '})()\n',
  ].join('\n')
}

/** Any page may load it, one that isolates itself (COEP) included. */
export const formScriptRoute = (urls: Urls, contentDirs: string[]): Route =>
  documentRoute(
    representation('text/javascript; charset=utf-8', formScript(urls, contentDirs), {
      'Cross-Origin-Resource-Policy': 'cross-origin',
    }),
  )
