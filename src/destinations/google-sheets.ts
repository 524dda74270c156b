/** Google Sheets: a row for each event, added by a service account. */
import { createPrivateKey, sign } from 'node:crypto'
import { SECOND } from '../platform/time.ts'
import { accessToken, jsonAs } from './access-tokens.ts'
import type { DestinationKind, Told } from './destination-kind.ts'
import { everyField } from './event-payload.ts'
import type { Received, Send } from './send-request.ts'

const SCOPE = 'https://www.googleapis.com/auth/spreadsheets'

/** How long a token works, in seconds; Google allows an hour. */
const LIFETIME = 600

/** The largest column of event ids that we read, in bytes: about 150,000 rows. */
const LARGEST_COLUMN = 8_000_000

/** The columns that every row begins with. */
const ALWAYS = ['event id', 'lead', 'event', 'at', 'stage', 'link']

export const googleSheets: DestinationKind = {
  name: 'Google Sheets',
  about: 'A spreadsheet that gets a row for each new lead.',
  guide: 'docs/google-sheets.md',
  events: [
    'lead.created',
    'submission.received',
    'lead.assigned',
    'lead.stage_changed',
    'lead.reached',
    'lead.late',
    'lead.handed_over',
    'lead.erased',
  ],
  quiet: ['submission.received', 'lead.assigned', 'lead.stage_changed', 'lead.reached', 'lead.late'],
  fields: everyField,
  chosen: ['firstName', 'lastName', 'email', 'phone', 'programs', 'createdAt'],
  inputs: [
    {
      name: 'url',
      label: 'Address of the spreadsheet',
      hint: 'As the browser shows it: https://docs.google.com/spreadsheets/d/…',
    },
    { name: 'tab', label: 'Sheet', hint: 'The name at the bottom of the spreadsheet.', value: 'Sheet1' },
    {
      name: 'account',
      label: 'Key of the service account',
      hint: 'Everything that is in its JSON file. It is stored encrypted, and not shown again.',
      secret: true,
      lines: true,
    },
  ],
  problems: ({ url = '', account = '' }) => ({
    url:
      idIn(url) === undefined ? 'This is not the address of a spreadsheet: it has /spreadsheets/d/ in it.' : undefined,
    account:
      account.trim() === '' || keyIn(account) !== undefined
        ? undefined
        : 'This is not the key of a service account. Paste the whole file, from { to }.',
  }),
  test: 'an invented lead',
  tell: async (told, send) => {
    const access = { send, token: await accessToken(send, ...grantOf(told)) }
    return (told.again && (await earlierRow(told, access))) || append(told, access)
  },
  preview: told =>
    rowsOf(told, true)
      .map(row => row.join(' | '))
      .join('\n'),
  verdict: ({ status }) => {
    if (status === 200) return 'delivered'
    return status === 404 ? 'gone' : 'failed'
  },
  responses: {
    access: 'the key was deleted in Google, or the clock of the server is wrong. Make another key, and enter it',
    400: 'Google does not accept the row: most often, the spreadsheet has no sheet with this name. Correct the name',
    403: 'the spreadsheet is not shared with the service account as an editor, or the Google Sheets API is not enabled. Do what is missing',
    404: 'the spreadsheet was deleted, so the destination is switched off. Enter the address of another one, and switch it on',
    429: 'too much at once: Google accepts about one row a second. There is nothing to do: we wait a minute, or as long as it asks',
  },
}

type Access = { send: Send; token: string }

/** RAW: a text that looks like a formula stays a text. */
function append(told: Told, { send, token }: Access): Promise<Received> {
  const url = `${valuesUrl(told, 'A1')}:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS`
  const body = JSON.stringify({ values: rowsOf(told, told.type === 'test') })
  return send({ method: 'POST', url, headers: jsonAs(token), body })
}

/**
 * Looks for the row of an earlier attempt, because adding a row is not idempotent. Returns a response with the row, or
 * a response that says why we cannot know; undefined if there is no such row.
 */
async function earlierRow(told: Told, { send, token }: Access): Promise<Received | undefined> {
  const url = valuesUrl(told, 'A:A')
  const response = await send({ method: 'GET', url, headers: jsonAs(token), body: '', largest: LARGEST_COLUMN })
  if (response.status !== 200) return response
  return response.body.includes(`"${told.eventId}"`) ? { ...response, body: 'The row is there already.' } : undefined
}

/** The row of an event; on request, with the names of its columns above it. */
function rowsOf({ type, eventId, timestamp, data }: Told, named: boolean): unknown[][] {
  const { id, stage, url, ...lead } = data.lead ?? {}
  const chosen = everyField.filter(name => name in lead)
  const cell = (value: unknown) => (Array.isArray(value) ? value.join(', ') : (value ?? ''))
  const row = [eventId, id, type, timestamp, stage, url, ...chosen.map(name => lead[name])].map(cell)
  return named ? [[...ALWAYS, ...chosen], row] : [row]
}

function valuesUrl({ values: { url = '', tab = '' } }: Told, cells: string): string {
  const range = encodeURIComponent(`'${tab.replaceAll("'", "''")}'!${cells}`)
  return `${apiOf(url)}/v4/spreadsheets/${idIn(url)}/values/${range}`
}

/** The host of the API. A stand-in for Google is at another host, which serves both the documents and the API. */
function apiOf(url: string): string {
  const { host, origin } = new URL(url)
  return host === 'docs.google.com' ? 'https://sheets.googleapis.com' : origin
}

const idIn = (url: string): string | undefined => /\/spreadsheets\/d\/([\w-]+)/.exec(url)?.[1]

type Key = { client_email: string; private_key: string; token_uri: string }

function keyIn(account: string): Key | undefined {
  try {
    const key = JSON.parse(account)
    createPrivateKey(key.private_key)
    return [key.client_email, key.token_uri].every(text => typeof text === 'string') ? key : undefined
  } catch {
    return undefined
  }
}

/** The token endpoint, and a grant that the service account has signed (RFC 7523 section 2.1). */
function grantOf({ values: { account = '' }, now }: Told): [string, Record<string, string>] {
  const { client_email: iss, private_key, token_uri: aud } = JSON.parse(account) as Key
  const iat = Math.floor(now / SECOND)
  const encoded = [
    { alg: 'RS256', typ: 'JWT' },
    { iss, scope: SCOPE, aud, iat, exp: iat + LIFETIME },
  ]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('RSA-SHA256', Buffer.from(encoded), private_key).toString('base64url')
  return [aud, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: `${encoded}.${signature}` }]
}
