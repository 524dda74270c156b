/** The messages that a step of a cadence can send: which files exist, and how each looks. */
import { defaultSettings } from '../config/all-settings.ts'
import type { Settings } from '../config/settings.ts'
import { contentDirs, isIn, markdownIn, ROOT_LANGUAGE } from '../content/content-files.ts'
import { templatesOf } from '../follow-up/cadence.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { Content, Messages } from './messages.ts'

/** A file that a step can name, with the subject of an example; or why it cannot be sent. */
export type StepMessage = { file: string } & ({ subject: string } | { problem: string })

export type StepMessages = {
  /** The files; emails to students come first. */
  list(kind: Kind): StepMessage[]
  /** The message of a step, about an invented person; `problem` says what is wrong with the file. */
  sample(file: string, of: { kind: Kind; language?: string }): Content | { problem: string }
}

export function createStepMessages(
  messages: Pick<Messages, 'sampleOfStep'>,
  settings: Pick<Settings, 'content' | 'followUp' | 'texts'>,
): StepMessages {
  const sample: StepMessages['sample'] = (file, { kind, language = ROOT_LANGUAGE }) => {
    try {
      return messages.sampleOfStep(file, { kind, language })
    } catch (error) {
      return { problem: (error as Error).message }
    }
  }
  // Making an example takes a few milliseconds, and many pages name messages, so examples are kept until the next edit.
  const known = new Map<string, StepMessage>()
  const describe = (file: string, kind: Kind): StepMessage => {
    const found = sample(file, { kind })
    return 'problem' in found ? { file, ...found } : { file, subject: found.subject }
  }
  return {
    sample,
    list: kind =>
      filesFor(settings).map(file => {
        const key = `${kind} ${file}`
        const message = known.get(key) ?? describe(file, kind)
        known.set(key, message)
        return message
      }),
  }
}

/**
 * The files in the cadences that come with Frontdesk, those that the settings name, and the operator's files that do
 * not replace one of ours. Any other file of ours is a message of another kind, or a part of a message.
 */
function filesFor({ content, followUp, texts }: Pick<Settings, 'content' | 'followUp' | 'texts'>): string[] {
  const folders = contentDirs(content, texts)
  const ours = folders.at(-1) ?? ''
  const added = ['letters', 'notifications']
    .flatMap(name => folders.slice(0, -1).flatMap(folder => markdownIn(folder, name).map(file => `${name}/${file}.md`)))
    .filter(file => /^[\w./-]+$/.test(file) && !file.includes('..') && !isIn(ours, file))
  const named = [...templatesOf(defaultSettings.followUp), ...templatesOf(followUp), ...added]
  return [...new Set(named)].sort()
}
