/** Made-up leads to try the page of a lead out with: one that says all, and one next to nothing. */
import type { LeadDetails } from './lead-details.ts'

export const fullDetails: LeadDetails = {
  name: 'Ana Ruiz',
  kind: 'site',
  phone: '(214) 555-0137',
  phone_url: 'tel:+12145550137',
  email: 'ana@mercy.example',
  email_url: 'mailto:ana@mercy.example',
  from: 'Mercy',
  stage: 'closed',
  reason: 'no reply',
  owner: 'Kim Lee',
  since: 'today',
  paused: 'today',
  replied: 'today',
  account: true,
  submissions: [
    {
      received: 'today',
      message: 'First line\nsecond line',
      facts: [
        { label: 'Address', value: '1 Main Street', hint: null, url: 'https://map.example' },
        { label: 'Timeline', value: '1 - Now', hint: 'lower is warmer', url: null },
      ],
    },
  ],
  more_submissions: 1,
  timeline: [
    { at: 'today', what: 'Note', text: 'First line\nsecond line', by: 'Kim Lee' },
    { at: 'today', what: 'Wrote in', text: null, by: null },
  ],
  more_entries: 2,
}

export const bareDetails: LeadDetails = {
  ...fullDetails,
  kind: 'student',
  from: null,
  stage: 'new',
  reason: null,
  owner: null,
  paused: null,
  replied: null,
  account: false,
  submissions: [{ received: 'today', message: null, facts: [] }],
  more_submissions: 0,
  timeline: [],
  more_entries: 0,
}
