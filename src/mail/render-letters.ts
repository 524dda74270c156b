/** Renders the emails to the person who wrote in, in the language of their lead. */
import { type ContentFolder, fileIn, languageOfFile } from '../content/content-files.ts'
import { languageFor } from '../leads/body/languages.ts'
import { lazyEach } from '../platform/lazy.ts'
import { linksAfterward } from './links-afterward.ts'
import type { Content, PersonMessage, PersonView, SchoolContext } from './message-definition.ts'
import type { LoadTemplate, Template } from './message-templates.ts'
import { letter } from './messages/letter.ts'
import { type PersonEmails, personMessages } from './messages.ts'
import { toPerson } from './reply-address.ts'
import { personView } from './samples.ts'

type Options = {
  load: LoadTemplate
  context: SchoolContext
  contentDirs: ContentFolder[]
  /** Whether it is an error if a follow-up email lacks its legal parts. */
  tryOut: boolean
}

/** Loads each email in all languages of the school, in English where a language does not have it. */
export function createLetters({ load, context, contentDirs, tryOut }: Options) {
  const { languages } = context.settings

  const emailOf = <V extends PersonView>(message: PersonMessage<V>, check?: typeof requireLegalParts) => {
    const { template: file } = message
    const found = new Map(
      languages.map(wanted => {
        const language = languageOfFile(file, wanted, contentDirs)
        const samples = () => message.samples(context.settings).map(view => message.variables(view, context, language))
        const template = load(file, samples, language)
        if (check) for (const sample of samples()) check(fileIn(language, file), template, sample as LegalSample)
        return [wanted, { language, template: message.linksAfterward ? linksAfterward(template) : template }]
      }),
    )
    type InLanguage = { language: string; template: Template }
    return (view: V): Content => {
      const { language, template } = found.get(languageFor(view.lead.language, languages)) as InLanguage
      const rendered = template(message.variables(view, context, language))
      return { ...toPerson(view), ...message.more(view, context), language, ...rendered }
    }
  }

  const emails = Object.entries<PersonMessage>(personMessages).map(([name, message]) => {
    const email = emailOf(message)
    return [name, async (view: PersonView) => email(view)] as const
  })
  const letters = lazyEach(template => emailOf({ ...letter, template }, tryOut ? requireLegalParts : undefined))
  /** Tries out an email of the cadence, even one that comes with Frontdesk. */
  const tried = lazyEach(template => emailOf({ ...letter, template }, requireLegalParts))

  return {
    emails: Object.fromEntries(emails) as { [K in keyof PersonEmails]: (view: PersonView) => Promise<Content> },

    letter: async (template: string, view: PersonView) => letters(template)(view),

    /** Loads an email of the cadence, which is otherwise loaded when it is first needed. */
    preload: (template: string): void => void letters(template),

    /** The email as an invented student would get it. Throws the same Errors as at startup if something is wrong. */
    sample: (template: string, language: string): Content =>
      tried(template)({ ...personView, lead: { ...personView.lead, language } }),
  }
}

type LegalSample = { unsubscribe_url: string; school: { postal_address: string | null } }

/**
 * What each follow-up email must show by law, even in the operator's own words (CAN-SPAM Act, 15 U.S.C. 7704). The
 * email for the sample must show the link to unsubscribe and the school's postal address; otherwise, throws an Error
 * that names the file and what is missing. Without a postal address in the settings, no follow-up email is sent.
 */
function requireLegalParts(name: string, template: Template, sample: LegalSample): void {
  const { text } = template(sample)
  const { unsubscribe_url: link, school } = sample
  const missing = [
    ...(text.includes(link) ? [] : ['the link to unsubscribe: {{ unsubscribe_url }}']),
    ...(withoutPunctuation(text).includes(withoutPunctuation(school.postal_address ?? ''))
      ? []
      : ["the school's postal address: {{ school.postal_address }}"]),
  ]
  if (missing.length === 0) return
  throw new Error(
    `${name}: by law, a follow-up email must show ${missing.join(', and ')}. The built-in emails end with {% include 'letters/letter-end.md' %}`,
  )
}

/** Compares only letters and digits, since a layout may break lines or put commas into an address. */
const withoutPunctuation = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')
