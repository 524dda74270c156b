/** The messages that a step of a cadence can send: which files there are, and what each looks like. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defaultSettings } from '../config/all-settings.ts'
import type { Settings } from '../config/settings.ts'
import { contentDirs, ROOT_LANGUAGE } from '../content/content-files.ts'
import { templatesOf } from '../follow-up/cadence.ts'
import type { Kind } from '../leads/body/submission.ts'
import type { Content, Messages } from './messages.ts'

/** A file that a step can name, with the subject of an example, or why it cannot be sent. */
export type StepMessage = { file: string } & ({ subject: string } | { problem: string })

export type StepMessages = {
  /** The emails to students first. */
  list(kind: Kind): StepMessage[]
  /** The message of a step about an invented person; `problem` says what is wrong with the file. */
  sample(file: string, of: { kind: Kind; language?: string }): Content | { problem: string }
}

export function createStepMessages(
  messages: Pick<Messages, 'sampleOfStep'>,
  settings: Pick<Settings, 'content' | 'followUp'>,
): StepMessages {
  const sample: StepMessages['sample'] = (file, { kind, language = ROOT_LANGUAGE }) => {
    try {
      return messages.sampleOfStep(file, { kind, language })
    } catch (error) {
      return { problem: (error as Error).message }
    }
  }
  // Making an example takes some milliseconds, and many pages name messages. The content is read at the start.
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
 * The files of the cadences that Frontdesk comes with, those that the settings name, and the operator's own
 * files that replace none of ours: what replaces one of ours is a message of another kind, or a part of one.
 */
function filesFor({ content, followUp }: Pick<Settings, 'content' | 'followUp'>): string[] {
  const [ours = '', own] = contentDirs(content).toReversed()
  const added = ['letters', 'notifications']
    .flatMap(folder => (own === undefined ? [] : filesIn(own, folder)))
    .filter(file => !existsSync(join(ours, file)))
  const named = [...templatesOf(defaultSettings.followUp), ...templatesOf(followUp), ...added]
  return [...new Set(named)].sort()
}

const filesIn = (parent: string, folder: string): string[] => {
  const path = join(parent, folder)
  if (!existsSync(path)) return []
  return readdirSync(path)
    .filter(name => /^[\w.-]+\.md$/.test(name) && !name.includes('..'))
    .map(name => `${folder}/${name}`)
}
