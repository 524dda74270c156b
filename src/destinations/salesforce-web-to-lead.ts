/** Salesforce Web-to-Lead: a form that accepts leads without a login. It does not report whether they are accepted. */
import { crmFields, crmValues, fieldsIn, problemOfFields } from './crm-fields.ts'
import { type DestinationKind, NotTold, type Told } from './destination-kind.ts'

const FIELDS = `first_name = firstName
last_name = lastName
email = email
phone = phone
company = company
description = message
lead_source = "Website"
`

export const salesforceWebToLead: DestinationKind = {
  name: 'Salesforce Web-to-Lead',
  about:
    'A new lead in Salesforce, without an app there: simpler, but Salesforce does not say whether it kept the lead.',
  guide: 'docs/salesforce.md',
  events: ['lead.created', 'submission.received', 'lead.handed_over', 'lead.erased'],
  quiet: ['submission.received'],
  fields: [],
  chosen: [],
  fieldsIn,
  inputs: [
    {
      name: 'url',
      label: 'URL',
      hint: 'The action of the form that Salesforce makes.',
      value: 'https://webto.salesforce.com/servlet/servlet.WebToLead?encoding=UTF-8',
    },
    { name: 'oid', label: 'Organization ID', hint: 'The value of oid in that form: 15 letters and digits.' },
    crmFields(FIELDS),
  ],
  problems: values => ({
    oid: /^\w{15}(\w{3})?$/.test(values['oid'] ?? '') ? undefined : 'It has 15 letters and digits, or 18.',
    fields: problemOfFields(values),
  }),
  test: 'an invented lead',
  unconfirmed: 'Salesforce responds the same when it rejects a lead: look for it there.',
  tell: async (told, send) => {
    if (told.type === 'lead.erased') throw new NotTold('Web-to-Lead cannot delete: delete the lead in Salesforce')
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    return send({
      method: 'POST',
      url: told.values['url'] ?? '',
      headers,
      body: new URLSearchParams(formOf(told)).toString(),
    })
  },
  preview: told => JSON.stringify(formOf(told), null, 2),
  verdict: ({ status }) => (status >= 200 && status < 300 ? 'delivered' : 'failed'),
}

/** Salesforce requires both names. */
const formOf = (told: Told): Record<string, string> => ({
  oid: told.values['oid'] ?? '',
  last_name: '[not provided]',
  company: '[not provided]',
  ...crmValues(told),
})
