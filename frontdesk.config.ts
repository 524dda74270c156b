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
    /** Dates and times in messages to your team are told in this time zone. */
    timeZone: 'America/New_York',
    /** Phone numbers without a country code are read as numbers of this country (ISO 3166). */
    country: 'US',
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
