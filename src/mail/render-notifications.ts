/** Renders the emails to the staff. */
import { schoolVariables } from '../content/school-variables.ts'
import { asciiMailbox, type EmailAddress, isPlainMailbox } from '../leads/body/email.ts'
import type { Kind, Submission } from '../leads/body/submission.ts'
import { aboutOf, replyTo } from './addresses.ts'
import type { Content } from './messages.ts'
import { onFirstUse } from './on-first-use.ts'
import type { LoadTemplate } from './render-letters.ts'
import { dailySamples } from './samples/daily.ts'
import { handOverSamples } from './samples/hand-overs.ts'
import * as samples from './samples/messages.ts'
import { erasureSamples, retentionSamples } from './samples/privacy.ts'
import { reportSamples } from './samples/report.ts'
import { dailyVariables } from './variables/daily.ts'
import { digestVariables } from './variables/digest.ts'
import { erasureVariables } from './variables/erasure.ts'
import { type ForwardedView, forwardedVariables } from './variables/forwarded.ts'
import { gatheredVariables } from './variables/gathered.ts'
import { handOverVariables } from './variables/hand-over.ts'
import { importedSamples, importedVariables } from './variables/imported.ts'
import { type LeadView, siteVariables, studentVariables } from './variables/lead.ts'
import { leadChangeVariables } from './variables/lead-change.ts'
import { operatorVariables } from './variables/operator.ts'
import { type EventView, eventVariables, type ReminderView, reminderVariables } from './variables/reminder.ts'
import { reportVariables } from './variables/report.ts'
import { retentionVariables } from './variables/retention.ts'
import type { SchoolContext } from './variables/school-context.ts'
import { unattendedVariables } from './variables/unattended.ts'

type Options = { load: LoadTemplate; context: SchoolContext }

export function createNotifications({ load, context }: Options) {
  /** Loads an email to the person that its view names; `more` is what it has beside its text. */
  const email = <V>(
    file: string,
    samplesOf: (context: SchoolContext) => object[],
    variables: (view: V, context: SchoolContext) => object,
    more: (view: V) => Partial<Content> = () => ({}),
  ) => {
    const template = load(file, samplesOf)
    return async (view: V & Pick<Content, 'to'>): Promise<Content> => ({
      to: view.to,
      ...more(view),
      ...template(variables(view, context)),
    })
  }

  const siteOf = (view: LeadView) => siteVariables(view, ofKind('site', view), context)
  const studentOf = (view: LeadView) => studentVariables(view, ofKind('student', view), context)
  const changes = [samples.leadChangeSamples, leadChangeVariables] as const
  const operators = [samples.operatorSamples, operatorVariables] as const
  const ofOneFile = {
    siteNotification: email('notifications/site-interest.md', samples.siteSamples, siteOf, replyToPerson),
    studentNotification: email('notifications/student-interest.md', samples.studentSamples, studentOf, replyToPerson),
    event: email('notifications/event.md', samples.eventSamples, eventVariables, replyToEvent),
    assigned: email('notifications/assigned.md', ...changes, replyUnlessSuppressed),
    leadsHandedOver: email('notifications/leads-handed-over.md', handOverSamples, handOverVariables),
    freshLink: email('notifications/fresh-link.md', ...changes, replyUnlessSuppressed),
    callAgain: email('notifications/call-again.md', ...changes, replyUnlessSuppressed),
    reassigned: email('notifications/reassigned.md', ...changes, aboutLead),
    quarantineDigest: email('notifications/quarantine-digest.md', samples.digestSamples, digestVariables),
    forwardedMail: email('notifications/forwarded.md', samples.forwardedSamples, forwardedVariables, replyToSender),
    gatheredNotification: email('notifications/gathered.md', samples.gatheredSamples, gatheredVariables),
    importedLeads: email('notifications/imported.md', importedSamples, importedVariables),
    unattendedLeads: email('notifications/unattended.md', samples.unattendedSamples, unattendedVariables),
    dailyDigest: email('notifications/daily-digest.md', dailySamples, dailyVariables),
    weeklyReport: email('notifications/weekly-report.md', reportSamples, reportVariables),
    invitation: email('notifications/invitation.md', ...operators),
    passwordReset: email('notifications/password-reset.md', ...operators),
    retention: email('notifications/retention.md', retentionSamples, retentionVariables),
    erasure: email('notifications/erasure.md', erasureSamples, erasureVariables),
  }

  const school = { school: schoolVariables(context.settings.school) }
  const test = load('notifications/test.md', () => [school])
  const reminders = onFirstUse(file => load(file, samples.reminderSamples))

  return {
    emails: {
      ...ofOneFile,
      testMessage: async (to: EmailAddress): Promise<Content> => ({ to: { name: '', address: to }, ...test(school) }),
      reminder: async (file: string, view: ReminderView): Promise<Content> => ({
        to: view.to,
        ...replyUnlessSuppressed(view),
        ...reminders(file)(reminderVariables(view, context)),
      }),
    },

    /** Loads a reminder of the cadence, which is otherwise loaded when it is needed first. */
    preload: (file: string): void => void reminders(file),

    /** A reminder about an invented person. */
    sample(file: string, kind: Kind): Content {
      const [site = {}, student = {}] = samples.reminderSamples(context)
      return { to: samples.team, ...reminders(file)(kind === 'site' ? site : student) }
    },
  }
}

const aboutLead = ({ lead }: Pick<LeadView, 'lead'>): Partial<Content> => ({ lead: aboutOf(lead) })

const replyToPerson = (view: Pick<LeadView, 'lead' | 'submission'>): Partial<Content> => ({
  ...aboutLead(view),
  ...replyTo(view.submission),
})

const replyUnlessSuppressed = (view: ReminderView): Partial<Content> =>
  view.suppressed ? aboutLead(view) : replyToPerson(view)

/** If the event is a reply, replies go to the address that it came from. */
function replyToEvent(view: EventView): Partial<Content> {
  if (view.event.kind !== 'reply') return aboutLead(view)
  const from = view.event.mail?.from
  return from !== undefined && isPlainMailbox(from)
    ? { ...aboutLead(view), ...replyToAddress(from) }
    : replyToPerson(view)
}

/** Replies to a single mail go to its sender. */
function replyToSender({ mails: [mail, ...more] }: Pick<ForwardedView, 'mails'>): Partial<Content> {
  const single = mail !== undefined && more.length === 0
  return single && isPlainMailbox(mail.sender) ? replyToAddress(mail.sender) : {}
}

const replyToAddress = (address: string): Partial<Content> => ({
  replyTo: { name: '', address: asciiMailbox(address) },
})

function ofKind<K extends Kind>(kind: K, { submission }: LeadView): Submission<K> {
  if (submission.kind === kind) return submission as Submission<K>
  throw new TypeError(`a ${submission.kind} submission is not for the ${kind} notification`)
}
