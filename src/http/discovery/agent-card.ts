/**
 * The agent card (A2A 1.0) of a service that is not an agent. A2A clients look for one, so it tells
 * them what to use instead, and gives them no URL to which they would post A2A messages.
 */
import { webLink } from '../../content/contact-links.ts'
import { urlsOf } from '../urls.ts'
import { AGENT_RULE } from './policy.ts'
import type { PublicConfig } from './public-config.ts'

const JSON_TYPE = 'application/json'

/**
 * Contains every field that A2A 1.0 requires (section 5.7), and nothing that a client of any version would call: no
 * core binding, and no `url`, `preferredTransport` or `protocolVersion` of the card. Only site interest is a skill;
 * student interest has no machine-readable description.
 */
export function agentCard(config: PublicConfig): object {
  const { school } = config.settings
  const urls = urlsOf(config)
  return {
    name: `${school.name}: site interest`,
    description: [
      `Accepts inquiries from employers, partners and possible clinical sites that want ${school.name} to follow up.`,
      'This is not an agent, and no A2A operation is implemented: A2A messages sent here are rejected.',
      `Instead, POST plain JSON to ${urls.siteInterest}, as described by ${urls.openapi}. No credentials are needed.`,
      `Automated agents may call ${AGENT_RULE}.`,
      `Prospective students use another operation, which is not a skill of this card; see ${urls.docs}.`,
      'There are no student accounts, payments or enrollment here.',
    ].join(' '),
    // A2A requires an interface. A binding must implement A2A's operations (section 12.1), which ours does not, so it
    // is a custom one. Its name is a URI (section 5.8) that no client knows or calls.
    supportedInterfaces: [
      { url: urls.siteInterest, protocolBinding: `${urls.developers}#plain-http-json`, protocolVersion: '1.0' },
    ],
    provider: { organization: school.name, url: school.website ? webLink(school.website) : urls.base },
    version: '1.0.0',
    documentationUrl: urls.developers,
    capabilities: {
      streaming: false,
      pushNotifications: false,
      extensions: [
        {
          uri: `${urls.developers}#discovery`,
          description: 'Where the operation behind the skill is described. This is data, and does not change any call.',
          required: false,
          params: {
            openapi: urls.openapi,
            operationId: 'submitSiteInterest',
            apiCatalog: urls.catalog,
            documentation: urls.docs,
          },
        },
      ],
    },
    defaultInputModes: [JSON_TYPE],
    defaultOutputModes: [JSON_TYPE],
    skills: [
      {
        id: 'submitSiteInterest',
        name: 'Submit site interest',
        description: `Asks ${school.name} to follow up with an employer, a partner or a possible clinical site. The partnerships team is notified by email. People work on every request, so call this only for someone who wants that.`,
        tags: ['employers', 'partners', 'clinical sites', 'follow-up'],
        examples: [
          `Tell ${school.name} that our hospital would like to host students, and have them call me back.`,
          `Ask ${school.name} whether our company could become a partner; here are our address and phone number.`,
        ],
      },
    ],
  }
}
