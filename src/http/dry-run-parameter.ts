/**
 * Reads the query parameter that asks for a dry run: `validateOnly=true`. Its name and similar names are in
 * `leads/body/dry-run-name.ts`, since a body may contain them by mistake, too.
 */
import type { IncomingMessage } from 'node:http'
import { meansDryRun, saysDryRun, seemsDryRun, VALIDATE_ONLY } from '../leads/body/dry-run-name.ts'
import { errors } from './errors.ts'

/** Headers by which other services are asked for a dry run. */
const HEADERS = ['dry-run', 'x-dry-run', 'x-dryrun', 'validate-only', 'x-validate-only', 'x-test']

/**
 * Whether a request is a dry run, according to its target. Other parameters are ignored. Throws 400 for every value but
 * `true` and `false`, and for a parameter or header that seems to mean this one: a person who only wanted to try must
 * never submit.
 */
export function readDryRun({ url: target = '', headers }: DryRunRequest): boolean {
  const { prefer } = headers
  if (HEADERS.some(name => name in headers) || (prefer !== undefined && meansDryRun(String(prefer))))
    throw errors.dryRunHeader()
  const query = target.indexOf('?')
  if (query < 0) return false
  const text = target.slice(query)
  if (text === aboutOther) return false
  const values = new Set<string>()
  for (const [name, value] of parameters(text.slice(1))) {
    if (name === VALIDATE_ONLY) values.add(value)
    else if (seemsDryRun(name, value)) throw errors.dryRunName()
  }
  if (values.size === 0) {
    if (saysDryRun(decoded(text))) throw errors.dryRunName()
    aboutOther = text
    return false
  }
  const [value, ...others] = values
  if (others.length > 0 || (value !== 'true' && value !== 'false')) throw errors.dryRunValue()
  return value === 'true'
}

/** The last query that had nothing to do with dry runs: forms are sent to the same URL again and again. */
let aboutOther = ''

/** The query to repeat in another URL, if this request may have been meant as a dry run; empty otherwise. */
export const dryRunQuery = (target = ''): string => (saysDryRun(decoded(target)) ? `?${VALIDATE_ONLY}=true` : '')

type DryRunRequest = Pick<IncomingMessage, 'url' | 'headers'>

/** Someone who appends to a URL that already has a query may write another `?`, or `&amp;`. */
const parameters = (query: string) => new URLSearchParams(query.replaceAll(/[?;]/g, '&'))

/** The text before it was encoded: some clients encode it up to three times by mistake. */
function decoded(text: string): string {
  try {
    return [1, 2, 3].reduce(plainer => decodeURIComponent(plainer), text)
  } catch {
    return text
  }
}
