/** The settings of a school that has changed none; `frontdesk.config.ts` lists them for people. */
import type { Recipient } from '../follow-up/cadence.ts'
import { type Signal, signalNames, signals } from '../leads/body/screening.ts'
import type { Settings } from './settings-shape.ts'

const WORKDAY = '09:00-17:00'

export const defaultSettings: Settings = {
  school: {
    name: 'Example Vocational School',
    timeZone: 'America/New_York',
    country: 'US',
    brand: { color: '#0a6070' },
    hours: {
      monday: WORKDAY,
      tuesday: WORKDAY,
      wednesday: WORKDAY,
      thursday: WORKDAY,
      friday: WORKDAY,
      saturday: 'closed',
      sunday: 'closed',
    },
    holidays: [],
  },
  languages: ['en', 'es'],
  admissions: { counselors: [] },
  followUp: {
    student: [
      remind('remind-counselor', '5 minutes', 'counselor', 'notifications/reminder.md'),
      remind('remind-backup', '15 minutes', 'backup', 'notifications/backup.md'),
      remind('tell-manager', '60 minutes', 'manager', 'notifications/escalation.md'),
      write('day-1', '1 day', 'letters/day-1.md'),
      write('day-3', '3 days', 'letters/day-3.md'),
      write('day-7', '7 days', 'letters/day-7.md'),
      { name: 'no-reply', after: '14 days', clock: 'student', close: 'no reply' },
    ],
    site: [
      remind('remind-team', '1 day', 'team', 'notifications/site-reminder.md'),
      remind('remind-team-again', '3 days', 'team', 'notifications/site-reminder.md'),
    ],
    quietHours: { from: '20:00', to: '09:00' },
    zones: {},
  },
  accounts: { directory: 'none', feedback: 'reveal' },
  contacts: {},
  programs: [],
  pricing: { asOf: '2026-11-21', charges: [] },
  siteInterest: { honeypot: 'reject' },
  studentInterest: { states: {}, answers: {} },
  forms: {
    student: { fields: { employer: 'hidden' }, consent: {} },
    site: { fields: {}, consent: 'none' },
    embedOn: 'any',
  },
  screening: {
    threshold: 3,
    weights: Object.fromEntries(signalNames.map(signal => [signal, signals[signal].weight])) as Record<Signal, number>,
  },
  privacy: {
    clientAddressDays: 90,
    auditLogDays: 730,
    peopleToErase: 1,
    closedLeadMonths: 0,
    enrolledLeadMonths: 0,
    eraseNoticeDays: 7,
  },
  quarantine: { days: 30, capacity: 1000, digestHour: 8 },
  reports: { weekly: 'on' },
  mail: { notificationsAtOnce: 100 },
}

function remind(name: string, after: string, to: Exclude<Recipient, 'student'>, message: string) {
  return { name, after, clock: 'school', to, message } as const
}

function write(name: string, after: string, message: string) {
  return { name, after, clock: 'student', to: 'student', message } as const
}
