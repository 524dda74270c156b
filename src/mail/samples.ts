/** Made-up variables to try templates out with: of each message one that says all, one next to nothing. */
import type { Lead, Submission } from '../leads/submission.ts'
import { digestVariables, type Place, siteVariables, studentVariables } from './views.ts'

const person = {
  firstName: 'Ana',
  lastName: 'Ruiz',
  email: 'ana@mercy.example',
  phone: '5550100000',
}
const now = Date.UTC(2026, 10, 21)

const site: Submission<'site'> = {
  id: 1,
  kind: 'site',
  receivedAt: now,
  answer: 200,
  body: { ...person, company: 'Mercy', address: '1 Main Street', website: '', startedAt: now },
}

const student: Submission<'student'> = {
  id: 1,
  kind: 'student',
  receivedAt: now,
  answer: 200,
  body: person,
}

const lead: Lead = {
  id: 1,
  kind: 'site',
  stage: 'new',
  closedReason: null,
  ...person,
  phoneE164: null,
  company: null,
  state: null,
  createdAt: now,
  updatedAt: now,
}

const first = { lead, notes: [], earlier: 0, now }
const again = {
  lead: { ...lead, firstName: 'Anna' },
  notes: ['The form was filled in within 3 seconds.'],
  earlier: 2,
  now: now + 24 * 60 * 60 * 1000,
}

/** Its local part needs SMTPUTF8. */
const unreachable = 'añа@mercy.example'
const message = 'First line\nsecond line'

export function siteSamples(place: Place): object[] {
  const full = { ...site, body: { ...site.body, email: unreachable, message } }
  return [
    siteVariables({ ...first, submission: site }, site, place),
    siteVariables({ ...again, submission: full }, full, place),
  ]
}

export function studentSamples(place: Place): object[] {
  const state = 'TX'
  const timeline = { rank: 1, text: '1 - Within a month' }
  const body = { ...student.body, email: unreachable, state, timeline, message }
  const full = { ...student, body }
  return [
    studentVariables({ ...first, submission: student }, student, place),
    studentVariables({ ...again, submission: full }, full, place),
  ]
}

export function digestSamples(place: Place): object[] {
  const entry = { submission: site, reason: 'honeypot' as const, notes: [], heldAt: now }
  const submission = { ...site, body: { ...site.body, message } }
  const other = { submission, reason: 'screening' as const, notes: ['Many links.'], heldAt: now }
  return [
    digestVariables({ held: [entry], more: 0, date: 'November 21, 2026' }, place),
    digestVariables({ held: [entry, other], more: 3, date: 'November 21, 2026' }, place),
  ]
}
