/**
 * The OpenAPI 3.1.0 description of operation A. Fields and limits come from its schema, responses and examples from the
 * code that handles real requests, so that it cannot contradict them.
 *
 * It describes only submitting, and links to the documentation of dry runs.
 */
import { asciiMailbox, isPlainMailbox } from '../../leads/body/email.ts'
import { FINGERPRINT_LIFETIME } from '../../leads/body/idempotency.ts'
import { SITE_INTEREST, type Urls, urlsOf } from '../urls.ts'
import { type Example, siteExamples } from './examples.ts'
import { headers, responseObjects } from './openapi-responses.ts'
import { schemasOf } from './openapi-schemas.ts'
import { AGENT_RULE, NOT_OFFERED } from './policy.ts'
import type { PublicConfig } from './public-config.ts'
import { siteResponses } from './responses.ts'

/** The document as it is published on the day that began at `today`. */
export function openApiDocument(config: PublicConfig, today: number): object {
  const urls = urlsOf(config)
  return {
    openapi: '3.1.0',
    info: infoOf(config, urls),
    externalDocs: { description: 'API reference', url: urls.docs },
    servers: [{ url: urls.base, description: config.settings.school.name }],
    security: [],
    tags: [{ name: TAG, description: 'Inquiries from employers, partners and possible clinical sites.' }],
    paths: { [SITE_INTEREST]: { post: operationOf(config, urls, today) } },
    components: { schemas: schemasOf(config.settings), headers },
  }
}

const TAG = 'Site interest'

function infoOf({ settings: { school, contacts } }: PublicConfig, urls: Urls): object {
  return {
    title: `Site interest: ${school.name}`,
    version: '1.0.0',
    summary: 'For employers, partners and possible clinical sites that want the school to follow up.',
    description: [
      'One operation, JSON over HTTP POST, without credentials of any kind. Every response that is not a success is JSON with the single property `error`, a sentence that says what to change.',
      `**Automated agents** may call it ${AGENT_RULE}. The policy is at ${urls.policy}.`,
      `**Not offered** on any public interface: ${NOT_OFFERED.join(', ')}.`,
      `You can check a request without submitting it: ${urls.docs}#dry-run.`,
      `Prospective students use another operation. It has no machine-readable description; it is documented at ${urls.docs}.`,
    ].join('\n\n'),
    termsOfService: urls.policy,
    contact: { name: school.name, url: urls.developers, ...emailOf(contacts.developers) },
    // There is nothing to license. These are the terms on which the operation may be called.
    license: { name: 'Terms of use', url: urls.policy },
  }
}

/** The address in ASCII, which OpenAPI's format requires; left out if it has no ASCII form. */
const emailOf = (address: string | undefined): { email?: string } =>
  address !== undefined && isPlainMailbox(address) ? { email: asciiMailbox(address) } : {}

/** Agent platforms cut an operation's description at 300 characters, and a parameter's at 700. */
function operationOf(config: PublicConfig, urls: Urls, today: number): object {
  return {
    operationId: 'submitSiteInterest',
    tags: [TAG],
    summary: 'Submit site interest',
    description: `An employer, partner or possible clinical site asks the school to follow up. Automated agents may call this ${AGENT_RULE}.`,
    externalDocs: {
      description: 'Fields, responses, retries, and how to check a request without submitting it',
      url: urls.docs,
    },
    security: [],
    // OpenAI's convention: its agents ask the user before each call.
    'x-openai-isConsequential': true,
    'x-agent-policy': {
      requiresExplicitUserIntent: true,
      answersMustComeFromUser: true,
      genuineFollowUpOnly: true,
      notOffered: NOT_OFFERED,
      policy: urls.policy,
    },
    parameters: [idempotencyKey],
    requestBody: requestBodyOf(config, today),
    responses: responseObjects(siteResponses(config, today)),
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Makes a retry safe: once a submission is accepted, the same key with the same body returns the same response for as long as the submission is stored, and nothing is stored or sent twice. The same key with a different body returns 422. Generate a new key for each submission: 1 to 255 printable ASCII characters, as a quoted string or bare. \`X-Idempotency-Key\` works the same way; if you send both, they must be identical. Without a key, the same body within ${FINGERPRINT_LIFETIME / 3_600_000} hours counts as a retry.`,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
}

/**
 * Validators check the examples of a request against the schema. So bodies that break the schema have a place of their
 * own, each with its response.
 */
function requestBodyOf({ settings }: PublicConfig, today: number): object {
  const { fit = [], unfit = [] } = Object.groupBy(siteExamples(settings, today), example =>
    fitsSchema(example) ? 'fit' : 'unfit',
  )
  return {
    required: true,
    description: 'One JSON object in UTF-8. Any `application/*+json` is accepted as well.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/SiteInterest' },
        examples: Object.fromEntries(fit.map(({ name, summary, body }) => [name, { summary, value: body }])),
        'x-invalid-requests': Object.fromEntries(
          unfit.map(({ name, response, ...example }) => [name, { ...example, answer: response }]),
        ),
      },
    },
  }
}

/** A body with a filled-in honeypot breaks the schema, although settings may make it return 200. */
const fitsSchema = ({ status, body }: Example): boolean =>
  status === 200 && (body as { website: unknown }).website === ''
