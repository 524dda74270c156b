/** Invented variables for trying out the pages: together, the samples of a page take every branch in it. */

import type { LeadDetails } from '../../lead-details/lead-details.ts'
import type { LeadOnPage } from '../../lead-details/link-subject.ts'
import type { StaffAction } from '../../signed-links.ts'
import {
  type ConfirmPage,
  type LeadPage,
  type PageVariables,
  type ResultPage,
  untouchedForms,
} from './link-page-variables.ts'

/** A lead with everything that the page of a lead can show. */
export const fullDetails: LeadDetails = {
  name: 'Ana Ruiz',
  kind: 'site',
  phone: '(214) 555-0137',
  other_phones: [{ phone: '512 555 0100', url: 'tel:+15125550100', given: 'today' }],
  phone_url: 'tel:+12145550137',
  email: 'ana@mercy.example',
  email_url: 'mailto:ana@mercy.example',
  from: 'Mercy',
  stage: 'closed',
  reason: 'no reply',
  stage_words: 'Closed (no reply)',
  waiting: '12 minutes',
  owner: 'Kim Lee',
  since: 'today',
  paused: 'today',
  waits: true,
  callbacks: [
    { at: 'today, 3:00 PM', full: 'Monday at 3:00 PM', by: 'Kim Lee', words: 'Asks about evenings', overdue: true },
  ],
  replied: 'today',
  wrote_back: { at: 'today, 3:00 PM', waiting: '2 hours' },
  account: true,
  came_from: 'facebook, spring-2027',
  language: 'Spanish',
  calls_and_texts: "Agreed to calls and texts from the school's systems (today)",
  next: [{ at: 'tomorrow, 9:00 AM', full: 'May 1, 2026 at 9:00 AM', what: 'Reminder to Kim Lee' }],
  earlier: [{ id: 12, words: 'lead 12, closed (not interested), first wrote May 3' }],
  submissions: [
    {
      received: 'today',
      message: 'First line\nsecond line',
      facts: [
        { label: 'Address', value: '1 Main Street', url: 'https://map.example' },
        { label: 'Start', value: 'Now', url: null },
      ],
    },
  ],
  timeline: [
    {
      at: 'Today',
      full: 'May 1, 2026',
      what: 'Note',
      notes: [],
      text: 'First line\nsecond line',
      by: 'Kim Lee',
      attachments: [],
    },
    {
      at: 'Today',
      full: 'May 1, 2026',
      what: 'Wrote in',
      notes: ['Too fast.'],
      text: null,
      by: null,
      attachments: ['a.pdf (2 KB)'],
    },
  ],
  older: 7,
}

/** A lead with next to nothing. */
export const bareDetails: LeadDetails = {
  ...fullDetails,
  kind: 'student',
  other_phones: [],
  from: null,
  stage: 'new',
  reason: null,
  stage_words: 'New',
  waiting: null,
  next: [],
  earlier: [],
  waits: false,
  callbacks: [],
  owner: null,
  paused: null,
  replied: null,
  wrote_back: null,
  account: false,
  came_from: null,
  language: null,
  calls_and_texts: null,
  submissions: [{ received: 'today', message: null, facts: [] }],
  timeline: [],
  older: null,
}

const lead: LeadOnPage = {
  name: 'Ana Ruiz',
  kind: 'site',
  from: 'Mercy',
  stage: 'New',
  owner: 'Kim Lee',
  url: '/act/1',
  inquiry: null,
}
const held: LeadOnPage = {
  ...lead,
  stage: 'Quarantined',
  owner: null,
  url: null,
  inquiry: {
    phone: '(214) 555-0137',
    phone_url: 'tel:+12145550137',
    email: 'ana@mercy.example',
    email_url: 'mailto:ana@mercy.example',
    message: 'First line\nsecond line',
    facts: [{ label: 'Page', value: 'https://www.school.example/apply' }],
    honeypot: true,
    notes: ['The message has three or more links.'],
  },
}
const bareHeld: LeadOnPage = {
  ...held,
  inquiry: held.inquiry && { ...held.inquiry, message: null, facts: [], honeypot: false, notes: [] },
}
const bare: LeadOnPage = { ...lead, kind: 'student', from: null, owner: 'the team', url: null }

const people = [{ id: 'kim', name: 'Kim Lee' }]
const unasked = { counselors: null, chosen: null, people: null, problem: null }

const confirm: ConfirmPage[] = [
  { lead, actor: 'Kim Lee', ...unasked, chosen: 'kim' },
  { lead: bare, actor: null, ...unasked },
]
const choose: ConfirmPage[] = [
  { lead, actor: 'Kim Lee', ...unasked, counselors: people, chosen: 'kim' },
  { lead: bare, actor: null, ...unasked, counselors: people, people, problem: 'Choose.' },
  { lead: bare, actor: null, ...unasked, counselors: [], people: [] },
]

/** `subject`: the lead as it is after the action. */
const done = (action: StaffAction, subject: LeadOnPage): ResultPage[] => {
  const last = { by: 'Jo Park', at: 'today, 3:28 PM' }
  const common = { action, lead: subject, actor: 'Kim Lee', stand_in: null, last: null, undo_url: null }
  return [
    { ...common, before: true, recorded: true, last },
    { ...common, before: true, recorded: true, last: { ...last, by: null } },
    { ...common, before: true, recorded: false },
    {
      ...common,
      before: false,
      recorded: true,
      undo_url: action === 'release' ? null : '/act/5',
      stand_in: { name: 'Jo Park', until: 'May 1' },
    },
    {
      ...common,
      lead: { ...subject, url: null, owner: subject.inquiry ? null : 'the team' },
      actor: null,
      before: false,
      recorded: true,
    },
  ]
}

const earlier = [{ url: '/act/9', words: 'lead 12, closed (not interested), first wrote May 3' }]

const open: LeadPage[] = [
  {
    ...untouchedForms,
    note: 'Call her',
    note_problem: 'Too long.',
    callback_problem: 'Choose a day.',
    note_url: '/act/6',
    callback_url: '/act/7',
    resume_url: '/act/8',
    lead: { ...fullDetails, earlier },
    older_url: '/act/10?before=7',
    newest_url: '/act/10',
    contacted_url: '/act/1',
    attempted_url: '/act/2',
    no_answer_needed_url: '/act/11',
    assign_url: '/act/3',
    not_a_lead_url: '/act/4',
  },
  {
    ...untouchedForms,
    saved: 'Note saved.',
    note_url: '/act/6',
    callback_url: null,
    resume_url: null,
    lead: { ...bareDetails, owner: 'the team', earlier: [] },
    older_url: null,
    newest_url: null,
    contacted_url: null,
    attempted_url: '/act/2',
    no_answer_needed_url: null,
    assign_url: null,
    not_a_lead_url: null,
  },
]

const DOCS = 'https://school.example/docs/api'
const FORM = 'https://learn.school.example/forms/student-interest'

/** For each page, one sample or more. */
export const samplePages: { [Name in keyof PageVariables]: PageVariables[Name][] } = {
  unsubscribe: [{}],
  unsubscribed: [{}],
  'not-me': [{}],
  'not-me-done': [{}],
  'nothing-stored': [{}],
  contacted: confirm,
  attempted: confirm,
  'no-answer-needed': confirm,
  assign: choose,
  'not-a-lead': confirm,
  release: [
    { lead: held, actor: null, ...unasked },
    { lead: bareHeld, actor: 'Kim Lee', ...unasked },
  ],
  dismiss: [
    { lead: held, actor: null, ...unasked },
    { lead: bareHeld, actor: 'Kim Lee', ...unasked },
  ],
  done: [
    ...done('contacted', { ...lead, stage: 'Reached' }),
    ...done('attempted', lead),
    ...done('no-answer-needed', lead),
    ...done('assign', lead),
    ...done('not-a-lead', { ...lead, stage: 'Closed (not a lead)' }),
    ...done('release', { ...held, stage: 'Released' }),
    ...done('dismiss', { ...held, stage: 'Dismissed' }),
  ],
  open,
  left: [
    { lead: { ...lead, url: null }, why: 'left', console_path: '/leads/12' },
    { lead: bare, why: 'left', console_path: null },
    { lead: { ...lead, url: null }, why: 'owner', console_path: '/leads/12' },
    { lead: { ...lead, url: null }, why: 'role', console_path: '/leads/12' },
  ],
  undo: [{ lead }, { lead: bare }],
  undismiss: [{ lead: held }, { lead: bareHeld }],
  undone: [
    { lead, done: true },
    { lead: held, done: false },
  ],
  expired: [{ recipient: 'Kim Lee' }, { recipient: null }],
  'fresh-link': [
    { recipient: 'Kim Lee', done: true },
    { recipient: 'the team', done: false },
  ],
  broken: [{}],
  gone: [{}],
  unavailable: [{}],
  'broken-link': [{}],
  home: [{ student_form_url: FORM }],
  'not-found': [
    { docs_url: DOCS, student_form_url: FORM },
    { docs_url: null, student_form_url: null },
  ],
  error: [
    { status: 405, message: 'GET is not supported here. Use POST.', docs_url: DOCS },
    { status: 500, message: 'Something went wrong on our side.', docs_url: null },
    { status: 503, message: 'The service is not available right now.', docs_url: null },
    { status: 400, message: 'The form is incomplete.', docs_url: null },
  ],
}
