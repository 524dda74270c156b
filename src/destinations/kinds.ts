/** The kinds of destinations: a file and a row for each. No other file may describe one of them. */
import type { DestinationKind } from './destination-kind.ts'
import { googleSheets } from './google-sheets.ts'
import { hubspot } from './hubspot.ts'
import { httpRequest } from './own-request.ts'
import { salesforce } from './salesforce.ts'
import { salesforceWebToLead } from './salesforce-web-to-lead.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'
import { webhook } from './webhook.ts'

const kinds: Record<string, DestinationKind> = {
  webhook,
  request: httpRequest,
  slack,
  teams,
  sheets: googleSheets,
  salesforce,
  weblead: salesforceWebToLead,
  hubspot,
}

export const everyKind: [string, DestinationKind][] = Object.entries(kinds)

/** Undefined if this version does not know the kind, for example a kind of a later version. */
export const kindNamed = (name: string): DestinationKind | undefined =>
  Object.hasOwn(kinds, name) ? kinds[name] : undefined
