/** The messages the service sends: who gets each, and what it says. */
import type { Settings } from '../config/settings.ts'
import { asciiDomain, type EmailAddress, isPlainMailbox } from '../leads/email.ts'
import type { Kind, Submission } from '../leads/submission.ts'
import type { Mailbox, Message } from './message.ts'
import { momentsIn } from './moments.ts'
import { digestSamples, siteSamples, studentSamples } from './samples.ts'
import { templateLoader } from './templates.ts'
import {
  type DigestView,
  digestVariables,
  type LeadView,
  type Place,
  schoolVariables,
  siteVariables,
  studentVariables,
} from './views.ts'

export type { DigestView, LeadView } from './views.ts'

/** A message before it is given its sender, its date and its Message-ID. */
export type Content = {
  to: Mailbox
  replyTo?: Mailbox
  subject: string
  text: string
  html: string
}

export type Messages = {
  /** Tells the partnerships team of one site submission. Replies go to the person. */
  siteNotification(view: LeadView): Promise<Content>
  /** Tells admissions of one student submission. Replies go to the person. */
  studentNotification(view: LeadView): Promise<Content>
  /**
   * Tells the student that the enquiry came in. Anybody can type anybody's address, so the letter
   * holds nothing that the submitter wrote: nobody can send words of their own through it.
   */
  receipt(view: LeadView): Promise<Content>
  /** Tells the partnerships team what was held back, and how to release it. */
  quarantineDigest(view: DigestView): Promise<Content>
  /** Proves that mail arrives. */
  testMessage(to: EmailAddress): Promise<Content>
  /** The content as a message from this school. Give it the same id and date at each try. */
  asMessage(content: Content, envelope: { id: string; date: Date }): Message
}

/**
 * Loads every template from the first of `contentDirs` that holds it, and tries it out.
 *
 * Throws an Error naming the file and the problem when one is missing or broken.
 */
export function createMessages({
  settings,
  mailFrom,
  partnershipsEmail,
  admissionsEmail,
  consoleUrl,
  contentDirs,
}: {
  settings: Settings
  mailFrom: EmailAddress
  partnershipsEmail: EmailAddress
  admissionsEmail: EmailAddress
  consoleUrl: string
  contentDirs: string[]
}): Messages {
  const place: Place = { settings, consoleUrl, moment: momentsIn(settings.school) }
  const school = { school: schoolVariables(settings) }
  const partnerships = { name: 'Partnerships', address: partnershipsEmail }
  const admissions = { name: `${settings.school.name} Admissions`, address: admissionsEmail }

  const load = templateLoader(contentDirs)
  const siteInterest = load('notifications/site-interest.md', siteSamples(place))
  const studentInterest = load('notifications/student-interest.md', studentSamples(place))
  const digest = load('notifications/quarantine-digest.md', digestSamples(place))
  const test = load('notifications/test.md', [school])
  const receipt = load('letters/receipt.md', [school])

  return {
    async siteNotification(view) {
      const submission = ofKind('site', view)
      const rendered = siteInterest(siteVariables(view, submission, place))
      return { to: partnerships, ...replyTo(submission), ...rendered }
    },

    async studentNotification(view) {
      const submission = ofKind('student', view)
      const rendered = studentInterest(studentVariables(view, submission, place))
      return { to: admissions, ...replyTo(submission), ...rendered }
    },

    async receipt({ submission }) {
      const to = { name: '', address: asciiMailbox(submission.body.email) }
      return { to, replyTo: admissions, ...receipt(school) }
    },

    async quarantineDigest(view) {
      return { to: partnerships, ...digest(digestVariables(view, place)) }
    },

    async testMessage(to) {
      return { to: { name: '', address: to }, ...test(school) }
    },

    asMessage(content, { id, date }) {
      return { id, date, from: { name: settings.school.name, address: mailFrom }, ...content }
    },
  }
}

function ofKind<K extends Kind>(kind: K, { submission }: LeadView): Submission<K> {
  if (submission.kind === kind) return submission as Submission<K>
  throw new TypeError(`a ${submission.kind} submission is not for the ${kind} notification`)
}

/**
 * The person, as somebody to reply to. An address whose local part needs SMTPUTF8 is kept out: a
 * relay without it may refuse the whole message. The message says so where that happens.
 */
function replyTo({ body }: Submission): Pick<Content, 'replyTo'> {
  if (!isPlainMailbox(body.email)) return {}
  const name = displayName(`${body.firstName} ${body.lastName}`)
  return { replyTo: { name, address: asciiMailbox(body.email) } }
}

const asciiMailbox = (email: string): string =>
  `${email.slice(0, email.lastIndexOf('@'))}@${asciiDomain(email)}`

/** Letters, digits and what names are written with: nothing that means something in a header. */
const displayName = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N} .'’-]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
