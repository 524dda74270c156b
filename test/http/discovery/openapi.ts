/** The OpenAPI description as its tests read it. */
import { checkSettings, type PartialSettings } from '../../../src/config/settings.ts'
import { openApiDocument } from '../../../src/http/discovery/openapi.ts'

type Named<T> = Record<string, T>
type Example = { summary: string; value: unknown }

export type Property = {
  type: string
  description: string
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

export type ObjectSchema = {
  type: string
  description: string
  additionalProperties: boolean
  required: string[]
  properties: Named<Property>
}

type Body<M = unknown> = {
  content: { 'application/json': M & { schema: { $ref: string }; examples?: Named<Example> } }
}

export type Operation = {
  operationId: string
  description: string
  security: unknown[]
  parameters: { name: string; in: string; required: boolean; description: string; schema: Property }[]
  requestBody: Body<{ 'x-invalid-requests': Named<Invalid> }> & { description: string }
  responses: Named<Body & { description: string; headers?: Named<{ $ref: string }> }>
  'x-openai-isConsequential': boolean
  'x-agent-policy': Named<unknown>
}

type Invalid = { summary: string; status: number; body: unknown; answer: unknown }

export type Document = {
  openapi: string
  info: Named<unknown> & { version: string; description: string; contact: Named<string> }
  servers: { url: string }[]
  security: unknown[]
  paths: Named<Named<Operation>>
  components: { schemas: Named<ObjectSchema>; headers: Named<Property> }
}

/** The day of the examples. */
export const TODAY = Date.parse('2026-11-21')

export const BASE = 'https://www.school-of-austin.org'
export const LEARN = 'https://learn.school-of-austin.org'

/** With everything that a school may say about itself. */
const complete: PartialSettings = {
  school: { name: 'School of Austin' },
  contacts: { developers: 'developers@school-of-austin.org' },
}

export const configWith = (settings: PartialSettings = complete) => ({
  baseUrl: BASE,
  learnUrl: LEARN,
  settings: checkSettings(settings).settings,
})

export const documentWith = (settings?: PartialSettings): Document =>
  openApiDocument(configWith(settings), TODAY) as Document

export const operationOf = ({ paths }: Document): Operation => paths['/api/site-interest']?.['post'] as Operation

export const schemaOf = ({ components }: Document): ObjectSchema => components.schemas['SiteInterest'] as ObjectSchema
