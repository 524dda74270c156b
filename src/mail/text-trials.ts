/** Tries out the text of an email or a saved reply before it is saved: shows how it looks, or why it cannot be sent. */
import type { Settings } from '../config/settings.ts'
import { contentDirs, fileIn } from '../content/content-files.ts'
import type { EmailAddress } from '../leads/body/email.ts'
import type { Links } from '../signed-links.ts'
import { createMessages } from './render-messages.ts'
import { loadReplyTemplates } from './reply-templates.ts'

/** A text that someone has typed: the file that it would replace, its language, and the new content. */
export type TypedText = { file: string; language: string; text: string }

/** `html` is missing if the text fills a form that someone changes before it is sent. */
export type Trial = { subject: string; text: string; html?: string } | { problem: string }

export type TextTrials = {
  /**
   * Renders the text about an invented person; `author` signs a reply. `problem` says what is wrong, without the name
   * of the file.
   */
  tryOut(typed: TypedText, author: string): Trial
}

/** The common ending of follow-up emails: it is tried out in one of them. */
const END = 'letters/letter-end.md'
const WITH_END = 'letters/day-1.md'

/** These emails have variables of their own; all other letters and reminders belong to steps. */
const ofNoStep = new Set(['letters/receipt.md', 'letters/account-notice.md'])

type Sources = {
  settings: Settings
  baseUrl: string
  learnUrl: string
  consoleUrl: string
  mailFrom: EmailAddress
  links: Links
}

export function createTextTrials(sources: Sources): TextTrials {
  const { settings } = sources
  // By law, a follow-up email shows the school's address. Until there is one, the email can be written, but is not
  // sent.
  const addressed = () => ({
    ...settings,
    school: { ...settings.school, postalAddress: settings.school.postalAddress ?? '100 Main Street, Springfield' },
  })

  function trial({ file, language, text }: TypedText, author: string): Trial {
    const texts = { ...settings.texts, [file]: { ...settings.texts?.[file], [language]: { text, at: 0 } } }
    const folders = contentDirs(settings.content, texts)
    if (file.startsWith('replies/')) {
      const replies = loadReplyTemplates({ contentDirs: folders, settings, tryOut: true })
      return replies.sample(fileIn(language, file.slice('replies/'.length, -'.md'.length)), author) ?? missing(file)
    }
    const shown = file === END ? WITH_END : file
    const name = fileIn(language, shown)
    const messages = createMessages({
      ...sources,
      settings: addressed(),
      contentDirs: folders,
      templates: ofNoStep.has(shown) ? [] : [shown],
      tryOut: name,
    })
    if (ofNoStep.has(shown)) return messages.sampleOf(name) ?? missing(file)
    return messages.sampleOfStep(shown, { kind: shown.includes('site') ? 'site' : 'student', language })
  }

  return {
    tryOut(typed, author) {
      try {
        return trial(typed, author)
      } catch (error) {
        const [line = ''] = (error as Error).message.split('\n')
        return { problem: line.replace(/^(?:[\w/-]+\.(?:md|html): )+/, '') }
      }
    },
  }
}

const missing = (file: string) => ({ problem: `${file} is missing` })
