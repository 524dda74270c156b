/** HubSpot: each inquiry as a submission of a form, which creates or updates a contact by its email address. */
import { jsonAs } from './access-tokens.ts'
import { crmFields, crmValues, fieldsIn, problemOfFields } from './crm-fields.ts'
import { type DestinationKind, NotTold, type Told } from './destination-kind.ts'

const FIELDS = `firstname = firstName
lastname = lastName
email = email
phone = phone
company = company
message = message
`

/** Errors about this person only. An admin can fix all other errors. */
const OF_THE_PERSON =
  /INVALID_EMAIL|BLOCKED_EMAIL|INPUT_TOO_LARGE|INVALID_NUMBER|NUMBER_OUT_OF_RANGE|VALUE_NOT_IN_FIELD/

const NO_ENTRY = 'the token is wrong, or its app lacks the scope forms. Enter the token of an app that has it'

export const hubspot: DestinationKind = {
  name: 'HubSpot',
  about: 'A contact in HubSpot for each person with an email address, by a form that you make there.',
  guide: 'docs/hubspot.md',
  events: [
    'lead.created',
    'submission.received',
    'lead.stage_changed',
    'lead.reached',
    'lead.handed_over',
    'lead.erased',
  ],
  // The first inquiry already comes as a submission, so a new destination does not need the events of new leads.
  quiet: ['lead.created', 'lead.stage_changed', 'lead.reached'],
  fields: [],
  chosen: [],
  fieldsIn: values => [...new Set([...fieldsIn(values), 'email' as const])],
  inputs: [
    {
      name: 'url',
      label: 'Address of the API',
      hint: 'Leave it, unless HubSpot names another for your account.',
      value: 'https://api.hsforms.com',
    },
    { name: 'portal', label: 'Hub ID', hint: 'The number of your account, at the top right in HubSpot.' },
    { name: 'form', label: 'Form ID', hint: 'From the address of the form’s page, such as 319478e5-e5fd-4d39-9d13-…' },
    {
      name: 'token',
      label: 'Access token',
      hint: 'Of a private app with the scope forms. It is stored encrypted, and not shown again.',
      secret: true,
    },
    crmFields(FIELDS),
  ],
  problems: values => ({
    portal: /^\d+$/.test(values['portal'] ?? '') ? undefined : 'It has digits only.',
    form: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(values['form'] ?? '')
      ? undefined
      : 'It has 32 letters and digits in five groups, with - in between.',
    fields: problemOfFields(values),
  }),
  test: 'an invented lead',
  tell: async (told, send) => {
    if (told.type === 'lead.erased') throw new NotTold('a form cannot delete: delete the contact in HubSpot')
    if (!told.data.lead?.['email'])
      throw new NotTold('HubSpot recognizes people by email address, and the lead has none')
    const { url, portal, form, token = '' } = told.values
    const path = `/submissions/v3/integration/secure/submit/${portal}/${form}`
    return send({ method: 'POST', url: new URL(path, url).href, headers: jsonAs(token), body: bodyOf(told) })
  },
  preview: bodyOf,
  verdict: ({ status, body }) => {
    if (status >= 200 && status < 300) return 'delivered'
    if (status === 404) return 'gone'
    return status === 400 && OF_THE_PERSON.test(body) ? 'stop' : 'failed'
  },
  responses: {
    400: 'HubSpot does not accept what we sent, and its response says why. If it is about a value, correct the lead, then press Send it again; otherwise correct the form or the fields',
    401: NO_ENTRY,
    403: NO_ENTRY,
    404: 'the form does not exist, so the destination is switched off. Enter the ID of one that does, and switch it on',
    429: 'too much at once. There is nothing to do: we wait a minute, because HubSpot blocks clients that keep trying',
  },
}

/** It leaves out `hutk`: a cookie could turn one person into another. */
function bodyOf(told: Told): string {
  const fields = Object.entries(crmValues(told)).map(([name, value]) => ({ objectTypeId: '0-1', name, value }))
  return JSON.stringify({ submittedAt: Date.parse(told.timestamp), fields }, null, 2)
}
