/**
 * Independent validators of OpenAPI documents. Each returns one line per message, whatever its
 * severity, and an empty list for a document without problems. None of them uses the network.
 */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ruleset, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

/** Redocly's strictest rules, `recommended-strict`. They reject servers at localhost. */
export async function redocly(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const source = JSON.stringify(document, null, 2)
  const problems = await lintFromString({ source, config })
  return problems.map(({ ruleId, message, location: [at] }) => `${ruleId} at ${at?.pointer}: ${message}`)
}

/** Every rule of `spectral:oas`, including those that are off by default. */
export async function spectral(document: object): Promise<string[]> {
  const linter = new Spectral()
  linter.setRuleset(new Ruleset({ extends: [[oas, 'all']] }))
  const results = await linter.run(JSON.stringify(document, null, 2))
  return results.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)
}

/** OpenAPI's own JSON Schema. */
export async function openApiSchema(document: object): Promise<string[]> {
  const { valid, errors = [] } = await new Validator().validate({ ...document })
  if (valid) return []
  return typeof errors === 'string' ? [errors] : errors.map(({ instancePath, message }) => `${instancePath} ${message}`)
}
