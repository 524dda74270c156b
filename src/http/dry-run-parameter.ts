/** The query parameter that asks for a dry run: `validateOnly=true`. */
import { meansDryRun, saysDryRun, VALIDATE_ONLY } from '../leads/dry-run.ts'
import { HttpError } from './errors.ts'

/**
 * Whether a request, by its target, is a dry run. Other parameters are ignored. Throws 400 for every
 * value but `true` and `false`, and for a name that seems to mean this one: who only wanted to try
 * must never submit.
 */
export function readValidateOnly(target = ''): boolean {
  const query = target.indexOf('?')
  if (query < 0) return false
  const values = new Set<string>()
  for (const [name, value] of parameters(target.slice(query + 1))) {
    if (name === VALIDATE_ONLY) values.add(value)
    else if (meansDryRun(name)) throw misnamed()
  }
  if (values.size === 0 && saysDryRun(decoded(target.slice(query)))) throw misnamed()
  const [value = 'false', ...others] = values
  if (others.length > 0 || (value !== 'true' && value !== 'false')) throw neither()
  return value === 'true'
}

/** Whoever appends to an address that has a query may write another `?`, or `&amp;`. */
const parameters = (query: string) => new URLSearchParams(query.replaceAll(/[?;]/g, '&'))

/** As it was before it was encoded, by whatever mistake up to three times. */
function decoded(text: string): string {
  try {
    return [1, 2, 3].reduce(plainer => decodeURIComponent(plainer), text)
  } catch {
    return text
  }
}

const TO_TRY = `Send ${VALIDATE_ONLY}=true to have the request checked without submitting it, or leave it out to submit.`

const neither = () =>
  new HttpError(400, `${VALIDATE_ONLY} must be true or false, and only one of them. ${TO_TRY}`)

const misnamed = () =>
  new HttpError(400, `The name of the parameter is ${VALIDATE_ONLY}. ${TO_TRY}`)
