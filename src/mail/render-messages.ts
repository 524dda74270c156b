/** Renders every message from its template: the recipient of each, and what it says. */
import type { Settings } from '../config/settings.ts'
import { createBrand } from '../content/brand.ts'
import { createDateFormat, createShortDateFormat } from '../content/date-format.ts'
import { fileIn, ROOT_LANGUAGE } from '../content/files.ts'
import { schoolVariables } from '../content/school-variables.ts'
import { asciiMailbox, type EmailAddress, isPlainMailbox } from '../leads/email.ts'
import type { Kind, Submission } from '../leads/submission.ts'
import type { Links } from '../signed-links.ts'
import { aboutOf, replyTo } from './addresses.ts'
import { dailyVariables } from './daily-variables.ts'
import { digestVariables } from './digest-variables.ts'
import { erasureVariables } from './erasure-variables.ts'
import { forwardedVariables } from './forwarded-variables.ts'
import { gatheredVariables } from './gathered-variables.ts'
import { handOverVariables } from './hand-over-variables.ts'
import { importedSamples, importedVariables } from './imported-variables.ts'
import { leadChangeVariables } from './lead-change-variables.ts'
import { type LeadView, siteVariables, studentVariables } from './lead-variables.ts'
import { messageTemplateLoader, type Rendered } from './message-templates.ts'
import type { Content, Messages } from './messages.ts'
import { onFirstUse } from './on-first-use.ts'
import { operatorVariables } from './operator-variables.ts'
import { eventVariables, type ReminderView, reminderVariables } from './reminder-variables.ts'
import { createLetters, type LoadTemplate } from './render-letters.ts'
import { reportVariables } from './report-variables.ts'
import { retentionVariables } from './retention-variables.ts'
import { dailySamples } from './sample-daily.ts'
import { handOverSamples } from './sample-hand-overs.ts'
import * as samples from './sample-messages.ts'
import { erasureSamples, retentionSamples } from './sample-privacy-messages.ts'
import { reportSamples } from './sample-report.ts'
import type { SchoolContext } from './school-context.ts'
import { unattendedVariables } from './unattended-variables.ts'

/**
 * Loads every template from the first of `contentDirs` that holds it. `templates` are those that the
 * cadences name: emails to the person are under `letters/`, those to the staff elsewhere. `tryOut`:
 * renders every sample of each, too.
 *
 * Throws an Error that names the file and the problem if one is missing or broken.
 */
export function createMessages({
  settings,
  baseUrl,
  mailFrom,
  learnUrl,
  consoleUrl,
  links,
  contentDirs,
  templates,
  tryOut,
}: {
  settings: Settings
  baseUrl: string
  mailFrom: EmailAddress
  learnUrl: string
  consoleUrl: string
  links: Links
  contentDirs: string[]
  templates: string[]
  tryOut: boolean
}): Messages {
  const moment = createDateFormat(settings.school)
  const shortMoment = createShortDateFormat(settings.school)
  const context: SchoolContext = {
    ...{ settings, mailFrom, learnUrl, consoleUrl, links, moment, shortMoment },
  }
  const school = { school: schoolVariables(settings.school) }

  const loadTemplate = messageTemplateLoader(contentDirs, createBrand(settings.school, baseUrl))
  const loaded = new Map<string, () => Rendered[]>()
  const load: LoadTemplate = (file, samplesOf, language = ROOT_LANGUAGE) => {
    const template = loadTemplate(file, tryOut ? samplesOf(context) : [], language)
    loaded.set(fileIn(language, file), () => samplesOf(context).map(template))
    return template
  }
  const siteInterest = load('notifications/site-interest.md', samples.siteSamples)
  const studentInterest = load('notifications/student-interest.md', samples.studentSamples)
  const news = load('notifications/news.md', samples.eventSamples)
  const handedOver = load('notifications/handed-over.md', samples.leadChangeSamples)
  const leadsHandedOver = load('notifications/leads-handed-over.md', handOverSamples)
  const freshLink = load('notifications/fresh-link.md', samples.leadChangeSamples)
  const callAgain = load('notifications/call-again.md', samples.leadChangeSamples)
  const takenOver = load('notifications/taken-over.md', samples.leadChangeSamples)
  const digest = load('notifications/quarantine-digest.md', samples.digestSamples)
  const forwarded = load('notifications/forwarded.md', samples.forwardedSamples)
  const gathered = load('notifications/gathered.md', samples.gatheredSamples)
  const imported = load('notifications/imported.md', importedSamples)
  const unattended = load('notifications/unattended.md', samples.unattendedSamples)
  const daily = load('notifications/daily-digest.md', dailySamples)
  const report = load('notifications/weekly-report.md', reportSamples)
  const test = load('notifications/test.md', () => [school])
  const invitation = load('notifications/invitation.md', samples.operatorSamples)
  const reset = load('notifications/password-reset.md', samples.operatorSamples)
  const retention = load('notifications/retention.md', retentionSamples)
  const erasure = load('notifications/erasure.md', erasureSamples)
  const letters = createLetters({ load, context, contentDirs, tryOut })
  const reminders = onFirstUse(name => load(name, samples.reminderSamples))
  for (const name of templates) (name.startsWith('letters/') ? letters.prepare : reminders)(name)

  const reminderSample = (template: string, kind: Kind): Content => {
    const [site = {}, student = {}] = samples.reminderSamples(context)
    return { to: samples.team, ...reminders(template)(kind === 'site' ? site : student) }
  }

  const withReplies = (view: ReminderView, rendered: Rendered): Content => ({
    to: view.to,
    lead: aboutOf(view.lead),
    ...(view.suppressed ? {} : replyTo(view.submission)),
    ...rendered,
  })

  return {
    async siteNotification(view) {
      const submission = ofKind('site', view)
      const rendered = siteInterest(siteVariables(view, submission, context))
      return { to: view.to, lead: aboutOf(view.lead), ...replyTo(submission), ...rendered }
    },

    async studentNotification(view) {
      const submission = ofKind('student', view)
      const rendered = studentInterest(studentVariables(view, submission, context))
      return { to: view.to, lead: aboutOf(view.lead), ...replyTo(submission), ...rendered }
    },

    async reminder(template, view) {
      return withReplies(view, reminders(template)(reminderVariables(view, context)))
    },

    async forwardedMail(view) {
      const [mail, ...more] = view.mails
      const direct = mail !== undefined && more.length === 0 && isPlainMailbox(mail.sender)
      const reply = direct ? { replyTo: { name: '', address: asciiMailbox(mail.sender) } } : {}
      return { to: view.to, ...reply, ...forwarded(forwardedVariables(view, context)) }
    },

    async gatheredNotification(view) {
      return { to: view.to, ...gathered(gatheredVariables(view, context)) }
    },

    async importedLeads(view) {
      return { to: view.to, ...imported(importedVariables(view, context)) }
    },

    async unattendedLeads(view) {
      return { to: view.to, ...unattended(unattendedVariables(view, context)) }
    },

    async dailyDigest(view) {
      return { to: view.to, ...daily(dailyVariables(view, context)) }
    },

    async weeklyReport(view) {
      return { to: view.to, ...report(reportVariables(view, context)) }
    },

    async news(view) {
      const replied = view.event.kind === 'reply'
      const rendered = news(eventVariables(view, context))
      const from = view.event.mail?.from
      const other =
        from !== undefined && isPlainMailbox(from)
          ? { replyTo: { name: '', address: asciiMailbox(from) } }
          : replyTo(view.submission)
      const reply = replied ? other : {}
      return { to: view.to, lead: aboutOf(view.lead), ...reply, ...rendered }
    },

    async handedOver(view) {
      return withReplies(view, handedOver(leadChangeVariables(view, context)))
    },

    async takenOver(view) {
      return {
        to: view.to,
        lead: aboutOf(view.lead),
        ...takenOver(leadChangeVariables(view, context)),
      }
    },

    async leadsHandedOver(view) {
      return { to: view.to, ...leadsHandedOver(handOverVariables(view, context)) }
    },

    async freshLink(view) {
      return withReplies(view, freshLink(leadChangeVariables(view, context)))
    },

    async callAgain(view) {
      return withReplies(view, callAgain(leadChangeVariables(view, context)))
    },

    async letter(template, view) {
      return letters.letter(template, view)
    },

    async receipt(view) {
      return letters.receipt(view)
    },

    async accountNotice(view) {
      return letters.accountNotice(view)
    },

    async written(view) {
      return letters.written(view)
    },

    async quarantineDigest(view) {
      return { to: view.to, ...digest(digestVariables(view, context)) }
    },

    async invitation(view) {
      return { to: view.to, ...invitation(operatorVariables(view, context)) }
    },

    async passwordReset(view) {
      return { to: view.to, ...reset(operatorVariables(view, context)) }
    },

    async retention(view) {
      return { to: view.to, ...retention(retentionVariables(view, context)) }
    },

    async erasure(view) {
      return { to: view.to, ...erasure(erasureVariables(view, context)) }
    },

    async testMessage(to) {
      return { to: { name: '', address: to }, ...test(school) }
    },

    samples: () => Array.from(loaded, ([file, render]) => ({ file, renderings: render() })),

    sampleOfStep: (template, { kind, language }) =>
      template.startsWith('letters/')
        ? letters.sample(template, language)
        : reminderSample(template, kind),

    asMessage({ lead: _, gathered: __, signedBy, ...content }, envelope) {
      const name = [signedBy, settings.school.name].filter(Boolean).join(', ')
      return { ...envelope, from: { name, address: mailFrom }, ...content }
    },
  }
}

function ofKind<K extends Kind>(kind: K, { submission }: LeadView): Submission<K> {
  if (submission.kind === kind) return submission as Submission<K>
  throw new TypeError(`a ${submission.kind} submission is not for the ${kind} notification`)
}
