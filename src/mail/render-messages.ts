/** Renders every message from its template: emails to the staff here, emails to the person in `render-letters.ts`. */
import { createBrand } from '../content/brand.ts'
import { type ContentFolder, fileIn, ROOT_LANGUAGE } from '../content/content-files.ts'
import { createDateFormat, createShortDateFormat } from '../content/date-format.ts'
import { createCalendar } from '../follow-up/calendar.ts'
import { calledBy } from '../follow-up/called-by.ts'
import type { EmailAddress } from '../leads/body/email.ts'
import type { Kind } from '../leads/body/submission.ts'
import { lazy, lazyEach } from '../platform/lazy.ts'
import type { Content, OfStep, SchoolContext, StaffMessage, ToStaff } from './message-definition.ts'
import { type LoadedTemplate, type LoadTemplate, messageTemplateLoader } from './message-templates.ts'
import { type ReminderView, reminder } from './messages/reminder.ts'
import { type Messages, type StaffEmails, staffMessages } from './messages.ts'
import { prepareMessages } from './prepare-messages.ts'
import { createLetters } from './render-letters.ts'

type Options = Omit<SchoolContext, 'moment' | 'shortMoment' | 'calledBy'> & {
  baseUrl: string
  mailFrom: EmailAddress
  contentDirs: ContentFolder[]
  templates: string[]
  /** `true`: try out all of them; a name: only the file with that name, such as `es/letters/day-1.md`. */
  tryOut: boolean | string
}

/**
 * Loads every template from the first of `contentDirs` that has it. `templates`: those that the cadences name; emails
 * to the person are under `letters/`, emails to the staff elsewhere. `tryOut`: also renders every sample of each.
 *
 * Throws an Error that names the file and the problem if one is missing or, with `tryOut`, broken.
 */
export function createMessages(options: Options): Messages {
  const { settings, baseUrl, mailFrom, learnUrl, consoleUrl, links, contentDirs, templates, tryOut } = options
  const moment = createDateFormat(settings.school)
  const shortMoment = createShortDateFormat(settings.school)
  const calendar = lazy(() => createCalendar(settings))
  const context: SchoolContext = {
    settings,
    mailFrom,
    learnUrl,
    consoleUrl,
    links,
    moment,
    shortMoment,
    calledBy: (lead, now) =>
      calledBy(now, { cadence: settings.followUp[lead.kind], calendar: calendar(), place: lead }),
  }

  const loadTemplate = messageTemplateLoader(contentDirs, createBrand(settings.school, baseUrl))
  const loaded = new Map<string, LoadedTemplate>()
  const load: LoadTemplate = (file, samples, language = ROOT_LANGUAGE) => {
    const isTried = tryOut === true || tryOut === fileIn(language, file)
    const template = loadTemplate(file, isTried ? samples() : [], language)
    loaded.set(fileIn(language, file), { template, samples })
    return template
  }
  const staff = createStaffEmails(load, context)
  const letters = createLetters({ load, context, contentDirs, tryOut: tryOut !== false })
  const isLetter = (file: string): boolean => file.startsWith('letters/')
  for (const file of templates) (isLetter(file) ? letters : staff).preload(file)

  return {
    ...staff.emails,
    reminder: staff.reminder,
    ...letters.emails,
    letter: letters.letter,

    samples: () =>
      Array.from(loaded, ([file, { template, samples }]) => ({ file, renderings: samples().map(template) })),

    sampleOf: name => {
      const found = loaded.get(name)
      const [sample] = found?.samples() ?? []
      return found && sample && found.template(sample)
    },

    prepare: lazy(() => prepareMessages(loaded)),

    sampleOfStep: (template, { kind, language }) =>
      isLetter(template) ? letters.sample(template, language) : staff.sample(template, kind),

    asMessage({ lead: _, gathered: __, preheader: ___, signedBy, ...content }, envelope) {
      const name = [signedBy, settings.school.name].filter(Boolean).join(', ')
      return { ...envelope, from: { name, address: mailFrom }, ...content }
    },
  }
}

function createStaffEmails(load: LoadTemplate, context: SchoolContext) {
  const { settings } = context

  const samplesOf = ({ samples, variables, sampleCounselors }: OfStep<StaffMessage>) => {
    const { counselors } = settings.admissions
    const admissions = { ...settings.admissions, counselors: sampleCounselors ?? counselors }
    return samples().map(view => variables(view, { ...context, settings: { ...settings, admissions } }))
  }

  const emailOf = <V extends ToStaff>(message: StaffMessage<V>) => {
    const template = load(message.template, () => samplesOf(message))
    return (view: V): Content => ({
      to: view.to,
      ...message.more?.(view),
      ...template(message.variables(view, context)),
    })
  }

  const emails = Object.entries<StaffMessage>(staffMessages).map(([name, message]) => {
    const email = emailOf(message)
    return [name, async (view: ToStaff) => email(view)] as const
  })
  const reminders = lazyEach((template: string) => emailOf({ ...reminder, template }))

  return {
    emails: Object.fromEntries(emails) as { [K in keyof StaffEmails]: (view: ToStaff) => Promise<Content> },

    reminder: async (template: string, view: ReminderView) => reminders(template)(view),

    /** Loads a reminder of the cadence, which is otherwise loaded when it is first needed. */
    preload: (template: string): void => void reminders(template),

    /** A reminder about an invented person. */
    sample(template: string, kind: Kind): Content {
      const view = reminder.samples().find(({ submission }) => submission.kind === kind)
      const { to, subject, text, html } = reminders(template)(view as ReminderView)
      return { to, subject, text, html }
    },
  }
}
