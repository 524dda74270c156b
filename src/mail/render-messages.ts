/** Renders every message from its template: the emails to the staff and those to the people who wrote in. */
import type { Settings } from '../config/settings.ts'
import { createBrand } from '../content/brand.ts'
import { createDateFormat, createShortDateFormat } from '../content/date-format.ts'
import { fileIn, ROOT_LANGUAGE } from '../content/files.ts'
import type { EmailAddress } from '../leads/body/email.ts'
import { lazy } from '../platform/lazy.ts'
import type { Links } from '../signed-links.ts'
import { messageTemplateLoader, type Template } from './message-templates.ts'
import type { Messages } from './messages.ts'
import { prepareMessages } from './prepare-messages.ts'
import { createLetters, type LoadTemplate, type SamplesOf } from './render-letters.ts'
import { createNotifications } from './render-notifications.ts'
import type { SchoolContext } from './variables/school-context.ts'

/**
 * Loads every template from the first of `contentDirs` that holds it. `templates` are those that the
 * cadences name: emails to the person are under `letters/`, those to the staff elsewhere. `tryOut`:
 * renders every sample of each, too.
 *
 * Throws an Error that names the file and the problem if one is missing or, with `tryOut`, broken.
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
  const context: SchoolContext = { settings, mailFrom, learnUrl, consoleUrl, links, moment, shortMoment }

  const loadTemplate = messageTemplateLoader(contentDirs, createBrand(settings.school, baseUrl))
  const loaded = new Map<string, { template: Template; samplesOf: SamplesOf }>()
  const load: LoadTemplate = (file, samplesOf, language = ROOT_LANGUAGE) => {
    const template = loadTemplate(file, tryOut ? samplesOf(context) : [], language)
    loaded.set(fileIn(language, file), { template, samplesOf })
    return template
  }
  const notifications = createNotifications({ load, context })
  const letters = createLetters({ load, context, contentDirs, tryOut })
  const isLetter = (file: string): boolean => file.startsWith('letters/')
  for (const file of templates) (isLetter(file) ? letters : notifications).preload(file)

  return {
    ...notifications.emails,
    letter: async (template, view) => letters.letter(template, view),
    receipt: async view => letters.receipt(view),
    accountNotice: async view => letters.accountNotice(view),
    written: async view => letters.written(view),

    samples: () =>
      Array.from(loaded, ([file, { template, samplesOf }]) => ({ file, renderings: samplesOf(context).map(template) })),

    prepare: lazy(() => prepareMessages(loaded, context)),

    sampleOfStep: (template, { kind, language }) =>
      isLetter(template) ? letters.sample(template, language) : notifications.sample(template, kind),

    asMessage({ lead: _, gathered: __, signedBy, ...content }, envelope) {
      const name = [signedBy, settings.school.name].filter(Boolean).join(', ')
      return { ...envelope, from: { name, address: mailFrom }, ...content }
    },
  }
}
