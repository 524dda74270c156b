/** Something happened to a lead, and its counselor should know. Replies to an email about a reply go to the person. */
import { shorten } from '../../content/one-line.ts'
import { type Attachment, attachmentInWords, fileInWords, isStored } from '../../leads/attachments/attachment.ts'
import { emailKey, isPlainMailbox } from '../../leads/body/email.ts'
import type { EmailEventKind, MailFacts } from '../../leads/lead/timeline-entries.ts'
import type { Content, StaffMessage } from '../message-definition.ts'
import { aboutLead, replyToAddress, replyToPerson } from '../reply-address.ts'
import { counselor, first, lead, message, now, own, site, student, unreachable } from '../samples.ts'
import { type LeadView, leadVariables, withoutEmailLink } from '../variables/lead.ts'

export type EventView = LeadView & {
  event: {
    kind:
      | Exclude<EmailEventKind, 'auto-reply' | 'copy'>
      | 'undelivered'
      | 'corrected'
      | 'merged'
      | 'unmerged'
      | 'unsent'
      | 'note'
      | 'infected'
    /** The words of the person or of a mail server; may be empty. */
    text: string
    at: number
    /** The member of the staff who did not get a message, or who follows up in place of the reader. */
    recipient: string | null
    /** More about an email, and the name of the person at the school who sent it. */
    mail?: MailFacts | null | undefined
    /** The files that came with an email. */
    attachments?: readonly Pick<Attachment, 'name' | 'size' | 'state'>[] | undefined
    by?: string | null | undefined
  }
}

/** How many characters of a reply the email shows; the rest is mostly our own email, quoted. */
const REPLY = 4000

export const event: StaffMessage<EventView> = {
  template: 'notifications/event.md',
  variables(view, context) {
    const { event } = view
    const { kind, text, mail, attachments = [] } = event
    const variables = leadVariables(view, context)
    return {
      ...(kind === 'not-me' ? withoutEmailLink(variables) : variables),
      event: {
        kind,
        text: shorten(text.trim(), REPLY) || null,
        subject: mail?.subject ?? null,
        from: mail?.from ?? null,
        // Whether an email claims to be from the person themselves, not from the school.
        as_person: kind === 'claim' && mail?.from !== undefined && isSameAddress(mail.from, view.lead.email ?? ''),
        attachments: attachments.filter(isStored).map(fileInWords),
        not_stored: attachments.filter(one => !isStored(one)).map(attachmentInWords),
        infected: attachments.filter(({ state }) => state === 'infected').map(({ name }) => name),
        mailbox: context.mailFrom,
        by: event.by ?? null,
        at: context.moment(event.at),
        recipient: event.recipient,
        // For someone who no longer follows up the lead: their links to it do not work anymore.
        former: (kind === 'merged' || kind === 'unsent') && event.recipient !== null,
      },
    }
  },
  samples() {
    const full = { ...site, body: { ...site.body, email: unreachable } }
    const mail = { from: lead.email }
    const attachments = [
      { name: 'transcript.pdf', size: 120_000, state: 'stored' },
      { name: 'setup.exe', size: 3_400_000, state: 'program' },
    ] as const
    const infected = [{ name: 'transcript.pdf', size: 120_000, state: 'infected' }] as const
    return kinds.flatMap(kind => {
      // Such an event always has these values. Without them, the sentences of the email would have gaps.
      const always =
        kind === 'undelivered'
          ? { recipient: counselor.name, text: 'The mail server does not know this address.' }
          : {
              recipient: null,
              ...(kind === 'claim' && { mail }),
              ...(kind === 'infected' && { attachments: infected }),
            }
      return [
        { ...first, submission: full, event: { kind, text: message, at: now, ...always } },
        { ...first, submission: full, event: { kind, text: message, at: now, mail, attachments, ...always } },
        { ...own, submission: student, event: { kind, text: '', at: now, ...always } },
        ...(kind === 'unsent'
          ? [
              {
                ...own,
                submission: student,
                event: { kind, text: 'the lead is closed: enrolled', at: now, recipient: counselor.name },
              },
            ]
          : []),
      ]
    })
  },
  /** If the event is a person's reply, an answer to this email goes to the address that the reply came from. */
  more(view): Partial<Content> {
    if (view.event.kind !== 'reply') return aboutLead(view)
    const from = view.event.mail?.from
    return from !== undefined && isPlainMailbox(from)
      ? { ...aboutLead(view), ...replyToAddress(from) }
      : replyToPerson(view)
  },
}

const isSameAddress = (one: string, other: string): boolean => emailKey(one) === emailKey(other)

const kinds: EventView['event']['kind'][] = [
  ...(['reply', 'bounce', 'complaint', 'not-me', 'unsubscribed', 'undelivered'] as const),
  ...(['claim', 'staff-mail', 'corrected', 'merged', 'unmerged', 'unsent', 'note', 'infected'] as const),
]
