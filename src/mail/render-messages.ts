/** The messages the service sends: who gets each, and what it says. */
import type { Settings } from '../config/settings.ts'
import { createDateFormat } from '../content/date-format.ts'
import { schoolVariables } from '../content/school-variables.ts'
import { asciiMailbox, type EmailAddress, isPlainMailbox } from '../leads/email.ts'
import type { Kind, Submission } from '../leads/submission.ts'
import type { Links } from '../signed-links.ts'
import type { Message } from './message.ts'
import { messageTemplateLoader, type Rendered, type Template } from './message-templates.ts'
import {
  type DigestView,
  digestVariables,
  type LeadView,
  type LetterView,
  letterVariables,
  type NewsView,
  newsVariables,
  type ReminderView,
  receiptVariables,
  reminderVariables,
  type SchoolContext,
  siteVariables,
  studentVariables,
} from './message-variables.ts'
import * as samples from './sample-messages.ts'

export type {
  DigestView,
  LeadView,
  LetterView,
  NewsView,
  ReminderView,
  Staff,
} from './message-variables.ts'

/** A message before it is given its sender, its date and its Message-ID. */
export type Content = Omit<Message, 'id' | 'from' | 'date'>

export type Messages = {
  /** Tells the staff of one site submission. Replies go to the person. */
  siteNotification(view: LeadView): Promise<Content>
  /** Tells the staff of one student submission. Replies go to the person. */
  studentNotification(view: LeadView): Promise<Content>
  /**
   * Tells somebody of the staff that a person still waits. Replies go to the person, unless their
   * address takes no letters any more.
   *
   * `template` is a path under the content folders. Rejects with an Error naming it when it is
   * missing or broken.
   */
  reminder(template: string, view: ReminderView): Promise<Content>
  /** Tells the counselor what has happened to a lead. Only of a reply do replies go to the person. */
  news(view: NewsView): Promise<Content>
  /** A letter of the cadence to the person; `template` as for a reminder. */
  letter(template: string, view: LetterView): Promise<Content>
  /**
   * Tells the student that the enquiry came in. Anybody can type anybody's address, so the letter
   * holds nothing that the submitter wrote: nobody can send words of their own through it.
   */
  receipt(view: LetterView): Promise<Content>
  /** Tells the owner of a mailbox that they have an account already; holds no more than the receipt. */
  accountNotice(view: LetterView): Promise<Content>
  /** Tells the partnerships team what was held back, and how to release it. */
  quarantineDigest(view: DigestView): Promise<Content>
  /** Proves that mail arrives. */
  testMessage(to: EmailAddress): Promise<Content>
  /** The content as a message from this school. Give it the same id and date at each try. */
  asMessage(content: Content, envelope: { id: string; date: Date }): Message
}

/**
 * Loads every template from the first of `contentDirs` that holds it, and tries it out. `templates`
 * are those that the cadences name: letters lie under `letters/`, what the staff gets elsewhere.
 *
 * Throws an Error naming the file and the problem when one is missing or broken.
 */
export function createMessages({
  settings,
  mailFrom,
  partnershipsEmail,
  learnUrl,
  links,
  contentDirs,
  templates,
}: {
  settings: Settings
  mailFrom: EmailAddress
  partnershipsEmail: EmailAddress
  learnUrl: string
  links: Links
  contentDirs: string[]
  templates: string[]
}): Messages {
  const moment = createDateFormat(settings.school)
  const place: SchoolContext = { settings, learnUrl, links, moment }
  const school = { school: schoolVariables(settings.school) }

  const load = messageTemplateLoader(contentDirs)
  const siteInterest = load('notifications/site-interest.md', samples.siteSamples(place))
  const studentInterest = load('notifications/student-interest.md', samples.studentSamples(place))
  const news = load('notifications/news.md', samples.newsSamples(place))
  const digest = load('notifications/quarantine-digest.md', samples.digestSamples(place))
  const test = load('notifications/test.md', [school])
  const receipt = load('letters/receipt.md', samples.receiptSamples(place))
  const accountNotice = load('letters/account-notice.md', samples.receiptSamples(place))
  const reminders = keeping(name => load(name, samples.reminderSamples(place)))
  const letters = keeping(name => load(name, samples.letterSamples(place)))
  for (const name of templates) (name.startsWith('letters/') ? letters : reminders)(name)

  const toPerson = ({ lead, replyTo }: LetterView, rendered: Rendered): Content => ({
    to: { name: '', address: asciiMailbox(lead.email) },
    ...(replyTo && { replyTo }),
    unsubscribe: links.student('unsubscribe', lead.id, lead.createdAt),
    ...rendered,
  })

  return {
    async siteNotification(view) {
      const submission = ofKind('site', view)
      const rendered = siteInterest(siteVariables(view, submission, place))
      return { to: view.to, ...replyTo(submission), ...rendered }
    },

    async studentNotification(view) {
      const submission = ofKind('student', view)
      const rendered = studentInterest(studentVariables(view, submission, place))
      return { to: view.to, ...replyTo(submission), ...rendered }
    },

    async reminder(template, view) {
      const rendered = reminders(template)(reminderVariables(view, place))
      return { to: view.to, ...(view.suppressed ? {} : replyTo(view.submission)), ...rendered }
    },

    async news(view) {
      const replied = view.event.kind === 'reply'
      const rendered = news(newsVariables(view, place))
      return { to: view.to, ...(replied ? replyTo(view.submission) : {}), ...rendered }
    },

    async letter(template, view) {
      return toPerson(view, letters(template)(letterVariables(view, place)))
    },

    async receipt(view) {
      return toPerson(view, receipt(receiptVariables(view, place)))
    },

    async accountNotice(view) {
      return toPerson(view, accountNotice(receiptVariables(view, place)))
    },

    async quarantineDigest(view) {
      const to = { name: 'Partnerships', address: partnershipsEmail }
      return { to, ...digest(digestVariables(view, place)) }
    },

    async testMessage(to) {
      return { to: { name: '', address: to }, ...test(school) }
    },

    asMessage(content, { id, date }) {
      return { id, date, from: { name: settings.school.name, address: mailFrom }, ...content }
    },
  }
}

/** Loads each template when it is asked for first: an old cadence may name one of former days. */
function keeping(load: (name: string) => Template): (name: string) => Template {
  const kept = new Map<string, Template>()
  return name => {
    const template = kept.get(name) ?? load(name)
    kept.set(name, template)
    return template
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

/** Letters, digits and what names are written with: nothing that means something in a header. */
const displayName = (name: string): string =>
  name
    .replace(/[^\p{L}\p{M}\p{N} .'’-]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
