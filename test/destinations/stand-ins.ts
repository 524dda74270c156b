/** Salesforce and Google Sheets as they are documented: what they keep, what they refuse. */
import { equal } from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import type { Sent } from './receiver.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

const LEADS = '/services/data/v60.0/sobjects/Lead/Frontdesk_Id__c/'

/** An organization that requires a last name and a company, as Salesforce does. */
export function organization() {
  const leads = new Map<string, Record<string, string>>()
  const state = { leads, error: undefined as { status: number; code: string } | undefined, secret: 'very-secret' }
  const answer = ({ method, path, body, headers }: Sent) => {
    const fails = (status: number, errorCode: string) => ({
      status,
      body: JSON.stringify([{ message: errorCode, errorCode, fields: [] }]),
    })
    if (path === '/services/oauth2/token') {
      const { client_secret, grant_type } = Object.fromEntries(new URLSearchParams(body))
      return client_secret === state.secret && grant_type === 'client_credentials'
        ? { status: 200, body: '{"access_token":"00Dxx!a-token","token_type":"Bearer"}' }
        : { status: 400, body: '{"error":"invalid_client","error_description":"invalid client credentials"}' }
    }
    if (headers['authorization'] !== 'Bearer 00Dxx!a-token') return fails(401, 'INVALID_SESSION_ID')
    if (state.error !== undefined) return fails(state.error.status, state.error.code)
    if (!path.startsWith(LEADS)) return fails(404, 'NOT_FOUND')
    const id = path.slice(LEADS.length)
    if (method === 'DELETE') return leads.delete(id) ? { status: 204 } : fails(404, 'NOT_FOUND')
    equal(method, 'PATCH')
    const lead = { ...leads.get(id), ...JSON.parse(body) }
    if (!lead['LastName'] || !lead['Company']) return fails(400, 'REQUIRED_FIELD_MISSING')
    const status = leads.has(id) ? 200 : 201
    leads.set(id, lead)
    return { status, body: JSON.stringify({ id: '00Q', success: true, errors: [], created: status === 201 }) }
  }
  return { ...state, state, answer }
}

/** A spreadsheet with a sheet “Leads”, shared with desk@school.example. */
export function spreadsheet() {
  const rows: unknown[][] = []
  const state = { rows, responds: true, status: 200, grants: [] as Record<string, unknown>[] }
  const answer = ({ method, path, body, headers }: Sent) => {
    if (path === '/token') {
      const grant = grantIn(new URLSearchParams(body).get('assertion') ?? '')
      if (grant?.['iss'] !== 'desk@school.example') return { status: 400, body: '{"error":"invalid_grant"}' }
      state.grants.push(grant)
      return { status: 200, body: JSON.stringify({ access_token: 'a-token', expires_in: 3599 }) }
    }
    if (headers['authorization'] !== 'Bearer a-token') return { status: 401, body: '{}' }
    if (state.status !== 200) return { status: state.status, body: `{"error":{"code":${state.status}}}` }
    const [, range = '', query = ''] =
      /^\/v4\/spreadsheets\/an-id\/values\/([^:?]+|[^?]+:A)(?::append)?(\?.*)?$/.exec(path) ?? []
    const cells = decodeURIComponent(range)
    if (!cells.startsWith("'Leads'!")) return { status: 400, body: '{"error":{"message":"Unable to parse range"}}' }
    if (method === 'GET') return { status: 200, body: JSON.stringify({ values: rows.map(([first]) => [first]) }) }
    equal(query, '?valueInputOption=RAW&insertDataOption=INSERT_ROWS')
    rows.push(...JSON.parse(body).values)
    return state.responds ? { status: 200, body: '{"updates":{}}' } : { status: 500 }
  }
  return { ...state, state, answer }
}

function grantIn(assertion: string): Record<string, unknown> | undefined {
  const [header = '', claims = '', signature = ''] = assertion.split('.')
  const signed = Buffer.from(`${header}.${claims}`)
  if (!verify('RSA-SHA256', signed, createPublicKey(publicKey), Buffer.from(signature, 'base64url'))) return undefined
  return JSON.parse(Buffer.from(claims, 'base64url').toString())
}

/** The file with the key of a service account, which Google lets someone save. */
export const accountAt = (url: string) =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'desk@school.example',
    private_key: privateKey,
    token_uri: url,
  })
