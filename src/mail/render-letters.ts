/** Renders the emails to the person who wrote in, in the language of their lead. */
import { fileIn, languageOfFile } from '../content/files.ts'
import { languageFor } from '../leads/body/languages.ts'
import { addressed } from './addresses.ts'
import { requireLegalParts } from './legal-parts.ts'
import { linksAfterward } from './links-afterward.ts'
import type { Template } from './message-templates.ts'
import type { Content } from './messages.ts'
import { onFirstUse } from './on-first-use.ts'
import * as samples from './samples/messages.ts'
import {
  type LetterView,
  letterVariables,
  receiptVariables,
  studentLink,
  type WrittenView,
  writtenVariables,
} from './variables/letter.ts'
import type { SchoolContext } from './variables/school-context.ts'

/** The variables to try out a template with. */
export type SamplesOf = (context: SchoolContext) => object[]

/** Loads a file in a language. */
export type LoadTemplate = (file: string, samplesOf: SamplesOf, language?: string) => Template

type Options = {
  load: LoadTemplate
  context: SchoolContext
  contentDirs: string[]
  /** Whether a follow-up email without its legal parts is an error. */
  tryOut: boolean
}

type Loading<V> = {
  /** Throws where an email lacks something. */
  check?: (name: string, template: Template, sample: V) => void
  /** What is made of each template. */
  made?: (template: Template) => Template
}

/** Loads each email in all languages of the school. One that is not there in a language is English. */
export function createLetters({ load, context, contentDirs, tryOut }: Options) {
  const { settings, links } = context

  /** The template of a file for each language that is wanted, and the language that it then is in. */
  const inLanguages = <V extends object>(
    file: string,
    samplesOf: (context: SchoolContext, language: string) => V[],
    { check, made = template => template }: Loading<V> = {},
  ) => {
    const found = new Map(
      settings.languages.map(wanted => {
        const language = languageOfFile(file, wanted, contentDirs)
        const template = load(file, () => samplesOf(context, language), language)
        for (const sample of check ? samplesOf(context, language) : [])
          check?.(fileIn(language, file), template, sample)
        return [wanted, { language, template: made(template) }]
      }),
    )
    type InLanguage = { language: string; template: Template }
    return ({ lead }: LetterView) => found.get(languageFor(lead.language, settings.languages)) as InLanguage
  }
  // They go out in a rush, too, and hardly differ.
  const once = { made: linksAfterward }
  const receipt = inLanguages('letters/receipt.md', samples.receiptSamples, once)
  const written = inLanguages('letters/personal.md', samples.writtenSamples)
  const accountNotice = inLanguages('letters/account-notice.md', samples.receiptSamples, once)
  const letters = onFirstUse(file =>
    inLanguages(file, samples.letterSamples, tryOut ? { check: requireLegalParts } : {}),
  )

  /** Tries out an email of the cadence, also one that came with Frontdesk. */
  const tried = onFirstUse(file => inLanguages(file, samples.letterSamples, { check: requireLegalParts }))

  const letterTo = (
    view: LetterView,
    { language, template }: ReturnType<typeof receipt>,
    variables: (view: LetterView, context: SchoolContext, language: string) => object,
  ): Content => ({
    ...addressed(view),
    ...(view.counselor && { signedBy: view.counselor.name }),
    unsubscribe: studentLink(links, 'unsubscribe', view.lead),
    language,
    ...template(variables(view, context, language)),
  })

  return {
    /** Loads an email of the cadence, which is otherwise loaded when it is needed first. */
    preload: (file: string): void => void letters(file),

    receipt: (view: LetterView) => letterTo(view, receipt(view), receiptVariables),

    accountNotice: (view: LetterView) => letterTo(view, accountNotice(view), receiptVariables),

    letter: (file: string, view: LetterView) => letterTo(view, letters(file)(view), letterVariables),

    /** As it looks for an invented student. Throws an Error as at the start if something is wrong with it. */
    sample(file: string, language: string): Content {
      const view = { ...samples.letterView, lead: { ...samples.letterView.lead, language } }
      return letterTo(view, tried(file)(view), letterVariables)
    },

    written(view: WrittenView): Content {
      const { author, answers } = view
      const { language, template } = written(view)
      const rendered = template(writtenVariables(view, context))
      const thread = answers === undefined ? {} : { answers }
      return { ...addressed(view), signedBy: author, personal: true, language, ...thread, ...rendered }
    },
  }
}
