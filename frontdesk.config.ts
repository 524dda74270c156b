/**
 * The settings of this front desk. Every entry may be left out; what stands here is the default.
 * Addresses, ports and secrets are not settings: they come from the environment (.env.example).
 * After a change: `npx frontdesk check`, then restart.
 */
import { defineSettings } from './src/config/settings.ts'

export default defineSettings({
  school: {
    /** As the people who write to you know it. It stands in every message. */
    name: 'Example Vocational School',
    /** Where people can call you. It stands in the receipt to students. */
    // phone: '+1 555 010 0000',
    // website: 'https://www.example.edu',
    /** Letters to students need it by law (CAN-SPAM); without it none but the receipt is sent. */
    // postalAddress: '100 Main Street, Springfield, TX 75001',
    /** Dates and times in messages to your team are told in this time zone (a name, not an offset). */
    timeZone: 'America/New_York',
    /** Phone numbers without a country code are read as numbers of this country (ISO 3166). */
    country: 'US',
    /** When somebody is there to answer: `09:00-17:00`, `09:00-12:00, 13:00-17:00`, or `closed`. */
    hours: {
      monday: '09:00-17:00',
      tuesday: '09:00-17:00',
      wednesday: '09:00-17:00',
      thursday: '09:00-17:00',
      friday: '09:00-17:00',
      saturday: 'closed',
      sunday: 'closed',
    },
    /** Days on which nobody is: `2026-11-26`, or `12-25` for every year. */
    holidays: [],
  },

  admissions: {
    /**
     * Who looks after prospective students. Each new one is given to whoever has the student's state
     * as their own, else in turn, by weight; who is absent is passed over. While nobody stands here,
     * everything goes to ADMISSIONS_EMAIL.
     */
    counselors: [
      // {
      //   id: 'maria',
      //   name: 'Maria Lopez',
      //   email: 'maria@example.edu',
      //   weight: 2,
      //   states: ['TX', 'OK'],
      //   backup: 'sam',
      //   absent: [{ from: '2026-12-21', to: '2027-01-04' }],
      // },
    ],
    /** Who is told when nobody has reached a student. Unset: the team. */
    // manager: { name: 'Dana Kim', email: 'dana@example.edu' },
  },

  /**
   * What happens while nobody has reached somebody who wrote in. A lead stays on the steps that were
   * set when it came; `npx frontdesk follow-up plan <lead>` shows what will happen, and
   * `npx frontdesk follow-up simulate` what these settings mean for a month.
   *
   * `after` counts from the enquiry, on the clock `school` (its hours alone; days are working days)
   * or `student` (calendar time, put off while it is night in any time zone of the student's state).
   */
  followUp: {
    student: [
      {
        name: 'remind-counselor',
        after: '5 minutes',
        clock: 'school',
        to: 'counselor',
        channel: 'email',
        message: 'notifications/reminder.md',
      },
      {
        name: 'remind-backup',
        after: '15 minutes',
        clock: 'school',
        to: 'backup',
        channel: 'email',
        message: 'notifications/backup.md',
      },
      {
        name: 'tell-manager',
        after: '60 minutes',
        clock: 'school',
        to: 'manager',
        channel: 'email',
        message: 'notifications/escalation.md',
      },
      {
        name: 'day-1',
        after: '1 day',
        clock: 'student',
        to: 'student',
        channel: 'email',
        message: 'letters/day-1.md',
      },
      {
        name: 'day-3',
        after: '3 days',
        clock: 'student',
        to: 'student',
        channel: 'email',
        message: 'letters/day-3.md',
      },
      {
        name: 'day-7',
        after: '7 days',
        clock: 'student',
        to: 'student',
        channel: 'email',
        message: 'letters/day-7.md',
      },
      { name: 'no-reply', after: '14 days', clock: 'student', close: 'no reply' },
    ],
    site: [
      {
        name: 'remind-team',
        after: '1 day',
        clock: 'school',
        to: 'team',
        channel: 'email',
        message: 'notifications/site-reminder.md',
      },
      {
        name: 'remind-team-again',
        after: '3 days',
        clock: 'school',
        to: 'team',
        channel: 'email',
        message: 'notifications/site-reminder.md',
      },
    ],
    /**
     * No letter is sent to a student from this hour to that, where the student lives. States with
     * several time zones must be left a time that is outside of them in all.
     */
    quietHours: { from: '20:00', to: '09:00' },
    /** Time zones of states of your own, by code, beside those of the United States. */
    zones: {
      // NSW: ['Australia/Sydney'],
    },
  },

  /** Whether somebody who writes in has an account at the learning site already. */
  accounts: {
    /**
     * 'none': nobody is asked. 'table': the list that `npx frontdesk accounts import` keeps.
     * 'http': the learning site is asked at `url`, over https, with 2 seconds to answer.
     */
    directory: 'none',
    // url: 'https://learn.example.edu/internal/account-exists',
    /**
     * 'reveal': who has one is answered 409 and told to sign in; anybody can so find out who has one,
     * with a dry run without leaving a trace. 'conceal': everybody is answered alike, and whoever
     * reads the mail of the address is told; it needs a directory.
     */
    feedback: 'reveal',
  },

  /** Whom the public pages name beside your phone and web site. */
  contacts: {
    /** Developers who have a question about the two operations write here. */
    // developers: 'web@example.edu',
    /** What you do with what people write. The pages link to it. */
    // privacy: 'https://www.example.edu/privacy',
    /** Who finds a hole tells it here; it is published as /.well-known/security.txt. */
    // security: 'mailto:security@example.edu',
  },

  /** What /pricing says. Writing in is free, and takes no payment: that needs no entry. */
  pricing: {
    /** The day on which you last saw that it is right. */
    asOf: '2026-11-21',
    /** What costs money at your school, in your words. */
    charges: [
      // { what: 'Medical assistant program', price: '$3,900', note: 'books included' },
    ],
  },

  /** A folder of your own: a file in it replaces the file of the same name under content/. */
  // content: 'my-content',

  siteInterest: {
    /**
     * What a filled-in `website` field is answered with. 'reject': 400 with an explanation.
     * 'accept': 200 like any other. Both keep the submission in quarantine for you to look at.
     */
    honeypot: 'reject',
  },

  studentInterest: {
    /** State names beyond those of the United States, with the code to store. */
    states: {
      // 'New South Wales': 'NSW',
    },
    /**
     * The ranked questions. `allowed` lists the only answers taken (leave it out to take any).
     * `hotter` says which end of the scale means a warmer lead.
     */
    answers: {
      // interestLevel: {
      //   allowed: ['1 - Ready to enroll', '2 - Comparing schools', '3 - Just looking'],
      //   hotter: 'low',
      // },
    },
  },

  /**
   * Evidence against a site submission is added up; from the threshold on it is accepted but kept
   * in quarantine for you to look at. Each weight must be below the threshold, so that no single
   * signal holds anybody back.
   */
  screening: {
    threshold: 3,
    weights: {
      /** The form was sent within 3 seconds of being begun. */
      tooFast: 1,
      /** It was begun more than 24 hours before. */
      tooOld: 1,
      /** Its clock is more than 5 minutes ahead of ours. */
      ahead: 1,
      /** Three or more links in the message. */
      links: 2,
      /** The address belongs to a throw-away mail service. */
      disposable: 2,
      /** The same message came under three or more addresses within a day. */
      sharedText: 2,
    },
  },

  quarantine: {
    /** Entries that nobody decided on are dismissed after this many days. */
    days: 30,
    /** Submissions refused by the honeypot are kept up to this many; the oldest go first. */
    capacity: 1000,
    /** The hour, in the school's time zone, at which the daily digest is sent. */
    digestHour: 8,
  },

  mail: {
    /** Signs outgoing mail. The public half belongs into DNS at <selector>._domainkey.<domain>. */
    // dkim: { domain: 'example.edu', selector: 'frontdesk', privateKeyFile: 'dkim.pem' },
  },
})
