/** Salesforce: each of our leads is a lead there, created or updated by our number for it. */
import { accessToken, jsonAs } from './access-tokens.ts'
import { crmFields, crmValues, fieldsIn, problemOfFields } from './crm-fields.ts'
import type { DestinationKind, Told } from './destination-kind.ts'
import type { Received, Send } from './send-request.ts'

const FIELDS = `FirstName = firstName
LastName = lastName
Email = email
Phone = phone
Company = company
Description = message
LeadSource = "Website"
`

/** Salesforce keeps each version for years. */
const VERSION = 'v60.0'

/** The text that Salesforce itself writes into a required field without a value. */
const NONE = '[not provided]'

/** Errors of the setup, which an admin can fix. Other errors are about this lead only. */
const OF_THE_SETUP = /"errorCode":"(INVALID_FIELD|INVALID_TYPE|NOT_FOUND|INSUFFICIENT_ACCESS|REQUEST_LIMIT_EXCEEDED)/

export const salesforce: DestinationKind = {
  name: 'Salesforce',
  about: 'A lead in Salesforce for each lead here, kept up to date.',
  guide: 'docs/salesforce.md',
  events: [
    'lead.created',
    'submission.received',
    'lead.assigned',
    'lead.stage_changed',
    'lead.reached',
    'lead.merged',
    'lead.unmerged',
    'lead.handed_over',
    'lead.erased',
  ],
  quiet: ['lead.assigned', 'lead.reached'],
  fields: [],
  chosen: [],
  fieldsIn,
  inputs: [
    {
      name: 'url',
      label: 'URL of your Salesforce',
      hint: 'Such as https://school.my.salesforce.com: under Setup, My Domain.',
    },
    { name: 'client', label: 'Consumer key', hint: 'Of the app that you created in Salesforce.' },
    {
      name: 'clientSecret',
      label: 'Consumer secret',
      hint: 'It is stored encrypted, and not shown again.',
      secret: true,
    },
    {
      name: 'externalId',
      label: 'Field with our number',
      hint: 'The API name of the field of leads that you marked as External ID.',
      value: 'Frontdesk_Id__c',
    },
    crmFields(FIELDS),
  ],
  problems: values => ({
    url: isPlain(values['url'] ?? '')
      ? undefined
      : 'Enter it without a path, such as https://school.my.salesforce.com.',
    externalId: /^\w+$/.test(values['externalId'] ?? '') ? undefined : 'Use letters, digits and _ only.',
    fields: problemOfFields(values),
  }),
  test: 'an invented lead',
  tell: async (told, send) => {
    const { client: client_id = '', clientSecret: client_secret = '' } = told.values
    const grant = { grant_type: 'client_credentials', client_id, client_secret }
    const token = await accessToken(send, new URL('/services/oauth2/token', told.values['url']).href, grant)
    return told.type === 'lead.erased' ? remove(told, { token, send }) : upsert(told, { token, send })
  },
  preview: told => JSON.stringify(crmValues(told), null, 2),
  verdict: ({ status, body }, type) => {
    if (status >= 200 && status < 300) return 'delivered'
    // The lead to erase is not, or no longer, in Salesforce.
    if (type === 'lead.erased' && status === 404 && !/external ID field/i.test(body)) return 'delivered'
    if (status === 300) return 'stop'
    return status === 400 && !OF_THE_SETUP.test(body.replaceAll(/\s/g, '')) ? 'stop' : 'failed'
  },
  responses: {
    access: 'the key or the secret is wrong, or the app has no user to run as. Correct them',
    300: 'several leads in Salesforce have our number. Merge them, mark the field Unique, then press Send it again',
    400: 'Salesforce does not accept the lead, and its response says why. If a name is wrong, correct it under Fields; otherwise correct the lead, then press Send it again',
    403: 'the user of the app may not do this, or the organization has used up its requests for the day, as the response says. Give the user the permission, or wait',
    404: 'Salesforce does not know the field with our number. Create it, or enter its API name',
    410: 'Salesforce has retired this version of its API, so the destination is switched off. Update Frontdesk, and switch it on',
  },
}

type Access = { token: string; send: Send }

const remove = (told: Told, { token, send }: Access): Promise<Received> =>
  send({ method: 'DELETE', url: addressOf(told), headers: jsonAs(token), body: '' })

/** Fills in required fields that we do not know only if Salesforce asks for them: someone may have entered them. */
async function upsert(told: Told, { token, send }: Access): Promise<Received> {
  const values = crmValues(told)
  const patch = (body: Record<string, string>) =>
    send({ method: 'PATCH', url: addressOf(told), headers: jsonAs(token), body: JSON.stringify(body) })
  const response = await patch(values)
  const isIncomplete = response.status === 400 && response.body.includes('REQUIRED_FIELD_MISSING')
  return isIncomplete ? patch({ LastName: NONE, Company: NONE, ...values }) : response
}

function addressOf({ data, values }: Told): string {
  const path = `/services/data/${VERSION}/sobjects/Lead/${values['externalId']}/${data.lead?.['id']}`
  return new URL(path, values['url']).href
}

function isPlain(url: string): boolean {
  const { pathname = '', search = '', hash = '' } = URL.parse(url) ?? {}
  return pathname === '/' && search === '' && hash === ''
}
