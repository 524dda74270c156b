/** Checks the body of a request to the private API: whether it has the properties of its schema. */
import { apiErrors } from './api-errors.ts'
import type { ApiRoute, Schema } from './api-route.ts'

type BodySchema = NonNullable<ApiRoute['body']>

/** Throws 400 with all problems at once. Checks only the types of properties; the route itself checks values. */
export function checkBody(body: unknown, schema: BodySchema): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw apiErrors.invalid('The body must be one JSON object')
  const { properties, required } = schema
  const problems = [
    ...Object.entries(body).flatMap(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (property === undefined) return [`${name} is not known here`]
      const wanted = wantedOf(property)
      return fits(value, property) ? [] : [`${name} must be ${wanted}`]
    }),
    ...required
      .filter(name => !Object.hasOwn(body, name))
      .map(name => `${name} must be ${wantedOf(properties[name] ?? {})}`),
  ]
  if (problems.length > 0) throw apiErrors.invalid(problems.join('; '))
  return body as Record<string, unknown>
}

const typesOf = ({ type }: Schema): unknown[] => [type].flat()

function fits(value: unknown, schema: Schema): boolean {
  const { enum: choices, items } = schema
  if (Array.isArray(choices)) return choices.includes(value)
  if (value === null) return typesOf(schema).includes('null')
  if (items !== undefined) return Array.isArray(value) && value.every(one => fits(one, items as Schema))
  // PostgreSQL cannot store a NUL in a text.
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0') && value.length <= MOST
}

/** The longest text, in UTF-16 units. */
const MOST = 10_000

function wantedOf(schema: Schema): string {
  const { enum: choices, items } = schema
  if (Array.isArray(choices)) return `one of ${choices.join(', ')}`
  if (items !== undefined) return `a list, each ${wantedOf(items as Schema)}`
  return typesOf(schema).includes('null') ? 'text, or null' : 'text'
}
