/** Tries out the text of an email or a saved reply before it is saved: shows how it looks, or why it cannot be sent. */
import type { Settings } from '../config/settings.ts'
import { contentDirs, fileIn } from '../content/content-files.ts'
import { LONGEST_RENDERING } from '../content/liquid.ts'
import type { EmailAddress } from '../leads/body/email.ts'
import { SECOND } from '../platform/time.ts'
import type { Links } from '../signed-links.ts'
import { createMessages } from './render-messages.ts'
import { loadReplyTemplates } from './reply-templates.ts'

/** A text that someone has typed: the file that it would replace, its language, and the new content. */
export type TypedText = { file: string; language: string; text: string }

/** `html` is missing for a saved reply, whose text fills a form that someone changes before it is sent. */
export type Trial = { subject: string; text: string; html?: string } | { problem: string }

export type TextTrials = {
  /** Renders the text about an invented person; `author` signs a reply. `problem` does not name the file. */
  tryOut(typed: TypedText, author: string): Trial
}

/** The common ending of follow-up emails: it is tried out in one of them. */
const END = 'letters/letter-end.md'
const WITH_END = 'letters/day-1.md'

/** These emails have variables of their own; all other letters and reminders belong to steps. */
const ofNoStep = new Set(['letters/receipt.md', 'letters/account-notice.md'])

/**
 * A trial that keeps the process busy for longer than this, in milliseconds, is followed by a pause that is this many
 * times as long.
 */
const LONG_TRIAL = SECOND
const PAUSE = 9

type Sources = {
  settings: Settings
  baseUrl: string
  learnUrl: string
  consoleUrl: string
  mailFrom: EmailAddress
  links: Links
  times?: Times
}

/** The time that has passed, and the time in which this thread was busy, in milliseconds. */
type Times = { passed: () => number; busy: () => number }

const ownTimes: Times = { passed: () => performance.now(), busy: () => process.threadCpuUsage().user / 1000 }

export function createTextTrials(sources: Sources): TextTrials {
  const { settings, times = ownTimes } = sources
  let paused = 0
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

  function trialOrProblem(typed: TypedText, author: string): Trial {
    try {
      return trial(typed, author)
    } catch (error) {
      const [line = ''] = (error as Error).message.split('\n')
      return { problem: line.replace(/^(?:[\w/-]+\.(?:md|html): )+/, '') }
    }
  }

  return {
    tryOut(typed, author) {
      // Rendering blocks all other requests, so a slow text that is previewed again and again would hold up everything.
      const wait = paused - times.passed()
      if (wait > 0) return { problem: `${BEFORE} Wait ${Math.ceil(wait / SECOND)} seconds` }
      const begun = times.busy()
      const tried = trialOrProblem(typed, author)
      const busy = times.busy() - begun
      // On a busy machine, little of that time was ours, but other requests had to wait for all of it.
      const took = isGivenUp(tried) ? Math.max(busy, LONGEST_RENDERING) : busy
      if (took > LONG_TRIAL) paused = times.passed() + took * PAUSE
      return tried
    },
  }
}

/** Whether rendering reached its time limit, according to Liquid. */
const isGivenUp = (trial: Trial): boolean => 'problem' in trial && trial.problem.includes('render limit exceeded')

const BEFORE = 'The text that was tried out before this one, here or by a colleague, takes too long to render.'

const missing = (file: string) => ({ problem: `${file} is missing` })
