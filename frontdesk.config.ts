/**
 * The settings of this front desk. Every entry shows its default and may be left out; examples are
 * commented out. URLs, ports and secrets are not settings; they come from the environment
 * (.env.example). After a change, run `npx frontdesk check`, then restart.
 *
 * Copy this file to a place of your own, such as /etc/frontdesk, and name the copy in FRONTDESK_CONFIG:
 * then an update never touches it. Paths in it are relative to its folder. The type in the next line is
 * only for editors; the file works without it, wherever it is.
 */
import type { PartialSettings } from './src/config/settings.ts'

export default {
  school: {
    /**
     * The name that people know you by. Every message contains it. Managers can edit name, phone, website, postal address
     * and brand in the console, under Name and look. From then on, these here are not in force.
     */
    name: 'Example Vocational School',
    /** Where people can call you. Emails to students and the public pages contain it. */
    // phone: '+1 555 010 0000',
    // website: 'https://www.example.edu',
    /**
     * Emails to students must contain it by law (CAN-SPAM). Until you set it, a student gets the receipt
     * for an inquiry and no follow-up emails.
     */
    // postalAddress: '100 Main Street, Springfield, TX 75001',
    /**
     * The look of your pages and emails. Buttons, links and the icon take the color; a link gets a darker
     * shade if the color is too light to read, and `npx frontdesk check` says so. The logo is at most 40
     * pixels high: an https:// URL, or a file that we publish at BASE_URL. Emails show no SVG, so use PNG
     * to have it there, too. `logoDark` is for dark screens. A file that is at most twice as wide as high is also the
     * icon in the tab of the browser; with a URL, your initial is. Without a logo, your initial is the sign.
     */
    brand: {
      color: '#0a6070',
      // logo: 'logo.png',
      // logoDark: 'logo-dark.png',
    },
    /** Dates and times in messages to your team use this time zone: a name, not an offset. */
    timeZone: 'America/New_York',
    /** We read phone numbers without a country code as numbers of this country (ISO 3166). */
    country: 'US',
    /**
     * When your team is there: '09:00-17:00', '09:00-12:00, 13:00-17:00' or 'closed'. Managers can edit hours and
     * holidays in the console, under School hours. From then on, these here are not in force.
     */
    hours: {
      monday: '09:00-17:00',
      tuesday: '09:00-17:00',
      wednesday: '09:00-17:00',
      thursday: '09:00-17:00',
      friday: '09:00-17:00',
      saturday: 'closed',
      sunday: 'closed',
    },
    /**
     * Days on which you are closed: '2026-11-26', or '12-25' for every year. With a name, or for several days:
     * { date: '2026-12-21', until: '2027-01-03', name: 'Winter break' }.
     */
    holidays: [],
  },

  /**
   * The languages in which you write to people, the first one to those who have not chosen. Our forms
   * offer all of them; a lead remembers its own, and emails and pages for that person follow. English
   * and Spanish come with Frontdesk. For another, such as 'pl', put your texts into a folder `pl` of your
   * `content`; what it lacks is English. Your staff gets English.
   */
  languages: ['en', 'es'],

  admissions: {
    /**
     * The people who look after prospective students. A new student goes to a counselor who has the
     * student's program in `programs`, otherwise to one who has their state in `states`, otherwise to the next
     * counselor in turn. A student who chose another language than your first goes to one of those who have it in
     * `languages`, if one of them is there, and one who chose a campus in a form to one who has it in `campuses`.
     * A counselor with twice the `weight` gets twice as many; the default is 1. Absent counselors get no
     * new students. While this list is empty, every inquiry goes to ADMISSIONS_EMAIL.
     *
     * Counselors and manager can also be edited in the console, under Team. From then on, what the
     * console says is in force and what this file says of `admissions` is not, until someone chooses
     * "Go back to the settings file" there. `npx frontdesk check` and the console's Settings say which.
     */
    counselors: [
      // {
      //   id: 'maria',
      //   name: 'Maria Lopez',
      //   email: 'maria@example.edu',
      //   weight: 2,
      //   states: ['TX', 'OK'],
      //   programs: ['Phlebotomy'],
      //   campuses: ['Dallas North'],
      //   languages: ['es'],
      //   backup: 'sam',
      //   absent: [{ from: '2026-12-21', to: '2027-01-04' }],
      // },
      // { id: 'sam', name: 'Sam Reed', email: 'sam@example.edu' },
    ],
    /** The person we notify when no one has reached a student. If unset, we notify the team. */
    // manager: { name: 'Dana Kim', email: 'dana@example.edu' },
  },

  /**
   * The steps until someone reaches the person who wrote. A change applies to new leads: those you
   * have keep the steps that they started with. `npx frontdesk follow-up plan <lead>` shows what will
   * happen to a lead; `npx frontdesk follow-up simulate` shows what these settings do in a month.
   *
   * `after` counts from the inquiry, on one of two clocks. 'school' counts only your opening hours while
   * it is not too early or late to call where the person lives, and its days are working days. 'student' counts calendar time, and waits while it is night in any time
   * zone of the student's state.
   *
   * A step emails someone (`to` and `message`), closes the lead (`close`), or tells chat channels that someone waits, and
   * other destinations that hear of `lead.late`: { name: 'tell-chat', after: '10 minutes', clock: 'school', channel: 'chat' }.
   *
   * The steps can also be edited in the console, under Cadence. From then on, those are in force and
   * `student` and `site` in this file are not, until someone chooses "Go back to the settings file" there.
   */
  followUp: {
    student: [
      {
        name: 'remind-counselor',
        after: '5 minutes',
        clock: 'school',
        to: 'counselor',
        message: 'notifications/reminder.md',
      },
      {
        name: 'remind-backup',
        after: '15 minutes',
        clock: 'school',
        to: 'backup',
        message: 'notifications/take-over.md',
      },
      {
        name: 'tell-manager',
        after: '60 minutes',
        clock: 'school',
        to: 'manager',
        message: 'notifications/escalation.md',
      },
      { name: 'day-1', after: '1 day', clock: 'student', to: 'student', message: 'letters/day-1.md' },
      { name: 'day-3', after: '3 days', clock: 'student', to: 'student', message: 'letters/day-3.md' },
      { name: 'day-7', after: '7 days', clock: 'student', to: 'student', message: 'letters/day-7.md' },
      { name: 'no-reply', after: '14 days', clock: 'student', close: 'no reply' },
    ],
    site: [
      { name: 'remind-team', after: '1 day', clock: 'school', to: 'team', message: 'notifications/site-reminder.md' },
      {
        name: 'remind-team-again',
        after: '3 days',
        clock: 'school',
        to: 'team',
        message: 'notifications/site-reminder.md',
      },
    ],
    /**
     * The night: between these times, where the student lives, no follow-up email goes to a student. In a
     * state with several time zones, the area code of their number may say which is theirs. If it does not, these
     * hours count in all of them, so some time of day must be outside.
     */
    quietHours: { from: '20:00', to: '09:00' },
    /** Time zones of states outside the United States, by the code of the state. */
    zones: {
      // NSW: ['Australia/Sydney'],
    },
  },

  /** How we find out whether a student already has an account at your learning site. */
  accounts: {
    /**
     * 'none': we do not ask. 'table': we look in the list that `npx frontdesk accounts import` fills.
     * 'http': we ask the learning site at `url`, over https, and wait up to 2 seconds for its response.
     */
    directory: 'none',
    // url: 'https://learn.example.edu/internal/account-exists',
    /**
     * 'reveal': a person with an account gets 409 and is told to sign in. Anyone can test this way
     * whether an address has an account; with a dry run, without leaving a trace.
     * 'conceal': everyone gets the same response, and we email the owner of the address
     * instead. Needs a directory.
     */
    feedback: 'reveal',
  },

  /** Contacts on the public pages, in addition to your phone and website. */
  contacts: {
    /** For developers with a question about the two operations. */
    // developers: 'web@example.edu',
    /** Your privacy policy. The pages link to it. */
    // privacy: 'https://www.example.edu/privacy',
    /** Where to report a vulnerability. Published as /.well-known/security.txt. */
    // security: 'mailto:security@example.edu',
  },

  /**
   * Facts about your programs, in your own words. The email after 3 days shows them; without any, it
   * invites questions instead. /pricing, /llms.txt and the data for search engines list them. Leave out what changes too often to keep here. Each text may also be an
   * object with one for each language: { en: 'Medical assistant', es: 'Asistente médico' }. Managers can edit them in the
   * console, under Programs. From then on, these here are not in force.
   */
  programs: [
    // {
    //   name: 'Medical assistant',
    //   cost: '$3,900, books included',
    //   starts: 'January 11 and April 12',
    //   hours: 'Monday to Thursday, 6 to 9 p.m.',
    // },
  ],

  /** The content of /pricing. The page always says that sending an inquiry is free, so leave that out. */
  pricing: {
    /** The day on which you last checked this list. */
    asOf: '2026-11-21',
    /** What your school charges for, in your own words. */
    charges: [
      // { what: 'Medical assistant program', price: '$3,900', note: 'books included' },
    ],
  },

  /**
   * A folder of your own texts, relative to this file. A file in it replaces the file of the same name
   * under content/.
   */
  // content: 'my-content',

  siteInterest: {
    /**
     * How we respond when the hidden field `website` is filled in, as spam programs do. 'reject': 400
     * with an explanation. 'accept': 200, as for any submission. Either way the submission is quarantined,
     * so that you can review it.
     */
    honeypot: 'reject',
  },

  studentInterest: {
    /** State names outside the United States, each with the code to store. */
    states: {
      // 'New South Wales': 'NSW',
    },
    /**
     * The questions that students answer from a list: interestLevel, timeline, experience, source.
     * `allowed` lists the only answers we accept; leave it out to accept any. `hotter` says which end of
     * the scale means a warmer lead, 'low' or 'high'. `labels` is what the form says for each of them in
     * other languages, in the same order and without the digit. Managers can edit them in the console, under Answers.
     * From then on, these here are not in force.
     */
    answers: {
      // interestLevel: {
      //   allowed: ['1 - Ready to enroll', '2 - Comparing schools', '3 - Just looking'],
      //   hotter: 'low',
      //   labels: { es: ['Quiero inscribirme', 'Estoy comparando escuelas', 'Solo estoy mirando'] },
      // },
    },
  },

  /**
   * The forms for people: BASE_URL/forms/site-interest and LEARN_URL/forms/student-interest, and the same
   * in your own pages. `npx frontdesk preview` shows them, and every change that you make here. A text
   * may be an object with one for each language: { en: 'Ask us', es: 'Pregúntanos' }. Without it, it is in your first
   * language, and people who chose another one read our words. Everyone reads your consent.
   *
   * Managers can edit title, introduction, fields, sent and sentUrl in the console, under Forms, and add more
   * forms. From then on, these entries are not in force, until someone goes back to the settings file there.
   */
  forms: {
    student: {
      // title: 'Ask about our programs',
      // introduction: 'Tell us how to reach you. Someone from admissions will call you.',
      /**
       * The other fields, each 'hidden', 'optional' or 'required': city, state, employer, message, and the
       * questions timeline, interestLevel, experience and source, which only appear if
       * `studentInterest.answers` lists their answers. What is left out here is 'optional'. `program` asks for one of
       * `programs`, if there are any.
       */
      fields: { employer: 'hidden' },
      /**
       * Consent to be called and texted, which people may leave unticked. The submission keeps the exact
       * text, the time and the page. 'none': the form does not ask. `text` replaces ours; `link` is the
       * page that explains it, your privacy policy unless you set one. Ask your lawyer about the words. Managers can edit
       * it in the console, under Consent. From then on, this here is not in force.
       */
      consent: {
        // text: 'Lakeside School may call and text me at this number …',
        // link: 'https://www.example.edu/text-messages',
      },
      /**
       * After sending: a text of your own, or a page of yours to go to. In the text, a paragraph that is only a link, such as
       * `[Book a tour](https://www.example.edu/tour)`, is a button: the next step.
       */
      // sent: 'Thank you! Someone from admissions will call you soon.',
      // sentUrl: 'https://www.example.edu/thank-you',
    },
    /** The same for employers and clinical sites. Its other field is message. */
    site: { fields: {}, consent: 'none' },
    /** Where people sign in who have an account already. If unset, LEARN_URL. */
    // signInUrl: 'https://learn.example.edu/login',
    /**
     * The parameters with which ads say which click led to your website: some of gclid, gbraid, wbraid, dclid, fbclid,
     * msclkid, ttclid, twclid, li_fat_id, epik, rdt_cid and ScCid. We keep these with the lead, so that you can report back
     * to the ad network who enrolled. Ask your lawyer first.
     */
    clickIds: [],
    /** The sites that may embed the forms: 'any', or a list such as ['https://www.example.edu']. */
    embedOn: 'any',
  },

  /**
   * Signs of spam in a submission; the first three only exist for sites and for our forms. We add up
   * their weights; when the sum reaches the threshold, the submission is accepted but quarantined, so that
   * you can review it. Each weight must be below the threshold: one sign alone never quarantines a
   * submission.
   */
  screening: {
    threshold: 3,
    weights: {
      /** The form was sent within 3 seconds of being started. */
      tooFast: 1,
      /** The form was started more than 24 hours before it was sent. */
      tooOld: 1,
      /** The sender's clock is more than 5 minutes ahead of ours. */
      ahead: 1,
      /** The message has three or more links. */
      links: 2,
      /** The email address belongs to a disposable email service. */
      disposable: 2,
      /** The same message came from three or more email addresses within a day. */
      sharedText: 2,
    },
  },

  privacy: {
    /** After this many days, we delete the IP address from which a submission came. 0: we keep it. */
    clientAddressDays: 90,
    /**
     * After this many days, we delete an entry of the audit log, which says who signed in, saw, exported,
     * changed or erased what. 0: we keep it.
     */
    auditLogDays: 730,
    /**
     * How many people must agree to erase someone in the console. 2: another manager or admin must confirm
     * within a week.
     */
    peopleToErase: 1,
    /**
     * Erase closed leads to which nothing has happened for so many months, on the first day of a month.
     * The manager gets a list before, and can keep leads longer. Open leads are never erased. 0: never
     * erase by time. Ask your lawyer how long you must and may keep them.
     */
    closedLeadMonths: 0,
    /** The same for students who enrolled and active sites. Records of students may have to be kept. */
    enrolledLeadMonths: 0,
    /** How many days before that the manager gets the list. */
    eraseNoticeDays: 7,
  },

  security: {
    /**
     * The roles that must have a passkey or an authenticator app, such as ['admin', 'manager']. Each operator gets a week
     * for it from the first page that they open; after that, every page leads to their account until they have one.
     */
    secondFactorFor: [],
    /**
     * 'on': browsers that have been at one of our URLs use https for all its subdomains, too (HSTS with
     * includeSubDomains). Only if each of them is served over https, such as those of www.example.edu where Frontdesk is at
     * example.edu: others can no longer be opened for a year.
     */
    httpsForSubdomains: 'off',
  },

  /** Files that come with the emails of students and sites, and those that you send them. */
  lateness: {
    /**
     * After how many minutes work that waits is late: inquiries that are not filed, emails that have not been tried,
     * reminders and follow-up emails that are due, and everything else. Every admin then gets an email, and another when
     * it is over. While no email can be sent, the browsers of admins notify them instead.
     */
    filingMinutes: 10,
    emailMinutes: 10,
    followUpMinutes: 30,
    otherMinutes: 60,
    /** By more than how many minutes the clock of the machine must jump, in either direction, for admins to be told. */
    clockMinutes: 5,
  },
  attachments: {
    /** Room for all of them in the database, in gigabytes. What exceeds it stays in the mailbox only. 0: store none. */
    gigabytes: 10,
    /**
     * A command that scans them for viruses: the program and its arguments, run without a shell. It reads a file from
     * its standard input. Exit code 0: clean, 1: infected, any other: we try again later. Until a file is found clean,
     * no one can download it, and no email is sent with it. Such as ['clamdscan', '--no-summary', '-'].
     */
    scanCommand: [],
  },

  quarantine: {
    /**
     * After this many days, submissions that no one has reviewed are dismissed, and those that got 400
     * because of the honeypot, or 429 because of the limit for an email address, are deleted.
     */
    days: 30,
    /**
     * How many submissions that got 400 or 429 for these reasons we keep; beyond that, the oldest of the
     * networks that sent most of them are deleted.
     */
    capacity: 1000,
    /** The hour of the daily digests, 0 to 23, in the school's time zone. */
    digestHour: 8,
  },

  reports: {
    /**
     * Every Monday morning, the manager gets a report of the last week by email; without a manager, the team
     * for students gets it. 'off': no one gets it. The console shows it anyway, for any week.
     */
    weekly: 'on',
    /** The address of someone else who gets it instead, unless their sign-in was disabled. */
    // to: 'director@example.edu',
  },

  mail: {
    /**
     * How many notifications of inquiries we send one by one within ten minutes. The others are gathered
     * into one email to each team every ten minutes, so that a flood does not fill your mailboxes.
     */
    notificationsAtOnce: 100,
    /**
     * The name by which your mail server signs its Authentication-Results, if it removes those of others
     * (RFC 8601). With it, a new message from a student's address counts as theirs, and a copy that a
     * counselor sends to the watched mailbox counts as reaching the person; without it, we ask.
     */
    // trustedServer: 'mx.example.edu',
    /**
     * Signs outgoing email. Publish the public key in DNS at <selector>._domainkey.<domain>. The key file
     * is relative to this file.
     */
    // dkim: { domain: 'example.edu', selector: 'frontdesk', privateKeyFile: 'dkim.pem' },
  },
} satisfies PartialSettings
